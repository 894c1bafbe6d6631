#pragma once

#include <span>
#include <string>
#include <string_view>

#include "device/values/status.hpp"

/// The error codes of the CUDA runtime, all of them: names, words, and what to do.
namespace gpucheck::device {

struct ErrorCode {
  int code = 0;           ///< of `cudaError_t`, and so of `Status`
  std::string_view name;  ///< "cudaErrorSystemNotReady"
  std::string_view text;  ///< the vendor's words: "system not yet initialized"
};

/// By number.
[[nodiscard]] std::span<const ErrorCode> error_codes() noexcept;
/// Null for a number that CUDA 13 does not know.
[[nodiscard]] const ErrorCode* find_error_code(int code) noexcept;

/// What to do where CUDA does not start, or a device cannot be used, with this code; empty where no step is known.
[[nodiscard]] std::string_view next_step_for(int code) noexcept;

/// All that is known of it: "system not yet initialized (cudaErrorSystemNotReady, 802)"; "unrecognized error code
/// 4711".
[[nodiscard]] std::string status_words(Status status);

}  // namespace gpucheck::device
