#include "base/text/pci_address.hpp"

#include <algorithm>
#include <cctype>

namespace gpucheck {

std::string normal_pci_address(std::string_view address) {
  std::string normal(address);
  std::ranges::transform(normal, normal.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // NVML writes domains with eight digits, Linux and CUDA with four.
  constexpr std::size_t digits = 4;
  const std::size_t colon = normal.find(':');
  const bool has_long_domain = colon != std::string::npos && colon > digits;
  if (has_long_domain && normal.find_first_not_of('0') >= colon - digits) normal.erase(0, colon - digits);
  return normal;
}

}  // namespace gpucheck
