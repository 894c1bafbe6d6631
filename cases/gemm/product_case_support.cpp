#include "cases/gemm/product_case_support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"

namespace gpucheck::cases::in_gemm {
namespace {

/// The seed of the random operands: a digest is to be compared with those of other GPUs.
constexpr std::uint64_t random_seed = 1;

/// So long that the first products wait for the host, who is faster from then on.
constexpr std::uint64_t hold_ns = 2'000'000;

/// Milliseconds that each of `launches` products took, back to back on a stream that was held until
/// the host had a start. The first `unmeasured` are left out.
std::vector<double> time_products(runtime::Runtime& runtime, Multiplication& multiplication, device::Stream stream,
                                  std::size_t unmeasured, std::size_t launches) {
  device::Device& device = runtime.device();
  std::vector<device::UniqueEvent> events;
  for (std::size_t i = 0; i <= launches; ++i) {
    events.push_back(device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::timing)));
  }
  device::check(device, device::launch(device, device::kernels::Spin{hold_ns}, 1, stream), "spin");
  for (std::size_t i = 0; i < unmeasured; ++i) multiplication.multiply();
  device::check(device, device.record(events[0].get(), stream), "record");
  for (std::size_t i = 1; i <= launches; ++i) {
    multiplication.multiply();
    device::check(device, device.record(events[i].get(), stream), "record");
  }
  device::check(device, device.synchronize(stream), "synchronize");
  std::vector<double> milliseconds;
  for (std::size_t i = 1; i <= launches; ++i) {
    const device::Result<float> elapsed = device.elapsed_ms(events[i - 1].get(), events[i].get());
    milliseconds.push_back(device::check_and_clear(device, elapsed, "elapsed_ms"));
  }
  return milliseconds;
}

void observe_speed(harness::Context& context, const ProductType& type, std::vector<double> milliseconds,
                   double operations) {
  const auto is_measured = [](double ms) { return ms > 0; };
  context.observe("timed_launches", std::ranges::count_if(milliseconds, is_measured));
  double sum_ms = 0;
  for (const double ms : milliseconds) sum_ms += ms;
  const double mean_ms = sum_ms / static_cast<double>(milliseconds.size());
  const auto tflops = [&](double ms) { return ms > 0 ? operations / ms / 1e9 : 0; };
  std::ranges::sort(milliseconds);
  const std::size_t twentieth = milliseconds.size() / 20;
  const double fast_ms = milliseconds[twentieth];
  const double slow_ms = milliseconds[milliseconds.size() - 1 - twentieth];
  const std::string unit = type.compute == device::ComputeType::int32 ? "_tops" : "_tflops";
  context.observe("mean" + unit, tflops(mean_ms));
  context.observe("slowest_twentieth" + unit, tflops(slow_ms));
  context.observe("fastest_twentieth" + unit, tflops(fast_ms));
}

/// Products of the same numbers, which have to have the same bits.
void observe_random_products(harness::Context& context, Multiplication& multiplication, const ProductType& type,
                             device::Stream stream) {
  runtime::Runtime& runtime = context.runtime();
  multiplication.fill_random(random_seed);
  context.observe("algorithm", harness::Value(multiplication.algorithm()));
  multiplication.multiply();
  std::set<std::uint64_t> digests{multiplication.digest()};
  const bool is_simulated = context.driver().kind() == "sim";
  // By the first an estimate; a GPU needs a while until its clocks are where they stay.
  const std::vector<double> tried_ms =
      is_simulated ? std::vector<double>{} : [&] { return time_products(runtime, multiplication, stream, 1, 3); }();
  const std::size_t launches = launches_of(context, tried_ms.empty() ? 0 : tried_ms.back());
  const std::vector<double> milliseconds =
      time_products(runtime, multiplication, stream, is_simulated ? 1 : launches / 10 + 1, launches);
  const std::uint64_t last = multiplication.digest();
  digests.insert(last);
  observe_speed(context, type, milliseconds, multiplication.operations());
  context.observe("digest", harness::Value(fmt::format("{:016x}", last)));
  context.observe("distinct_digests", digests.size());
}

void observe_known_products(harness::Context& context, Multiplication& multiplication, const ProductType& type,
                            std::size_t size) {
  constexpr std::size_t samples = 16;
  device::kernels::ProductTally sum;
  std::uint64_t expected = 0;
  std::int64_t right_samples = 0;
  std::vector<std::string> places;
  const std::vector<device::kernels::KnownProduct> patterns = known_products(type, size);
  for (const device::kernels::KnownProduct& known : patterns) {
    multiplication.fill_known(known);
    multiplication.spoil_product();
    multiplication.multiply();
    multiplication.check();
    const Findings found = multiplication.findings();
    expected += multiplication.elements();
    sum.checked += found.tally.checked;
    sum.wrong += found.tally.wrong;
    sum.not_a_number += found.tally.not_a_number;
    sum.infinite += found.tally.infinite;
    right_samples += multiplication.right_samples(samples);
    const std::vector<std::string> more = multiplication.wrong_places(found);
    places.insert(places.end(), more.begin(), more.end());
  }
  context.observe("unchecked_elements", static_cast<std::int64_t>(expected) - static_cast<std::int64_t>(sum.checked));
  context.observe("wrong_elements", sum.wrong);
  if (type.compute != device::ComputeType::int32) {
    context.observe("not_a_number_elements", sum.not_a_number);
    context.observe("infinite_elements", sum.infinite);
  }
  context.observe("wrong_samples", static_cast<std::int64_t>(samples * patterns.size()) - right_samples);
  context.observe("wrong_places", harness::Value(places));
}

}  // namespace

std::size_t launches_of(harness::Context& context, double one_ms) {
  const auto given = context.parameter<std::int64_t>("launches");
  if (given != 0) return static_cast<std::size_t>(given);
  if (context.driver().kind() == "sim") return 6;
  constexpr double wanted_ms = 500;
  const double count = one_ms > 0 ? wanted_ms / one_ms : 0;
  return static_cast<std::size_t>(std::clamp(count, 10.0, 1000.0));
}

void observe_products(harness::Context& context, const ProductType& type) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const std::size_t size = size_of(context);
  Multiplication multiplication(runtime, type, size, stream);
  context.observe("library", harness::Value(multiplication.library()));
  context.observe("size", size);
  observe_random_products(context, multiplication, type, stream);
  observe_known_products(context, multiplication, type, size);
}

harness::Case product_case(std::string name, std::string types, const ProductType& type,
                           void (*run)(harness::Context&)) {
  // The kernels are: 1 and 2 fill in random numbers, 3 and 5 work out digests, 4 holds the stream;
  // then, for each known product, 6 and 7 factors, 8 and 9 operands, 10 the comparison. On a GPU the
  // stream is held once more before 4.
  std::vector<harness::Fault> faults{
      {.name = "same_wrong_product",
       .summary = "each product has the same wrong element",
       .plan = fault::product_flips_bit(fault::every_call)},
      {.name = "wrong_low_bit",
       .summary = "each product has one element that is wrong in its last bit",
       .plan = fault::product_flips_low_bit(fault::every_call)},
      {.name = "wrong_now_and_then",
       .summary = "one product of many has an element that is wrong in its last bit",
       .plan = fault::product_flips_low_bit(fault::nth_call(1))},
      {.name = "lost_products",
       .summary = "nothing is ever multiplied",
       .plan = fault::product_lost(fault::every_call)},
      {.name = "slow_products",
       .summary = "each product takes a tenth of a second longer",
       .plan = fault::product_delayed(fault::every_call, std::chrono::milliseconds(100))},
      {.name = "failed_product", .summary = "the library fails", .plan = fault::product_fails(fault::nth_call(2))},
      {.name = "comparison_lost",
       .summary = "no product is compared with what is known",
       .plan = fault::kernel_lost(fault::from_call(10))},
      {.name = "times_unknown",
       .summary = "no time passes between events",
       .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
  };
  if (type.compute != device::ComputeType::int32) {
    faults.push_back({.name = "not_finite",
                      .summary = "each product has an element that is not a number, and an infinite one",
                      .plan = fault::product_not_finite(fault::every_call)});
  }
  return {
      .name = std::move(name),
      .summary =
          "Products of matrices of " + std::move(types) + " are right to the last bit, and as fast as they can be",
      .source = "gpu-burn; DCGM diagnostic",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {size_parameter(),
                     {.name = "launches",
                      .summary = "products that are timed; 0: as many as take half a second on a GPU, 6 on the "
                                 "simulated device",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 100000}},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_gemm
