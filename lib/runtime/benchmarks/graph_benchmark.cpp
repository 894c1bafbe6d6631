#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cuda/benchmarks/bare_graphs.hpp"
#include "device/driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "tensor/benchmarks/gpu.hpp"

/// Host cost of the runtime's graphs. On a GPU in turns with the vendor's calls for the same
/// graph; `ratio` is the runtime's median over theirs, `above_us` what it takes longer. On the simulated device what a
/// node costs, which must not grow with the graph.
namespace {

using namespace gpucheck;
using Clock = std::chrono::steady_clock;
using Fill = device::kernels::Fill<std::int32_t>;

struct Machine {
  explicit Machine(std::unique_ptr<device::Driver> made) : driver(std::move(made)), device(driver->open(0).value()) {
    runtime.set_current_stream(stream);
  }

  /// As many nodes as asked for, each of which fills the one value.
  void capture(runtime::Graph& graph, std::size_t nodes) {
    graph.capture_begin();
    for (std::size_t i = 0; i < nodes; ++i) device::check(device::launch(*device, fill, 1, stream), Fill::name);
    graph.capture_end();
  }
  void synchronize() { device::check(device->synchronize(stream), "synchronize"); }

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device;
  runtime::Runtime runtime{*device};
  device::Stream stream = runtime.streams().next();
  runtime::Buffer<std::int32_t> value{runtime, 1, stream};
  Fill fill{value.data(), 1};
  device::KernelLaunch launch{.kernel = &device::kernels::kernel<Fill>, .functor = &fill, .count = 1, .accesses = {}};
};

/// Null where there is no GPU.
std::unique_ptr<Machine> gpu() {
  auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr) return nullptr;
  const auto count = driver->device_count();
  return count && *count > 0 ? std::make_unique<Machine>(std::move(driver)) : nullptr;
}

template <typename Work>
double seconds(Work work) {
  const auto before = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - before).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times both in turns; `times` is how often each does its work.
template <typename Ours, typename Bare>
void compare(benchmark::State& state, double times, Ours ours, Bare bare) {
  std::vector<double> ours_seconds;
  std::vector<double> bare_seconds;
  for (auto _ : state) {
    bare_seconds.push_back(bare());
    ours_seconds.push_back(ours());
    state.SetIterationTime(ours_seconds.back());
  }
  state.counters["runtime_us"] = median(ours_seconds) / times * 1e6;
  state.counters["bare_us"] = median(bare_seconds) / times * 1e6;
  state.counters["above_us"] = (median(ours_seconds) - median(bare_seconds)) / times * 1e6;
  state.counters["ratio"] = median(ours_seconds) / median(bare_seconds);
}

/// The runtime's replay beside cudaGraphLaunch of the very same executable.
void replay_on_gpu(benchmark::State& state) {
  constexpr int times = 20;  // few enough that no launch waits for those before it
  const auto machine = gpu();
  if (machine == nullptr) return state.SkipWithError("no GPU, or a build without CUDA");
  runtime::Graph graph(machine->runtime, {.keep_graph = true});
  machine->capture(graph, static_cast<std::size_t>(state.range(0)));
  graph.replay();
  machine->synchronize();
  const auto timed = [&](auto launch) {
    const double spent = seconds([&] {
      for (int i = 0; i < times; ++i) launch();
    });
    machine->synchronize();
    return spent;
  };
  compare(
      state, times, [&] { return timed([&] { graph.replay(); }); },
      [&] { return timed([&] { cuda::benchmarks::launch_bare(graph.raw_executable(), machine->stream); }); });
}
BENCHMARK(replay_on_gpu)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Iterations(300)->UseManualTime();

/// From the beginning of a capture to the executable, made with the same flags. The runtime also makes
/// the graph a pool of device and of pinned memory, registers it with a generator, and counts its nodes.
void capture_on_gpu(benchmark::State& state) {
  const auto machine = gpu();
  if (machine == nullptr) return state.SkipWithError("no GPU, or a build without CUDA");
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto ours = [&] {
    runtime::Graph graph(machine->runtime);
    return seconds([&] { machine->capture(graph, nodes); });
  };
  const auto bare = [&] {
    device::GraphExec executable;
    const double spent =
        seconds([&] { executable = cuda::benchmarks::capture_bare(machine->launch, nodes, machine->stream); });
    cuda::benchmarks::destroy_bare(executable);
    return spent;
  };
  for (int i = 0; i < 3; ++i) static_cast<void>(ours() + bare());  // not timed: memory from the device, code to it
  compare(state, 1, ours, bare);
}
BENCHMARK(capture_on_gpu)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Iterations(100)->UseManualTime();

void capture_on_simulator(benchmark::State& state) {
  Machine machine(sim::make_driver({.profile = sim::profile("h100")}));
  for (auto _ : state) {
    runtime::Graph graph(machine.runtime);
    machine.capture(graph, static_cast<std::size_t>(state.range(0)));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(capture_on_simulator)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000);

/// Forks and joins over and over: a third of the nodes on a second stream.
void forked_replay_on_simulator(benchmark::State& state) {
  Machine machine(sim::make_driver({.profile = sim::profile("h100")}));
  device::Device& device = *machine.device;
  const device::Stream branch = machine.runtime.streams().next();
  runtime::Buffer<std::int32_t> other(machine.runtime, 1, branch);
  const Fill fill_other{other.data(), 2};
  const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  const auto order = [&](device::Stream later, device::Stream earlier) {
    device::check(device.record(event.get(), earlier), "record");
    device::check(device.wait(later, event.get()), "wait");
  };
  runtime::Graph graph(machine.runtime);
  graph.capture_begin();
  for (std::int64_t node = 0; node < state.range(0); node += 3) {
    device::check(device::launch(device, machine.fill, 1, machine.stream), Fill::name);
    order(branch, machine.stream);
    device::check(device::launch(device, machine.fill, 1, machine.stream), Fill::name);
    device::check(device::launch(device, fill_other, 1, branch), Fill::name);
    order(machine.stream, branch);
  }
  graph.capture_end();
  for (auto _ : state) {
    graph.replay();
    machine.synchronize();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(forked_replay_on_simulator)->Arg(300)->Arg(3'000)->Arg(30'000);

void replay_on_simulator(benchmark::State& state) {
  Machine machine(sim::make_driver({.profile = sim::profile("h100")}));
  runtime::Graph graph(machine.runtime);
  machine.capture(graph, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    graph.replay();
    machine.synchronize();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(replay_on_simulator)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000);

}  // namespace

BENCHMARK_MAIN();
