#include "tensor/call/entry.hpp"

#include <array>

namespace gpucheck::tensor {

std::string_view to_text(AutocastPolicy policy) noexcept {
  constexpr std::array<std::string_view, 6> texts{"none",           "lower_precision", "float32",
                                                  "float32_output", "promote",         "refused"};
  return texts[static_cast<std::size_t>(policy)];
}

}  // namespace gpucheck::tensor
