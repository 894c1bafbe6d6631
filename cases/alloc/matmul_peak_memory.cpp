#include <algorithm>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_alloc::matmul_peak_memory {
namespace {

using tensor::contiguous_layout;
using tensor::View;

constexpr std::size_t matrices = 24;
constexpr std::size_t size = 32;

/// Small whole numbers, without a pattern that the shapes share: products are exact.
std::vector<float> numbers(std::size_t count, std::size_t factor) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i * factor % 17) - 8.0F;
  return result;
}

/// Column n of the result is the one matrix times column n of `columns`.
std::vector<float> expected_products(const std::vector<float>& matrix, const std::vector<float>& columns) {
  std::vector<float> result;
  for (std::size_t n = 0; n < matrices; ++n) {
    for (std::size_t row = 0; row < size; ++row) {
      float sum = 0.0F;
      for (std::size_t i = 0; i < size; ++i) sum += matrix[row * size + i] * columns[n * size + i];
      result.push_back(sum);
    }
  }
  return result;
}

/// Peak of allocated bytes of one product, operands included, and how much of it is right.
template <typename Multiply>
void observe_product(harness::Context& context, const std::string& name, const std::vector<float>& expected,
                     Multiply&& multiply) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().reset_peak_stats();
  runtime::Buffer<float> product = multiply();
  context.observe(name + "_peak_bytes", runtime.allocator().stats().allocated_bytes.all.peak);
  const std::vector<float> seen = read(runtime, product.data(), product.size(), runtime.current_stream());
  std::int64_t right = 0;
  for (std::size_t i = 0; i < std::min(seen.size(), expected.size()); ++i) right += seen[i] == expected[i] ? 1 : 0;
  context.observe(name + "_right_elements", right);
  // The next product may get the same memory: it must not find this one there.
  tensor::ops::fill(runtime, product.data(), product.size(), -1.0F, runtime.current_stream());
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const std::vector<float> matrix = numbers(size * size, 5);
  const std::vector<float> columns = numbers(matrices * size, 7);
  const std::vector<float> expected = expected_products(matrix, columns);
  runtime::Buffer<float> a_memory(runtime, matrix.size(), stream);
  runtime::Buffer<float> b_memory(runtime, columns.size(), stream);
  write(runtime, a_memory.data(), matrix, stream);
  write(runtime, b_memory.data(), columns, stream);

  const View<const float> a{a_memory.data(), contiguous_layout({1, size, size})};
  const View<const float> b{b_memory.data(), contiguous_layout({matrices, size, 1})};
  const View<const float> expanded{a_memory.data(), tensor::expand_layout(a.layout, {matrices, size, size})};
  observe_product(context, "matmul", expected, [&] { return tensor::ops::matmul(runtime, a, b, stream); });
  observe_product(context, "matmul_expanded", expected,
                  [&] { return tensor::ops::matmul(runtime, expanded, b, stream); });
  observe_product(context, "bmm_expanded", expected, [&] { return tensor::ops::bmm(runtime, expanded, b, stream); });
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.matmul_peak_memory",
      .summary = "One matrix times many needs no memory for copies of it, and gives the right products",
      .source = "test_cuda.py::TestCuda::test_matmul_memory_use",
      .faults = {{.name = "lost_product",
                  .summary = "the second product is never worked out",
                  .plan = fault::kernel_lost(fault::nth_call(3))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the last product flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(5))},
                 {.name = "lost_operand",
                  .summary = "the columns never arrive at the device",
                  .plan = fault::copy_lost(fault::nth_call(2))},
                 {.name = "operand_altered",
                  .summary = "one bit of the matrix flips on its way to the device",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::matmul_peak_memory
