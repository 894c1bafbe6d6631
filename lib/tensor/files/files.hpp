#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/text/units.hpp"
#include "runtime/machine.hpp"
#include "tensor/core/device.hpp"
#include "tensor/files/archive_writer.hpp"
#include "tensor/files/object.hpp"

/// Tensors in files: PyTorch's zip format, as `torch.save` writes it and `torch.load(weights_only=True)` reads it.
namespace gpucheck::tensor::files {

/// Saves an object: each storage whole and once, whoever shares it. Elements on a device are those that they are once
/// the current stream's work is done. @throws Error for what the format cannot hold; DeviceError; EnvironmentError for
/// a file that cannot be written. The file appears whole or not at all.
void save(const Object& object, const std::string& path);
/// The same to wherever the bytes go.
void save(const Object& object, const Sink& sink);

/// Where storages come that were saved elsewhere, PyTorch's `map_location`: where they were (nothing), a device, a
/// device's name, or what a function says of where they were, which may be nothing.
using MapLocation = std::variant<std::monostate, Device, std::string,
                                 std::function<std::optional<Device>(const std::string& location)>>;

struct LoadOptions {
  runtime::Machine machine = {};  ///< the devices that names mean
  MapLocation map_location = {};
  std::uint64_t memory_limit = 4_GiB;  ///< the most that reading may take, elements and all else
};

/// Loads what was saved. Nothing in the file is executed, and what it says is believed only as far as its bytes go.
/// @throws Error that names the file and what is wrong with it, or with PyTorch's text for a device that is not there;
/// EnvironmentError for a file that cannot be read; DeviceError, OutOfMemoryError.
[[nodiscard]] Object load(const std::string& path, const LoadOptions& options);
/// The same of bytes in memory. @param name for errors
[[nodiscard]] Object load_bytes(std::string_view bytes, const std::string& name, const LoadOptions& options);

}  // namespace gpucheck::tensor::files
