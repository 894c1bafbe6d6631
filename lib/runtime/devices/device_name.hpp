#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpucheck::runtime {

/// A device as PyTorch's `torch.device` names it: "cuda", "cuda:1", "cpu".
struct DeviceName {
  std::string type;
  std::optional<int> index;
  bool operator==(const DeviceName&) const = default;
};

/// A name of letters and underscores, then perhaps a colon and a number without leading
/// zeros. @throws Error with PyTorch's text for anything else, and for a kind of device
/// that PyTorch does not know.
[[nodiscard]] DeviceName parse_device_name(std::string_view text);
/// "cuda:1".
[[nodiscard]] std::string to_text(const DeviceName& name);

}  // namespace gpucheck::runtime
