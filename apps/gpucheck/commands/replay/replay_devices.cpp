#include "commands/replay/replay_devices.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/check.hpp"
#include "device/sim/sim_driver.hpp"
#include "input/devices/devices.hpp"

namespace gpucheck::application {

namespace {

std::unique_ptr<device::Device> open_device(device::Driver& driver, int ordinal) {
  auto device = driver.open(ordinal);
  if (!device.has_value()) device::check(device.error(), "opening the device");
  return std::move(*device);
}

replay::PlayedDevice open_simulated(std::uint64_t usable_bytes) {
  sim::Profile profile = sim::profile(default_simulated_profile);
  const std::uint64_t max_bytes = max_simulated_memory_bytes - profile.reserved_memory_bytes;
  if (usable_bytes > max_bytes) {
    throw UsageError(
        fmt::format("{} bytes are more than a program can have of the largest simulated device: {} bytes, {} less than "
                    "its {}, which it keeps for itself",
                    usable_bytes, max_bytes, format_bytes(profile.reserved_memory_bytes),
                    format_bytes(max_simulated_memory_bytes)));
  }
  std::uint64_t& total_bytes = profile.properties.total_memory_bytes;
  const bool is_default = total_bytes == usable_bytes + profile.reserved_memory_bytes;
  total_bytes = usable_bytes + profile.reserved_memory_bytes;
  replay::PlayedDevice played{.driver = nullptr,
                              .device = nullptr,
                              .label = fmt::format("sim:{}", default_simulated_profile),
                              .note = "",
                              .is_simulated = true};
  if (!is_default) played.label += fmt::format(",memory={}", total_bytes);
  played.driver = sim::make_driver({.profile = std::move(profile)});
  played.device = open_device(*played.driver, 0);
  return played;
}

replay::PlayedDevice open_named(const std::string& name) {
  runner::OpenedDriver opened = open_driver(name, 0);
  if (!opened.problem.empty()) throw EnvironmentError(opened.problem);
  const bool is_simulated = dynamic_cast<const sim::Driver*>(opened.driver.get()) != nullptr;
  std::unique_ptr<device::Device> device = open_device(*opened.driver, opened.ordinals.front());
  std::string label = opened.name_of({opened.ordinals.front()});
  return {std::move(opened.driver), std::move(device), std::move(label), std::move(opened.note), is_simulated};
}

}  // namespace

replay::DeviceSource replay_devices(const std::string& device_name) {
  if (device_name != simulated_to_fit) {
    return {std::nullopt, [device_name](std::optional<std::uint64_t>) { return open_named(device_name); }};
  }
  const sim::Profile profile = sim::profile(default_simulated_profile);
  const replay::DeviceSource::Sizes sizes{
      .default_bytes = profile.properties.total_memory_bytes - profile.reserved_memory_bytes,
      .max_bytes = max_simulated_memory_bytes - profile.reserved_memory_bytes};
  return {sizes, [sizes](std::optional<std::uint64_t> usable_bytes) {
            return open_simulated(usable_bytes.value_or(sizes.default_bytes));
          }};
}

}  // namespace gpucheck::application
