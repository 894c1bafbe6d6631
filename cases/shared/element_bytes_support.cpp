#include "cases/shared/element_bytes_support.hpp"

#include <cstring>
#include <type_traits>

#include "cases/shared/kernels/products.hpp"

namespace gpucheck::cases::in_gemm {
namespace {

using device::ElementType;
namespace kernels = device::kernels;

template <typename T>
std::vector<std::byte> bytes_of(std::int64_t number) {
  const T element = kernels::to_element<T>(number);
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &element, sizeof(T));
  return bytes;
}

template <typename T>
double number_of(const std::byte* bytes) {
  T element;
  std::memcpy(&element, bytes, sizeof(T));
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(element);
  } else {
    return static_cast<double>(static_cast<float>(element));
  }
}

}  // namespace

std::vector<std::byte> bytes_of(ElementType type, std::int64_t number) {
  switch (type) {
    case ElementType::fp64:
      return bytes_of<double>(number);
    case ElementType::fp16:
      return bytes_of<kernels::Half>(number);
    case ElementType::bf16:
      return bytes_of<kernels::BFloat16>(number);
    case ElementType::int32:
      return bytes_of<std::int32_t>(number);
    default:
      return bytes_of<float>(number);
  }
}

double number_of(ElementType type, const std::byte* bytes) {
  switch (type) {
    case ElementType::fp64:
      return number_of<double>(bytes);
    case ElementType::fp16:
      return number_of<kernels::Half>(bytes);
    case ElementType::bf16:
      return number_of<kernels::BFloat16>(bytes);
    case ElementType::int32:
      return number_of<std::int32_t>(bytes);
    default:
      return number_of<float>(bytes);
  }
}

}  // namespace gpucheck::cases::in_gemm
