#include <algorithm>
#include <string>
#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/multiprocessors.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_gemm::by_multiprocessor {
namespace {

using device::kernels::KnownProduct;
using device::kernels::MultiplyOnEach;
using device::kernels::MultiprocessorTally;

/// All have the same to do, and touch nothing that others touch; their clocks may differ by a few percent.
constexpr double slow_share = 1.1;

/// What the case is made of, for a GPU and for the simulated device.
struct Work {
  unsigned rounds;  ///< of each block
  unsigned waves;   ///< blocks for each multiprocessor
};

Work work_of(harness::Context& context) {
  const auto rounds = static_cast<unsigned>(context.parameter<std::int64_t>("rounds"));
  const bool is_simulated = context.driver().kind() == "sim";
  return {.rounds = rounds != 0 ? rounds | 1U : (is_simulated ? 1U : 2001U), .waves = is_simulated ? 1U : 4U};
}

template <typename T>
std::vector<MultiprocessorTally> tallies_of(harness::Context& context, std::int32_t magnitude) {
  using Multiply = MultiplyOnEach<T>;
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  device::Device& device = runtime.device();
  const device::DeviceProperties& properties = device.properties();
  const auto multiprocessors = static_cast<unsigned>(properties.multiprocessor_count);
  const Work work = work_of(context);
  runtime::Buffer<MultiprocessorTally> tallies(runtime, Multiply::slots, stream);
  device::check(device, device.fill(tallies.data(), 0, tallies.size_bytes(), stream), "fill");
  const Multiply multiply{tallies.data(), multiprocessors, work.rounds,
                          KnownProduct{.seed = context.seed(), .depth = Multiply::size, .magnitude = magnitude}};
  // With all shared memory a block has a multiprocessor to itself, and the first wave reaches each of them.
  const device::BlockShape shape{.threads = Multiply::threads, .shared_bytes = properties.max_shared_bytes_per_block};
  const std::size_t threads = std::size_t{multiprocessors} * work.waves * Multiply::threads;
  device::check(device, device::launch(device, multiply, threads, shape, stream), "multiply_on_each");
  return read(runtime, tallies.data(), tallies.size(), stream);
}

double mean_ns(const MultiprocessorTally& tally) {
  return static_cast<double>(tally.nanoseconds) / static_cast<double>(tally.blocks);
}

template <typename T>
void observe_type(harness::Context& context, const std::string& name, std::int32_t magnitude) {
  const std::vector<MultiprocessorTally> tallies = tallies_of<T>(context, magnitude);
  std::vector<double> times_ns;
  std::vector<std::int64_t> wrong;
  std::uint64_t wrong_elements = 0;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i].blocks == 0) continue;
    times_ns.push_back(mean_ns(tallies[i]));
    wrong_elements += tallies[i].wrong;
    if (tallies[i].wrong != 0) wrong.push_back(static_cast<std::int64_t>(i));
  }
  const std::int64_t all = context.device().properties().multiprocessor_count;
  context.observe(name + "_untested_multiprocessors", all - static_cast<std::int64_t>(times_ns.size()));
  context.observe(name + "_wrong_elements", wrong_elements);
  context.observe(name + "_wrong_multiprocessors", harness::Value(wrong));
  std::ranges::sort(times_ns);
  const double median_ns = times_ns.empty() ? 0 : times_ns[times_ns.size() / 2];
  std::vector<std::int64_t> slow;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const bool is_slow = tallies[i].blocks != 0 && mean_ns(tallies[i]) > slow_share * median_ns;
    if (is_slow) slow.push_back(static_cast<std::int64_t>(i));
  }
  context.observe(name + "_slow_multiprocessors", harness::Value(slow));
  context.observe(name + "_median_us", median_ns / 1e3);
  context.observe(name + "_slowest_share", times_ns.empty() || median_ns == 0 ? 0 : times_ns.back() / median_ns);
}

void run(harness::Context& context) {
  observe_type<float>(context, "fp32", 255);
  observe_type<double>(context, "fp64", (1 << 19) - 1);
  observe_type<std::int32_t>(context, "int32", 4095);
}

}  // namespace

harness::Case define() {
  return {
      .name = "gemm.by_multiprocessor",
      .summary = "Each multiprocessor multiplies the same matrices: all are right, and none is slower than the others",
      .source = "gpu-burn; DCGM diagnostic",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {{.name = "rounds",
                      .summary = "products of each block; 0: 2001 on a GPU, one on the simulated device",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 1000000}},
      .faults = {{.name = "wrong_in_fp32",
                  .summary = "one multiprocessor gets fp32 wrong",
                  .plan = fault::wrong_multiprocessor(fault::nth_call(1))},
                 {.name = "wrong_in_fp64",
                  .summary = "one multiprocessor gets fp64 wrong",
                  .plan = fault::wrong_multiprocessor(fault::nth_call(2))},
                 {.name = "wrong_in_int32",
                  .summary = "one multiprocessor gets int32 wrong",
                  .plan = fault::wrong_multiprocessor(fault::nth_call(3))},
                 {.name = "slow",
                  .summary = "one multiprocessor takes twice as long",
                  .plan = fault::slow_multiprocessor(fault::every_call)},
                 {.name = "nothing_runs",
                  .summary = "no kernel is ever run",
                  .plan = fault::kernel_lost(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_gemm::by_multiprocessor
