#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "device/kernels/support/distributions.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/distributions.hpp"

/// What is drawn for the rows that PyTorch recorded.
namespace gpucheck::tensor::test {

/// An array read back.
struct Drawn {
  std::string type;
  std::vector<std::uint8_t> bytes;
  std::vector<double> head;  ///< its first values
  int digits = 0;            ///< of precision; 0 for whole numbers
};

template <typename T>
std::string name_of() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, Half>) return "float16";
  if constexpr (std::is_same_v<T, BFloat16>) return "bfloat16";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "float64" : "float32";
  if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}int{}", std::is_unsigned_v<T> ? "u" : "", sizeof(T) * 8);
  }
}

template <typename T>
Drawn read(runtime::Runtime& runtime, const T* data, std::size_t count) {
  Drawn drawn{.type = name_of<T>(), .bytes = std::vector<std::uint8_t>(count * sizeof(T)), .head = {}};
  copy_to_host(runtime, drawn.bytes.data(), data, drawn.bytes.size(), runtime::Transfer::blocking,
               runtime.current_stream());
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < std::min(count, shown); ++i) {
    T value{};
    std::memcpy(&value, drawn.bytes.data() + i * sizeof(T), sizeof(T));
    drawn.head.push_back(device::kernels::convert_to<double>(value));
  }
  if constexpr (device::kernels::is_floating<T>) drawn.digits = device::kernels::digits_of<T>;
  return drawn;
}

template <typename T>
Buffer<T> on_device(runtime::Runtime& runtime, const std::vector<T>& values) {
  return to_device<T>(runtime, values.data(), values.size(), runtime::Transfer::blocking, runtime.current_stream());
}

template <typename T>
std::vector<T> equal_inputs(double value, std::size_t count) {
  return std::vector<T>(count, device::kernels::convert_to<T>(value));
}

using Call = std::function<Drawn(Generator&, std::size_t)>;

using Calls = std::map<std::string, Call>;
/// What is called for a row, by the row's name without its count.
const Calls& calls();

}  // namespace gpucheck::tensor::test
