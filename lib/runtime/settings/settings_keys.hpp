#pragma once

#include <string_view>

namespace gpucheck::runtime {

/// Whether `parse_settings` knows the key: those of PyTorch 2.11.
[[nodiscard]] bool is_settings_key(std::string_view name) noexcept;

}  // namespace gpucheck::runtime
