#include "devices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "base/error.hpp"
#include "base/units.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::application {

namespace {

constexpr std::string_view without_cuda = "this binary was built without a CUDA toolkit";

/// A device name taken apart: exactly one of the three sorts.
struct DeviceName {
  enum class Sort { automatic, cuda, simulated };
  Sort sort = Sort::automatic;
  int ordinal = 0;         ///< cuda
  sim::Options simulated;  ///< simulated
};

std::optional<int> parse_number(std::string_view text, int maximum) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 && number <= maximum ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
  throw UsageError(fmt::format("\"{}\" is not a device ({}): {}", name, why, device_name_forms()));
}

void set_memory(sim::Profile& profile, std::string_view name, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(text);
  if (bytes <= profile.reserved_memory_bytes || bytes > max_simulated_memory_bytes) {
    refuse(name, fmt::format("memory must be more than the {} that the profile keeps for itself, at most 1024GiB",
                             format_bytes(profile.reserved_memory_bytes)));
  }
  profile.properties.total_memory_bytes = bytes;
}

void set_option(sim::Options& options, std::string_view name, std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  if (key == "memory") return set_memory(options.profile, name, value);
  if (key != "devices") refuse(name, fmt::format("the simulator has no option \"{}\"", item));
  const std::optional<int> count = parse_number(value, 64);
  if (!count || *count < 1) refuse(name, "devices must be from 1 to 64");
  options.device_count = *count;
}

/// `rest` is what follows "sim:": a profile's name, options, or both with commas
/// between them.
sim::Options parse_simulated(std::string_view name, std::string_view rest) {
  const std::string_view first = rest.substr(0, rest.find(','));
  const bool has_profile = !first.empty() && first.find('=') == std::string_view::npos;
  sim::Options options;
  options.profile = sim::profile(has_profile ? first : default_simulated_profile);
  if (has_profile) rest.remove_prefix(std::min(first.size() + 1, rest.size()));
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    set_option(options, name, item);
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return options;
}

DeviceName parse(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view sort = name.substr(0, colon);
  const bool has_rest = colon != std::string_view::npos;
  const std::string_view rest = has_rest ? name.substr(colon + 1) : "";
  if (has_rest && rest.empty()) refuse(name, "nothing follows the colon");

  if (sort == "auto" && !has_rest) return {};
  if (sort == "sim") return {DeviceName::Sort::simulated, 0, parse_simulated(name, rest)};
  if (sort != "cuda") refuse(name, "unknown sort");
  const std::optional<int> ordinal = has_rest ? parse_number(rest, 1023) : 0;
  if (!ordinal) refuse(name, "what follows \"cuda:\" must be a device number from 0");
  return {DeviceName::Sort::cuda, *ordinal, {}};
}

runner::OpenedDriver open_simulated(std::string resolved, sim::Options options, std::uint64_t seed, std::string note) {
  options.seed = seed;
  return {sim::make_driver(std::move(options)), 0, std::move(note), std::move(resolved)};
}

/// The kernel's NVIDIA driver is loaded: there is, or was, a GPU in this machine.
bool has_nvidia_driver() {
  return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/proc/driver/nvidia/version");
}

runner::OpenedDriver fall_back_to_simulator(std::uint64_t seed, std::string_view reason) {
  const std::string resolved = fmt::format("sim:{}", default_simulated_profile);
  return open_simulated(resolved, parse(resolved).simulated, seed,
                        fmt::format("no CUDA device ({}): using the simulated device, which says nothing about this "
                                    "machine's hardware",
                                    reason));
}

std::unique_ptr<device::Driver> require_cuda_driver() {
  std::unique_ptr<device::Driver> driver = make_cuda_driver();
  if (driver) return driver;
  throw EnvironmentError(
      fmt::format("{}: it knows only the simulated device (--device sim); for GPUs, build it where "
                  "nvcc is installed",
                  without_cuda));
}

runner::OpenedDriver open_automatic(std::uint64_t seed) {
  std::unique_ptr<device::Driver> driver = make_cuda_driver();
  if (!driver) return fall_back_to_simulator(seed, without_cuda);
  const device::Result<int> count = driver->device_count();
  if (count.has_value() && *count > 0) return {std::move(driver), 0, "", "cuda:0"};
  const std::string reason =
      count.has_value() ? "the driver sees none"
                        : fmt::format("{}, {}", device::status_text(count.error()), device::status_name(count.error()));
  // A GPU that has fallen off its bus must not be taken for a machine without one.
  if (has_nvidia_driver()) {
    throw EnvironmentError(
        fmt::format("this machine has an NVIDIA driver, but CUDA has no device to offer ({}): see `nvidia-smi` and the "
                    "kernel's log; to run on the simulated device instead, say --device sim",
                    reason));
  }
  return fall_back_to_simulator(seed, reason);
}

}  // namespace

runner::OpenedDriver open_driver(std::string_view device_name, std::uint64_t seed) {
  DeviceName name = parse(device_name);
  if (name.sort == DeviceName::Sort::automatic) return open_automatic(seed);
  if (name.sort == DeviceName::Sort::cuda) {
    return {require_cuda_driver(), name.ordinal, "", fmt::format("cuda:{}", name.ordinal)};
  }
  const bool bare = device_name == "sim";
  return open_simulated(bare ? fmt::format("sim:{}", default_simulated_profile) : std::string(device_name),
                        std::move(name.simulated), seed, "");
}

void check_device_name(std::string_view device_name) {
  if (parse(device_name).sort == DeviceName::Sort::cuda) require_cuda_driver();
}

std::string_view device_name_forms() {
  return "auto (CUDA when there is a device, the simulator on a machine without one), cuda, cuda:1, sim, sim:PROFILE, "
         "or "
         "sim:PROFILE,memory=16GiB,devices=2";
}

std::vector<std::string_view> simulator_profiles() { return sim::profile_names(); }

}  // namespace gpucheck::application
