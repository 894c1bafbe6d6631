#include <array>
#include <barrier>
#include <exception>
#include <thread>

#include "cases/shared/mathlib_support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/products/products.hpp"

namespace gpucheck::cases::in_mathlib::cublas_two_threads {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t thread_count = 2;
constexpr int trials = 3;

struct Extent {
  std::int64_t size;
  int products;
};

/// A reference multiplies a hundred thousand times as slowly as a GPU.
Extent extent_on(std::string_view kind) { return kind == "sim" ? Extent{32, 20} : Extent{1024, 100}; }

using Results = std::array<tensor::Tensor, thread_count>;

/// Each thread multiplies its matrix by ones, and divides it by their number, again and again: ones stay ones.
void multiply_in_threads(harness::Context& context, Results& results, const tensor::Tensor& weight,
                         const Extent& extent) {
  runtime::Runtime& runtime = context.runtime();
  std::barrier together(static_cast<std::ptrdiff_t>(thread_count));
  std::array<std::exception_ptr, thread_count> thrown;
  std::array<std::thread, thread_count> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    const device::Stream stream = runtime.streams().next();
    threads[i] = std::thread(guarded(thrown[i], [&, i, stream] {
      const CurrentStreamGuard on_own(runtime, stream);
      // Made on another stream, and given back here while this one still reads it.
      runtime.allocator().record_stream(results[i].data(), stream);
      together.arrive_and_wait();
      for (int turn = 0; turn < extent.products; ++turn) {
        results[i] = tensor::mm(results[i], weight);
        tensor::div_(results[i], static_cast<double>(extent.size));
      }
      runtime.synchronize(stream);
    }));
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

void run(harness::Context& context) {
  const Extent extent = extent_on(context.driver().kind());
  const tensor::Sizes sizes{extent.size, extent.size};
  const tensor::Tensor weight = tensor::ones(sizes, DType::float32, context.runtime());
  std::array<std::int64_t, thread_count> wrong{};
  for (int trial = 0; trial < trials; ++trial) {
    Results results;
    for (tensor::Tensor& result : results) result = tensor::ones(sizes, DType::float32, context.runtime());
    context.runtime().synchronize();
    multiply_in_threads(context, results, weight, extent);
    for (std::size_t i = 0; i < thread_count; ++i) wrong[i] += elements_unlike(results[i], 1);
  }
  context.observe("wrong_elements_of_the_first_thread", wrong[0]);
  context.observe("wrong_elements_of_the_second_thread", wrong[1]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.cublas_two_threads",
      .summary = "Two threads that multiply at the same time, each on its own stream, do not disturb each other",
      .source = "test_cuda.py::TestCuda::test_cublas_multiple_threads_same_device",
      .faults = {{.name = "no_product",
                  .summary = "no product is done",
                  .plan = fault::product_lost(fault::every_call)},
                 {.name = "flipped_bit",
                  .summary = "the products have a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::cublas_two_threads
