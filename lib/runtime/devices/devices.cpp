#include "runtime/devices/devices.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "base/error.hpp"
#include "device/values/status.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/devices/visible_devices.hpp"

namespace gpucheck::runtime {
namespace {

template <typename T>
T value_or_throw(device::Result<T> result, std::string_view operation) {
  if (!result) throw device::DeviceError(result.error(), operation);
  return *std::move(result);
}

/// The name in an argument that is a text or a name; none in one that is a number or nothing.
std::optional<DeviceName> name_in(const DeviceArgument& argument) {
  if (const auto* text = std::get_if<std::string>(&argument)) return parse_device_name(*text);
  if (const auto* name = std::get_if<DeviceName>(&argument)) return *name;
  return std::nullopt;
}

void check_type(const DeviceName& name, IndexRule rule) {
  if (name.type == "cuda" || (rule.allow_cpu && name.type == "cpu")) return;
  throw UsageError(
      fmt::format("Expected a cuda{} device, but got: {}", rule.allow_cpu ? " or cpu" : "", to_text(name)));
}

}  // namespace

std::optional<int> Devices::count_without_driver() {
  const auto installed = driver_.installed_devices();
  if (!installed) return std::nullopt;
  const std::string variable(driver_.visible_devices_variable());
  const char* visible = std::getenv(variable.c_str());
  if (visible == nullptr) return static_cast<int>(installed->size());
  return count_visible_devices(visible, *installed);
}

int Devices::count() {
  const std::scoped_lock lock(mutex_);
  if (count_) return *count_;
  std::optional<int> count = count_without_driver();
  if (!count) {
    const device::Result<int> found = driver_.device_count();
    const bool has_none = !found && found.error() == device::Status::no_device;
    count = has_none ? 0 : value_or_throw(found, "device_count");
  }
  if (driver_.device_count_without_initialising().has_value()) count_ = count;
  return *count;
}

void Devices::check_index(int index) {
  if (index < 0 || index >= value_or_throw(driver_.device_count(), "device_count")) throw Error("Invalid device id");
}

int Devices::current() {
  check_index(current_device());
  return current_device();
}

void Devices::set_current(int index) {
  check_index(index);
  current_device() = index;
}

int Devices::index_of(const DeviceArgument& argument, IndexRule rule) {
  if (const int* index = std::get_if<int>(&argument)) return *index;
  const std::optional<DeviceName> name = name_in(argument);
  if (name) {
    check_type(*name, rule);
    if (name->type == "cpu") return -1;
    if (name->index) return *name->index;
  }
  if (rule.optional) return current();
  throw UsageError(fmt::format("Expected a torch.device with a specified index or an integer, but got:{}",
                               name ? to_text(*name) : "None"));
}

device::DeviceProperties Devices::properties(const DeviceArgument& argument) {
  const int index = index_of(argument, {.optional = true});
  check_index(index);
  return value_or_throw(driver_.properties(index), "properties");
}

std::string Devices::name(const DeviceArgument& argument) { return properties(argument).name; }

ComputeCapability Devices::capability(const DeviceArgument& argument) {
  const device::DeviceProperties found = properties(argument);
  return {found.compute_capability_major, found.compute_capability_minor};
}

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

}  // namespace gpucheck::runtime
