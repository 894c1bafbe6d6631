#include <fmt/format.h>

#include "cases/serial/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"

namespace gpucheck::cases::in_serial::array_with_storage {
namespace {

using tensor::Tensor;
using tensor::files::List;
using tensor::files::Object;
using tensor::files::TypedStorage;

/// A storage as the row of elements that it is.
Tensor row_of(const TypedStorage& storage) {
  const auto count = static_cast<std::int64_t>(storage.count());
  return {storage.storage, storage.dtype, {.sizes = {count}, .strides = {1}, .offset = 0}};
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Tensor x = to(normal_numbers({5, 5}, context.seed()), runtime);
  const Tensor y = to(tensor::zeros({2, 5}, DType::int32), runtime);
  const std::vector<std::uint32_t> x_bits = elements_of<std::uint32_t>(x);

  const Object loaded = through_file(List{{x, y, x, TypedStorage{y.storage(), y.dtype()}}}, context);
  const std::vector<Object>& copies = loaded.as<List>().items;
  const auto& x_copy = copies.at(0).as<Tensor>();
  const auto& y_copy = copies.at(1).as<Tensor>();
  const auto& second_x_copy = copies.at(2).as<Tensor>();
  const Tensor storage_copy = row_of(copies.at(3).as<TypedStorage>());
  context.observe("kinds", harness::Value(fmt::format("{}; {}; {}; storage of {}", kind_of(x_copy, runtime),
                                                      kind_of(y_copy, runtime), kind_of(second_x_copy, runtime),
                                                      kind_of(storage_copy, runtime))));
  context.observe("x_kept",
                  elements_of<std::uint32_t>(x_copy) == x_bits && elements_of<std::uint32_t>(second_x_copy) == x_bits);
  const std::vector<std::int32_t> zeros(10, 0);
  context.observe("y_kept", elements_of<std::int32_t>(y_copy) == zeros);
  context.observe("storage_kept", elements_of<std::int32_t>(storage_copy) == zeros);

  tensor::fill_(x_copy, 5);
  const std::vector<std::uint32_t> fives(25, 0x40A00000);  // the bits of 5.0F
  context.observe("x_copies_are_one", elements_of<std::uint32_t>(second_x_copy) == fives);
  tensor::fill_(y_copy, 10);
  context.observe("storage_is_the_tensors",
                  elements_of<std::int32_t>(storage_copy) == std::vector<std::int32_t>(10, 10));
}

}  // namespace

harness::Case define() {
  return {
      .name = "serial.array_with_storage",
      .summary = "A list with a tensor twice, another one and its storage comes back from a file with what they share",
      .source = "test_cuda.py::TestCuda::test_serialization_array_with_storage",
      .faults = {{.name = "flipped_bit_of_x",
                  .summary = "one bit flips in the copy of x out of device memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(4))},
                 {.name = "flipped_bit_of_y",
                  .summary = "one bit flips in the copy of y into device memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(7))},
                 {.name = "loaded_elsewhere",
                  .summary = "the driver does not know the loaded storage's memory",
                  .plan =
                      fault::broken(fault::Operation::pointer_info, fault::Effect::wrong_answer, fault::nth_call(4))},
                 {.name = "lost_fill_of_x",
                  .summary = "the loaded tensor never becomes 5",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "lost_fill_of_y",
                  .summary = "the loaded tensor never becomes 10",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_serial::array_with_storage
