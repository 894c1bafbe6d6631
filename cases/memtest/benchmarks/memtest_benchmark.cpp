#include <algorithm>
#include <benchmark/benchmark.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cases/memtest/support.hpp"
#include "device/cuda/benchmarks/bare_memory.hpp"
#include "tensor/benchmarks/gpu.hpp"

/// The passes of memory tests beside plain loops over the same memory, each in the shape that is fastest on this
/// device, in the same run: `verify_of_loop` beside a loop that only reads, `update_of_loop` beside one that reads,
/// compares with a word and writes its complement in place.
namespace {

using namespace gpucheck;
using namespace gpucheck::cases::in_memtest;
namespace bare = gpucheck::cuda::benchmarks;
namespace kernels = gpucheck::device::kernels;

struct Machine {
  explicit Machine(std::unique_ptr<device::Driver> made) : driver(std::move(made)), device(driver->open(0).value()) {}

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device;
  runtime::Runtime runtime{*device};
  device::UniqueStream stream =
      device::own<device::UniqueStream>(*device, device->create_stream(device::StreamKind::non_blocking, 0));
  device::UniqueEvent start =
      device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));
  device::UniqueEvent stop = device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));

  /// Milliseconds that `work` takes on the stream.
  double milliseconds(const std::function<bool()>& work) {
    device::check(device->record(start.get(), stream.get()), "record");
    if (!work()) throw Error("a plain loop does not run");
    device::check(device->record(stop.get(), stream.get()), "record");
    device::check(device->synchronize(stream.get()), "synchronize");
    return static_cast<double>(device->elapsed_ms(start.get(), stop.get()).value());
  }
};

/// The least median of three runs that any shape takes.
double fastest_ms(Machine& machine, const std::function<bool(const bare::LoopShape&)>& loop) {
  double fastest = 1e300;
  for (const unsigned loads : {1U, 2U, 4U, 8U}) {
    for (const unsigned threads : {256U, 512U, 1024U}) {
      for (const unsigned waves : {0U, 1U, 4U}) {
        const auto once = [&] { return machine.milliseconds([&] { return loop({loads, threads, waves}); }); };
        std::vector<double> times{once(), once(), once()};
        std::ranges::sort(times);
        fastest = std::min(fastest, times[1]);
      }
    }
  }
  return fastest;
}

std::unique_ptr<device::Driver> gpu() {
  auto driver = benchmarks::make_gpu_driver();
  const auto count = driver->device_count();
  return count && *count > 0 ? std::move(driver) : nullptr;
}

template <typename Pattern>
void passes(benchmark::State& state, const Pattern& pattern) {
  std::unique_ptr<device::Driver> driver = gpu();
  if (driver == nullptr) return state.SkipWithError("no GPU");
  Machine machine(std::move(driver));
  const auto bytes = static_cast<std::uint64_t>(state.range(0));
  const HeldMemory held(*machine.device, bytes);
  if (held.stretches().size() != 1 || held.bytes() != bytes) return state.SkipWithError("not that much memory");
  auto counter = device::own<device::UniqueDeviceMemory>(*machine.device, machine.device->allocate(8));
  void* const data = held.stretches().front().data;
  auto* const count = static_cast<std::uint64_t*>(counter.get());

  const double read_ms = fastest_ms(machine, [&](const bare::LoopShape& shape) {
    return bare::read_bare(shape, data, bytes, count, machine.stream.get());
  });
  std::uint64_t word = 0;
  const double invert_ms = fastest_ms(machine, [&](const bare::LoopShape& shape) {
    word = ~word;
    return bare::invert_bare(shape, data, bytes, word, count, machine.stream.get());
  });
  Traffic verify;
  Traffic replace;
  for (auto _ : state) {
    Passes timed(machine.runtime, machine.stream.get(), 2);
    timed.invert(held.stretches(), pattern);
    const Findings findings = timed.finish();
    if (findings.log.mismatches != 0) return state.SkipWithError("the memory is broken");
    state.SetIterationTime((findings.write.ms + findings.verify.ms + findings.replace.ms) / 1e3);
    for (auto [sum, one] : {std::pair{&verify, &findings.verify}, std::pair{&replace, &findings.replace}}) {
      sum->bytes += one->bytes;
      sum->ms += one->ms;
    }
  }
  const Traffic read{bytes, read_ms};
  const Traffic invert{2 * bytes, invert_ms};
  state.counters["read_GBps"] = read.gbps();
  state.counters["invert_GBps"] = invert.gbps();
  state.counters["verify_GBps"] = verify.gbps();
  state.counters["update_GBps"] = replace.gbps();
  state.counters["verify_of_loop"] = verify.gbps() / read.gbps();
  state.counters["update_of_loop"] = replace.gbps() / invert.gbps();
}

constexpr std::int64_t four_gib = std::int64_t{4} << 30;

BENCHMARK_CAPTURE(passes, repeated_word, kernels::RepeatedWord{1})->Arg(four_gib)->Arg(8 * four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, own_address, kernels::OwnAddress{})->Arg(four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, turning_word, kernels::TurningWord{1, 0})->Arg(four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, turning_half_word, kernels::TurningHalfWord{1, 0})->Arg(four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, every_twentieth_word, kernels::EveryTwentiethWord{1, 0})->Arg(four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, numbered_blocks, kernels::NumberedBlocks{1})->Arg(four_gib)->UseManualTime();
BENCHMARK_CAPTURE(passes, random_words, kernels::RandomWords{kernels::PhiloxKeys(1)})->Arg(four_gib)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
