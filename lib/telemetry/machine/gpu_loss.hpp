#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/machine/machine.hpp"

/// A GPU that the driver has given up, by the answers to what it was asked, or that does not answer.
namespace gpucheck::telemetry {

enum class GpuLoss {
  lost,            ///< it has fallen off the bus or is otherwise inaccessible (NVML_ERROR_GPU_IS_LOST)
  reset_required,  ///< it can be used again after a reset (NVML_ERROR_RESET_REQUIRED)
};

/// What the driver's words say, wherever they stand in the text: "nvmlDeviceGetMemoryInfo: GPU is lost".
[[nodiscard]] std::optional<GpuLoss> loss_in(std::string_view text);

/// The first answer of a GPU that says so, with its key: "ecc_enabled: GPU requires reset", "link 17: is_active: GPU is
/// lost", "processes: GPU is lost". Empty where none does.
[[nodiscard]] std::string loss_of(const Gpu& gpu);

/// What is said of a driver, or of one of its GPUs, that was waited for in vain: "the driver did not answer within
/// 3000 ms".
[[nodiscard]] std::string no_answer_text(std::chrono::milliseconds patience);
/// Whether `text` says that, wherever it stands.
[[nodiscard]] bool says_no_answer(std::string_view text) noexcept;

}  // namespace gpucheck::telemetry
