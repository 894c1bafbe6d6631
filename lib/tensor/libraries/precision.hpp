#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

/// How exact the libraries of mathematics have to be: PyTorch's settings of `torch.backends`. They are the process's;
/// any thread may read and change them.
namespace gpucheck::tensor {

/// What products of float32 matrices may be computed in: `torch.set_float32_matmul_precision`.
enum class MatmulPrecision : std::uint8_t {
  highest,  ///< float32
  high,     ///< TF32, or sums of several bfloat16
  medium,   ///< bfloat16 as well; PyTorch, and gpucheck, take TF32 on a GPU
};
[[nodiscard]] std::string_view to_text(MatmulPrecision precision) noexcept;
/// The one that the text names, in letters of any size; nothing for another text.
[[nodiscard]] std::optional<MatmulPrecision> parse_matmul_precision(std::string_view text);

/// All settings of cuBLAS.
struct MatmulSettings {
  MatmulPrecision float32_precision = MatmulPrecision::highest;
  /// Whether parts of a sum of 16-bit numbers may meet in their own type.
  bool allow_fp16_reduced_precision_reduction = true;
  bool allow_bf16_reduced_precision_reduction = true;

  [[nodiscard]] bool allow_tf32() const noexcept { return float32_precision != MatmulPrecision::highest; }
  bool operator==(const MatmulSettings&) const noexcept = default;
};

/// What holds where nothing is set: TORCH_ALLOW_TF32_CUBLAS_OVERRIDE is "1" or not.
/// @param tf32_override its text; null where there is none.
[[nodiscard]] MatmulSettings default_matmul_settings(const char* tf32_override) noexcept;

[[nodiscard]] MatmulSettings matmul_settings() noexcept;
void set_matmul_settings(const MatmulSettings& settings) noexcept;
/// Each is read, changed and written while no other thread does so.
void change_matmul_settings(const std::function<void(MatmulSettings&)>& change);

// PyTorch's getters and setters of one each.
[[nodiscard]] bool allow_tf32() noexcept;
void set_allow_tf32(bool allow);
[[nodiscard]] MatmulPrecision float32_matmul_precision() noexcept;
void set_float32_matmul_precision(MatmulPrecision precision);
[[nodiscard]] bool allow_fp16_reduced_precision_reduction() noexcept;
void set_allow_fp16_reduced_precision_reduction(bool allow);
[[nodiscard]] bool allow_bf16_reduced_precision_reduction() noexcept;
void set_allow_bf16_reduced_precision_reduction(bool allow);

/// All settings of cuDNN.
struct CudnnSettings {
  bool enabled = true;
  bool benchmark = false;
  int benchmark_limit = 10;
  bool deterministic = false;
  bool allow_tf32 = true;
  bool operator==(const CudnnSettings&) const noexcept = default;
};

/// Some of them: nothing leaves one as it is.
struct CudnnChanges {
  std::optional<bool> enabled = {};
  std::optional<bool> benchmark = {};
  std::optional<int> benchmark_limit = {};
  std::optional<bool> deterministic = {};
  std::optional<bool> allow_tf32 = {};
};

[[nodiscard]] CudnnSettings cudnn_settings() noexcept;
void set_cudnn_settings(const CudnnSettings& settings) noexcept;

/// Changes some for a scope: `torch.backends.cudnn.flags`. Afterwards all are as they were before it.
class CudnnScope {
 public:
  explicit CudnnScope(const CudnnChanges& changes) noexcept;
  ~CudnnScope() { set_cudnn_settings(before_); }
  CudnnScope(const CudnnScope&) = delete;
  CudnnScope& operator=(const CudnnScope&) = delete;

 private:
  CudnnSettings before_;
};

}  // namespace gpucheck::tensor
