#include <fmt/format.h>

#include "cases/serial/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"

namespace gpucheck::cases::in_serial::array_with_empty {
namespace {

using tensor::Tensor;
using tensor::files::List;
using tensor::files::Object;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Tensor x = to(normal_numbers({4, 4}, context.seed()), runtime);
  const Tensor empty = tensor::empty({0}, DType::float32, runtime);
  const std::vector<std::uint32_t> x_bits = elements_of<std::uint32_t>(x);

  const Object loaded = through_file(List{{x, empty}}, context);
  const std::vector<Object>& copies = loaded.as<List>().items;
  const auto& x_copy = copies.at(0).as<Tensor>();
  const auto& empty_copy = copies.at(1).as<Tensor>();
  context.observe("kinds", harness::Value(kind_of(x_copy, runtime) + "; " + kind_of(empty_copy, runtime)));
  context.observe("x_kept", elements_of<std::uint32_t>(x_copy) == x_bits);
}

}  // namespace

harness::Case define() {
  return {
      .name = "serial.array_with_empty",
      .summary = "A list with a tensor and an empty one comes back from a file to the device that it was on",
      .source = "test_cuda.py::TestCuda::test_serialization_array_with_empty",
      .faults = {{.name = "flipped_bit_when_saved",
                  .summary = "one bit flips in the copy out of device memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(3))},
                 {.name = "lost_copy_when_loaded",
                  .summary = "the copy into device memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(4))},
                 {.name = "loaded_elsewhere",
                  .summary = "the driver does not know the loaded tensor's memory",
                  .plan =
                      fault::broken(fault::Operation::pointer_info, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_serial::array_with_empty
