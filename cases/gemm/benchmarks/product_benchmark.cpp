#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>

#include "cases/shared/kernels/products.hpp"
#include "device/cuda/benchmarks/bare_products.hpp"
#include "device/cuda/cuda_driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"

/// Products through the seam beside a bare cuBLASLt loop over the same matrices of random numbers,
/// in turns and back to back. Times are the device's own.
namespace {

using namespace gpucheck;
using device::ComputeType;
using device::ElementType;
using device::UniqueDeviceMemory;
namespace kernels = device::kernels;

constexpr std::int64_t size = 8192;
constexpr std::uint64_t workspace_bytes = std::uint64_t{64} << 20;
constexpr int turn = 10;  // products at a time

struct Machine {
  std::unique_ptr<device::Driver> driver = cuda::make_driver();
  std::unique_ptr<device::Device> device = driver->open(0).value();
  device::UniqueStream stream =
      device::own<device::UniqueStream>(*device, device->create_stream(device::StreamKind::non_blocking, 0));
  device::UniqueEvent start =
      device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));
  device::UniqueEvent stop = device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));

  UniqueDeviceMemory memory(std::size_t bytes) const {
    return device::own<UniqueDeviceMemory>(*device, device->allocate(bytes));
  }
  /// Seconds that a turn takes on a stream that is held until all of it is queued.
  template <typename Multiply>
  double seconds(Multiply multiply) const {
    device::check(device::launch(*device, kernels::Spin{2'000'000}, 1, stream.get()), "spin");
    device::check(device->record(start.get(), stream.get()), "record");
    for (int i = 0; i < turn; ++i) multiply();
    device::check(device->record(stop.get(), stream.get()), "record");
    device::check(device->synchronize(stream.get()), "synchronize");
    return static_cast<double>(device->elapsed_ms(start.get(), stop.get()).value()) / 1e3;
  }
};

template <typename A, typename B>
void products(benchmark::State& state, ElementType a, ElementType b, ElementType d, ComputeType compute) {
  const Machine machine;
  device::Device& device = *machine.device;
  const device::MatrixProduct product{.m = size,
                                      .n = size,
                                      .k = size,
                                      .transpose_a = true,
                                      .leading_a = size,
                                      .leading_b = size,
                                      .leading_d = size,
                                      .a = a,
                                      .b = b,
                                      .d = d,
                                      .compute = compute,
                                      .fast_accumulation = sizeof(A) == 1 && d == ElementType::bf16};
  const auto elements = static_cast<std::size_t>(size * size);
  const UniqueDeviceMemory memory_a = machine.memory(elements * sizeof(A));
  const UniqueDeviceMemory memory_b = machine.memory(elements * sizeof(B));
  const UniqueDeviceMemory memory_d = machine.memory(elements * device::element_bytes(d));
  const UniqueDeviceMemory workspace = machine.memory(workspace_bytes);
  const device::Stream stream = machine.stream.get();
  device::check(device::launch(device, kernels::FillNormal<A>{static_cast<A*>(memory_a.get()), 1}, elements, stream),
                "fill_normal");
  device::check(device::launch(device, kernels::FillNormal<B>{static_cast<B*>(memory_b.get()), 2}, elements, stream),
                "fill_normal");
  const device::ProductOperands operands{.a = memory_a.get(),
                                         .b = memory_b.get(),
                                         .d = memory_d.get(),
                                         .workspace = workspace.get(),
                                         .workspace_bytes = workspace_bytes};
  const device::ProductAlgorithm algorithm = device.choose_algorithm(product, workspace_bytes).value();
  cuda::benchmarks::BareProduct bare(product, workspace_bytes);
  const auto ours = [&] { device::check(device.multiply(product, algorithm, operands, stream), "multiply"); };
  const auto theirs = [&] { bare.multiply(operands, stream); };
  static_cast<void>(machine.seconds(ours));  // not timed: code to the device
  static_cast<void>(machine.seconds(theirs));
  double our_seconds = 0;
  double their_seconds = 0;
  for (auto _ : state) {
    const double seconds = machine.seconds(ours);
    state.SetIterationTime(seconds);
    our_seconds += seconds;
    their_seconds += machine.seconds(theirs);
  }
  const double operations = 2.0 * size * size * size * turn * static_cast<double>(state.iterations());
  state.counters["tflops"] = operations / our_seconds / 1e12;
  state.counters["bare_tflops"] = operations / their_seconds / 1e12;
  state.counters["of_bare"] = their_seconds / our_seconds;
}

void fp64(benchmark::State& state) {
  products<double, double>(state, ElementType::fp64, ElementType::fp64, ElementType::fp64, ComputeType::fp64);
}
void fp32(benchmark::State& state) {
  products<float, float>(state, ElementType::fp32, ElementType::fp32, ElementType::fp32, ComputeType::fp32);
}
void tf32(benchmark::State& state) {
  products<float, float>(state, ElementType::fp32, ElementType::fp32, ElementType::fp32, ComputeType::tf32);
}
void fp16(benchmark::State& state) {
  products<kernels::Half, kernels::Half>(state, ElementType::fp16, ElementType::fp16, ElementType::fp16,
                                         ComputeType::fp32);
}
void bf16(benchmark::State& state) {
  products<kernels::BFloat16, kernels::BFloat16>(state, ElementType::bf16, ElementType::bf16, ElementType::bf16,
                                                 ComputeType::fp32);
}
void fp8_e4m3(benchmark::State& state) {
  products<kernels::Float8E4M3, kernels::Float8E4M3>(state, ElementType::fp8_e4m3, ElementType::fp8_e4m3,
                                                     ElementType::bf16, ComputeType::fp32);
}
void fp8_e5m2(benchmark::State& state) {
  products<kernels::Float8E5M2, kernels::Float8E4M3>(state, ElementType::fp8_e5m2, ElementType::fp8_e4m3,
                                                     ElementType::bf16, ComputeType::fp32);
}
void int8(benchmark::State& state) {
  products<std::int8_t, std::int8_t>(state, ElementType::int8, ElementType::int8, ElementType::int32,
                                     ComputeType::int32);
}

BENCHMARK(fp64)->UseManualTime();
BENCHMARK(fp32)->UseManualTime();
BENCHMARK(tf32)->UseManualTime();
BENCHMARK(fp16)->UseManualTime();
BENCHMARK(bf16)->UseManualTime();
BENCHMARK(fp8_e4m3)->UseManualTime();
BENCHMARK(fp8_e5m2)->UseManualTime();
BENCHMARK(int8)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
