#pragma once

#include <string>
#include <string_view>

namespace gpucheck {

/// "0000:3b:00.0": a PCI address as Linux writes it, for comparisons.
[[nodiscard]] std::string normal_pci_address(std::string_view address);

}  // namespace gpucheck
