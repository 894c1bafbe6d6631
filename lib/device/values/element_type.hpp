#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpucheck::device {

/// What the elements of matrices and of messages are.
enum class ElementType : std::uint8_t { fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8, int32 };
std::string_view to_text(ElementType type) noexcept;
std::size_t element_bytes(ElementType type) noexcept;

}  // namespace gpucheck::device
