#pragma once

#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "device/check.hpp"
#include "harness/case/context.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/memory/buffer.hpp"

/// Small things that several cases need.
namespace gpucheck::cases {

/// Copies device memory to the host in the order of `stream` and waits for it. The host
/// memory is filled with 0xA5 first, so that a copy that never happens is not mistaken
/// for zeros. @throws DeviceError.
template <typename T>
std::vector<T> read(runtime::Runtime& runtime, const T* source, std::size_t count, device::Stream stream) {
  std::vector<T> host(count);
  static_assert(std::is_trivially_copyable_v<T>);
  if (host.empty()) return host;  // which may have no memory to fill
  std::memset(static_cast<void*>(host.data()), 0xA5, count * sizeof(T));
  device::Device& device = runtime.device();
  device::check(device, device.copy(host.data(), source, count * sizeof(T), device::CopyKind::device_to_host, stream),
                "copy");
  device::check(device, device.synchronize(stream), "synchronize");
  return host;
}

template <typename T>
T read_one(runtime::Runtime& runtime, const T* source, device::Stream stream) {
  return read(runtime, source, 1, stream).front();
}

/// Copies host values to device memory and waits for it. @throws DeviceError.
template <typename T>
void write(runtime::Runtime& runtime, T* destination, const std::vector<T>& values, device::Stream stream) {
  device::Device& device = runtime.device();
  device::check(
      device,
      device.copy(destination, values.data(), values.size() * sizeof(T), device::CopyKind::host_to_device, stream),
      "copy");
  device::check(device, device.synchronize(stream), "synchronize");
}

/// The text of the `Exception` that `action` throws; "" when it throws none. Anything
/// else that it throws passes through.
template <typename Exception, typename Action>
std::string error_text(Action&& action) {
  try {
    action();
    return "";
  } catch (const Exception& error) {
    return error.what();
  }
}

/// Keeps what a thread threw for the one that waits for it.
template <typename Work>
auto guarded(std::exception_ptr& thrown, Work work) {
  return [&thrown, work] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  };
}

/// Sets the allocator's settings for a scope. They are as in a new allocator afterwards,
/// except those that a settings string keeps when it does not name them.
class SettingsScope {
 public:
  SettingsScope(runtime::Runtime& runtime, std::string_view text) : runtime_(runtime) {
    runtime.allocator().set_settings(text);
  }
  ~SettingsScope() { runtime_.allocator().set_settings(""); }
  SettingsScope(const SettingsScope&) = delete;
  SettingsScope& operator=(const SettingsScope&) = delete;

 private:
  runtime::Runtime& runtime_;
};

/// Limits the allocator to a share of the device's memory for a scope; no limit afterwards.
class MemoryFractionScope {
 public:
  MemoryFractionScope(runtime::Runtime& runtime, double fraction) : runtime_(runtime) {
    runtime.allocator().set_memory_fraction(fraction);
  }
  ~MemoryFractionScope() { runtime_.allocator().set_memory_fraction(1.0); }
  MemoryFractionScope(const MemoryFractionScope&) = delete;
  MemoryFractionScope& operator=(const MemoryFractionScope&) = delete;

 private:
  runtime::Runtime& runtime_;
};

/// Observes how a child that must die of a device-side assert ended: `<name>_exit_code`
/// (minus the signal when one ended it) and `<name>_error`, its stderr.
inline void observe_child(harness::Context& context, const std::string& name, const harness::ChildResult& child) {
  context.observe(name + "_exit_code", child.exit_code.value_or(-child.signal.value_or(0)));
  context.observe(name + "_error", harness::Value(child.error_output));
}

}  // namespace gpucheck::cases
