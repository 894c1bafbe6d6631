#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "device/sim/sim_driver.hpp"
#include "tensor/files/files.hpp"
#include "tensor/transfers/transfer.hpp"

namespace gpucheck::tensor::files::test {

/// Two simulated devices and their runtimes.
class TwoDevices {
 public:
  TwoDevices()
      : driver_(sim::make_driver({.profile = sim::profile("h100"), .device_count = 2})),
        first_device_(driver_->open(0).value()),
        second_device_(driver_->open(1).value()),
        first_(*first_device_),
        second_(*second_device_) {}

  runtime::Runtime& first() { return first_; }
  runtime::Runtime& second() { return second_; }
  runtime::Machine machine() { return runtime::Machine({&first_, &second_}); }

 private:
  std::unique_ptr<device::Driver> driver_;
  std::unique_ptr<device::Device> first_device_;
  std::unique_ptr<device::Device> second_device_;
  runtime::Runtime first_;
  runtime::Runtime second_;
};

inline std::string saved(const Object& object) {
  std::string bytes;
  save(object, [&bytes](std::string_view part) { bytes += part; });
  return bytes;
}

inline Object loaded(std::string_view bytes, LoadOptions options = {}) { return load_bytes(bytes, "t.pt", options); }

/// The error of loading these bytes.
inline std::string refusal(std::string_view bytes, const LoadOptions& options = {}) {
  try {
    static_cast<void>(load_bytes(bytes, "t.pt", options));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A tensor on the host whose bytes are 1, 2, 3, ... and so on, of elements that lie one after another.
inline Tensor counting(const Sizes& sizes, DType dtype) {
  const Tensor tensor = make_empty(sizes, dtype, host);
  auto* const bytes = static_cast<std::uint8_t*>(tensor.storage().data());
  for (std::size_t i = 0; i < tensor.storage().bytes(); ++i) {
    // A boolean has but two values.
    bytes[i] = static_cast<std::uint8_t>(dtype == DType::boolean ? i % 2 : i + 1);
  }
  return tensor;
}

/// The bytes of a storage, wherever it is.
inline std::string contents(const Storage& storage) {
  const auto count = static_cast<std::int64_t>(storage.bytes());
  const Geometry row{.sizes = {count}, .strides = {1}, .offset = 0};
  const Storage on_host(storage.bytes(), host);
  const Tensor to(on_host, DType::uint8, row);
  const Tensor from(storage, DType::uint8, row);
  if (storage.device().is_host()) {
    copy_bytes(to, from);
  } else {
    transfer(to, from, false);
  }
  if (count == 0) return "";
  return {static_cast<const char*>(on_host.data()), on_host.bytes()};
}

/// The same tensor on another device.
inline Tensor on(Device device, const Tensor& tensor) {
  const Storage storage(tensor.storage().bytes(), device);
  const Geometry row{.sizes = {static_cast<std::int64_t>(storage.bytes())}, .strides = {1}, .offset = 0};
  transfer({storage, DType::uint8, row}, {tensor.storage(), DType::uint8, row}, false);
  return {storage, tensor.dtype(), tensor.geometry()};
}

/// A pickle by hand, byte for byte as Python's own writes it; "\0" in a literal counts.
template <std::size_t size>
std::string raw(const char (&literal)[size]) {
  return {literal, size - 1};
}

struct HandMadeEntry {
  std::string name;
  std::string bytes;
};

/// An archive of PyTorch's layout with this pickle and these storages.
std::string archive_of(const std::string& pickle, const std::vector<std::string>& storages = {});
/// An archive of these entries, whatever they are.
std::string archive_of_entries(const std::vector<HandMadeEntry>& entries);

}  // namespace gpucheck::tensor::files::test
