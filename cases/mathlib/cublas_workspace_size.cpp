#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/libraries/workspaces.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/products/products.hpp"

namespace gpucheck::cases::in_mathlib::cublas_workspace_size {
namespace {

// What the test that the case stands for has as defaults.
constexpr std::int64_t default_bytes = (4096 * 2 + 16 * 8) * 1024;
constexpr std::int64_t default_bytes_of_hopper = 4096 * 8 * 1024;

constexpr std::int64_t size = 7;

/// The environment's configuration afterwards.
class ConfigScope {
 public:
  explicit ConfigScope(runtime::Runtime& runtime) : runtime_(runtime) {}
  ~ConfigScope() { tensor::set_workspace_config(runtime_, std::nullopt); }
  ConfigScope(const ConfigScope&) = delete;
  ConfigScope& operator=(const ConfigScope&) = delete;

 private:
  runtime::Runtime& runtime_;
};

std::int64_t active_bytes(runtime::Runtime& runtime) { return runtime.allocator().stats().active_bytes.all.current; }

struct Growth {
  std::int64_t first = 0;   ///< by a product, with its result
  std::int64_t second = 0;  ///< by the next one
  std::int64_t left = 0;    ///< once the results and workspaces are gone
  std::int64_t wrong_elements = 0;
};

/// What products add to the active bytes where there is no workspace yet.
Growth growth_with(runtime::Runtime& runtime, const std::string& config, DType dtype) {
  tensor::set_workspace_config(runtime, config);
  tensor::clear_workspaces(runtime);
  const tensor::Tensor ones = tensor::ones({size, size}, dtype, runtime);
  const std::int64_t before = active_bytes(runtime);
  Growth growth;
  {
    const tensor::Tensor first = tensor::mm(ones, ones);
    const std::int64_t after = active_bytes(runtime);
    growth.first = after - before;
    const tensor::Tensor second = tensor::mm(ones, ones);
    growth.second = active_bytes(runtime) - after;
    growth.wrong_elements = elements_unlike(second, static_cast<double>(size));
  }
  tensor::clear_workspaces(runtime);
  growth.left = active_bytes(runtime) - before;
  return growth;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const ConfigScope restored(runtime);
  const device::DeviceProperties& properties = context.device().properties();
  const bool is_hopper = properties.compute_capability_major == 9 && properties.compute_capability_minor == 0;
  const std::int64_t expected = is_hopper ? default_bytes_of_hopper : default_bytes;
  const Growth without_config = growth_with(runtime, "", DType::float32);
  const Growth with_bad_config = growth_with(runtime, "-1", DType::float32);
  context.observe("bytes_beyond_the_default_without_a_config", without_config.first - expected);
  context.observe("bytes_beyond_the_default_with_a_bad_config", with_bad_config.first - expected);
  std::vector<std::int64_t> bytes;
  std::int64_t second = 0;
  std::int64_t left = std::max(without_config.left, with_bad_config.left);
  std::int64_t wrong = 0;
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
    const Growth growth = growth_with(runtime, ":128:8:64:16:32:32", dtype);
    bytes.push_back(growth.first);
    second = std::max(second, growth.second);
    left = std::max(left, growth.left);
    wrong += growth.wrong_elements;
  }
  context.observe("bytes_with_a_config", bytes);
  context.observe("bytes_of_the_next_product", second);
  context.observe("bytes_left", left);
  context.observe("wrong_elements", wrong);
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.cublas_workspace_size",
      .summary =
          "The first product takes a workspace of the configured size from the allocator, and clearing returns it",
      .source = "test_cuda.py::TestCuda::test_cublas_workspace_explicit_allocation",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "flipped_bit",
                  .summary = "the products have a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::cublas_workspace_size
