#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"
#include "samples.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "values.hpp"

/// Small tensors for tests whose values are worked out by hand.
namespace gpucheck::tensor::test {

inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// A contiguous tensor with these elements.
inline Tensor listed(DType dtype, const Sizes& sizes, const std::vector<double>& numbers, Device device = host) {
  const Tensor tensor = make_empty(sizes, dtype, host);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    device::kernels::store_as(tensor.data_as<std::byte>() + i * element_bytes(dtype), dtype, numbers[i]);
  }
  return to(tensor, device);
}

/// The elements in their order, the real parts of complex ones.
inline std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor elements = contiguous(to(tensor, host));
  std::vector<double> numbers(static_cast<std::size_t>(elements.count()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto* const at = elements.data_as<const std::byte>() + i * element_bytes(elements.dtype());
    numbers[i] = device::kernels::load_as<double>(at, elements.dtype());
  }
  return numbers;
}

/// A simulated device of a test's own: one whose kernels assert must not be another's.
class OwnDevice {
 public:
  OwnDevice()
      : driver_(sim::make_driver({.profile = sim::profile("h100")})),
        device_(driver_->open(0).value()),
        runtime_(std::make_unique<runtime::Runtime>(*device_)) {}
  [[nodiscard]] Device device() const { return *runtime_; }
  [[nodiscard]] runtime::Runtime& runtime() const { return *runtime_; }

 private:
  std::unique_ptr<device::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<runtime::Runtime> runtime_;
};

/// What the call throws, as text; empty where it throws nothing.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace gpucheck::tensor::test
