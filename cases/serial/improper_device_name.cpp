#include "cases/serial/support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::cases::in_serial::improper_device_name {
namespace {

using tensor::Tensor;
using tensor::files::List;
using tensor::files::Parameter;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::Machine machine = machine_of(context);
  const Tensor x = to(normal_numbers({10, 10}, context.seed()), runtime);
  TemporaryFile file;
  const auto load = [&](const char* name) {
    return tensor::files::load(file.path(), {.machine = machine, .map_location = std::string(name)});
  };
  context.observe("error", harness::Value(error_text<Error>([&] {
                    tensor::files::save(List{{Parameter{x}}}, file.path());
                    static_cast<void>(load("cuda0"));
                  })));
  // The file is a good one: it is the name that was refused.
  context.observe("loaded_by_a_proper_name", harness::Value(error_text<Error>([&] {
                    const auto loaded = load("cuda").as<List>();
                    const Tensor& copy = loaded.items.at(0).as<Parameter>().data;
                    if (elements_of<std::uint32_t>(copy) != elements_of<std::uint32_t>(x))
                      throw Error("other elements");
                  })));
  context.observe("file_removed", file.remove());
}

}  // namespace

harness::Case define() {
  return {
      .name = "serial.improper_device_name",
      .summary = "A saved parameter is not loaded to a device whose name is none",
      .source = "test_cuda.py::TestCuda::test_specify_improper_device_name",
      .faults = {{.name = "failing_copy",
                  .summary = "the copy out of device memory fails when the parameter is saved",
                  .plan = fault::failing(fault::Operation::copy, device::Status::launch_failure, fault::nth_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the copy into device memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_serial::improper_device_name
