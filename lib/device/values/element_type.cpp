#include "device/values/element_type.hpp"

#include <array>

namespace gpucheck::device {

std::string_view to_text(ElementType type) noexcept {
  constexpr std::array<std::string_view, 8> names{"fp64",     "fp32",     "fp16", "bf16",
                                                  "fp8_e4m3", "fp8_e5m2", "int8", "int32"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : "(no type)";
}

std::size_t element_bytes(ElementType type) noexcept {
  switch (type) {
    case ElementType::fp64:
      return 8;
    case ElementType::fp32:
    case ElementType::int32:
      return 4;
    case ElementType::fp16:
    case ElementType::bf16:
      return 2;
    case ElementType::fp8_e4m3:
    case ElementType::fp8_e5m2:
    case ElementType::int8:
      return 1;
  }
  return 0;
}

}  // namespace gpucheck::device
