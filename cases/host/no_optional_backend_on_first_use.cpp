#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/random/distributions.hpp"

namespace gpucheck::cases::in_host::no_optional_backend_on_first_use {
namespace {

constexpr std::size_t element_count = 2;

/// Names of libraries that only some work needs: code generators, mathematics,
/// collectives, telemetry.
constexpr std::array<std::string_view, 9> optional_libraries{"libnvrtc",    "libnvJitLink", "libcublas",
                                                             "libcudnn",    "libcusparse",  "libcufft",
                                                             "libcusolver", "libnccl",      "libnvidia-ml"};

/// The optional libraries among the files mapped into this process, by name.
std::set<std::string> loaded_optional_libraries() {
  std::set<std::string> loaded;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.rfind('/');
    const std::string file = slash == std::string::npos ? "" : line.substr(slash + 1);
    for (const std::string_view library : optional_libraries) {
      if (file.find(library) != std::string::npos) loaded.emplace(library);
    }
  }
  return loaded;
}

// In a fresh process: two random numbers made on the device, then what they brought along.
int draw(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Generator generator(runtime, 1);
  const auto numbers = tensor::ops::rand(generator, element_count);
  const std::vector<float> drawn = read(runtime, numbers.data(), element_count, stream);
  fmt::print("{:.6f} {:.6f} [{}]", drawn[0], drawn[1], fmt::join(loaded_optional_libraries(), " "));
  return 0;
}

void run(harness::Context& context) {
  const harness::ChildResult child = context.run_child("draw", std::chrono::seconds(8));
  context.observe("exit_code", child.exit_code.value_or(-child.signal.value_or(0)));
  const std::size_t bracket = child.output.find(" [");
  context.observe("drawn", child.output.substr(0, bracket));
  context.observe("optional_libraries", bracket == std::string::npos ? "unknown" : child.output.substr(bracket + 1));
}

}  // namespace

harness::Case define() {
  return {
      .name = "host.no_optional_backend_on_first_use",
      .summary = "Numbers drawn on the device load no code generator and no library of mathematics or telemetry",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_no_triton_on_import",
      .needs = {.any_device = true},
      .faults = {{.name = "lost_kernel",
                  .summary = "the numbers are never drawn",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "launch_fails",
                  .summary = "the kernel cannot be launched",
                  .plan = fault::failing(fault::Operation::launch_kernel, device::Status::invalid_value,
                                         fault::every_call)}},
      .run = run,
      .children = {{"draw", draw}},
  };
}

}  // namespace gpucheck::cases::in_host::no_optional_backend_on_first_use
