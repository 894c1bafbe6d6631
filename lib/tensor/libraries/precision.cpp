#include "tensor/libraries/precision.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace gpucheck::tensor {
namespace {

constexpr std::array<std::string_view, 3> precision_names{"highest", "high", "medium"};

/// A value that threads share. Settings are read once for a product, which takes far longer.
template <typename T>
class Guarded {
 public:
  explicit Guarded(const T& value) noexcept : value_(value) {}
  [[nodiscard]] T get() const noexcept {
    const std::scoped_lock lock(mutex_);
    return value_;
  }
  template <typename Change>
  T change(const Change& change) {
    const std::scoped_lock lock(mutex_);
    const T before = value_;
    T changed = value_;
    change(changed);
    value_ = changed;
    return before;
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

Guarded<MatmulSettings>& matmul() {
  static Guarded<MatmulSettings> settings(
      default_matmul_settings(std::getenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")));  // NOLINT(concurrency-mt-unsafe)
  return settings;
}

Guarded<CudnnSettings>& cudnn() {
  static Guarded<CudnnSettings> settings(CudnnSettings{});
  return settings;
}

}  // namespace

std::string_view to_text(MatmulPrecision precision) noexcept {
  return precision_names[static_cast<std::size_t>(precision)];
}

std::optional<MatmulPrecision> parse_matmul_precision(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found = std::ranges::find(precision_names, lower);
  if (found == precision_names.end()) return std::nullopt;
  return static_cast<MatmulPrecision>(found - precision_names.begin());
}

MatmulSettings default_matmul_settings(const char* tf32_override) noexcept {
  MatmulSettings settings;
  const bool is_overridden = tf32_override != nullptr && std::strcmp(tf32_override, "1") == 0;
  if (is_overridden) settings.float32_precision = MatmulPrecision::high;
  return settings;
}

MatmulSettings matmul_settings() noexcept { return matmul().get(); }
void set_matmul_settings(const MatmulSettings& settings) noexcept {
  matmul().change([&](MatmulSettings& changed) { changed = settings; });
}
void change_matmul_settings(const std::function<void(MatmulSettings&)>& change) { matmul().change(change); }

bool allow_tf32() noexcept { return matmul_settings().allow_tf32(); }
void set_allow_tf32(bool allow) {
  set_float32_matmul_precision(allow ? MatmulPrecision::high : MatmulPrecision::highest);
}
MatmulPrecision float32_matmul_precision() noexcept { return matmul_settings().float32_precision; }
void set_float32_matmul_precision(MatmulPrecision precision) {
  matmul().change([&](MatmulSettings& changed) { changed.float32_precision = precision; });
}
bool allow_fp16_reduced_precision_reduction() noexcept {
  return matmul_settings().allow_fp16_reduced_precision_reduction;
}
void set_allow_fp16_reduced_precision_reduction(bool allow) {
  matmul().change([&](MatmulSettings& changed) { changed.allow_fp16_reduced_precision_reduction = allow; });
}
bool allow_bf16_reduced_precision_reduction() noexcept {
  return matmul_settings().allow_bf16_reduced_precision_reduction;
}
void set_allow_bf16_reduced_precision_reduction(bool allow) {
  matmul().change([&](MatmulSettings& changed) { changed.allow_bf16_reduced_precision_reduction = allow; });
}

CudnnSettings cudnn_settings() noexcept { return cudnn().get(); }
void set_cudnn_settings(const CudnnSettings& settings) noexcept {
  cudnn().change([&](CudnnSettings& changed) { changed = settings; });
}

CudnnScope::CudnnScope(const CudnnChanges& changes) noexcept
    : before_(cudnn().change([&](CudnnSettings& changed) {
        changed.enabled = changes.enabled.value_or(changed.enabled);
        changed.benchmark = changes.benchmark.value_or(changed.benchmark);
        changed.benchmark_limit = changes.benchmark_limit.value_or(changed.benchmark_limit);
        changed.deterministic = changes.deterministic.value_or(changed.deterministic);
        changed.allow_tf32 = changes.allow_tf32.value_or(changed.allow_tf32);
      })) {}

}  // namespace gpucheck::tensor
