#include "devices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "device_match.hpp"

namespace gpucheck::application {

namespace {

constexpr std::string_view without_cuda = "this binary was built without a CUDA toolkit";

/// What simulated devices there are, and which of them are meant.
struct Simulated {
  sim::Options options;
  std::string name;           ///< without those that are meant: "sim:h100,devices=4"
  std::vector<int> ordinals;  ///< empty: all
};

/// A device name taken apart: exactly one of the three kinds.
struct DeviceName {
  enum class Kind { automatic, cuda, simulated };
  Kind kind = Kind::automatic;
  std::vector<int> ordinals = {};             ///< cuda: empty, with no identifiers, for all
  std::vector<std::string> identifiers = {};  ///< cuda: UUIDs and PCI addresses
  Simulated simulated = {};                   ///< simulated
};

std::optional<int> parse_number(std::string_view text, int maximum) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 && number <= maximum ? std::optional(number) : std::nullopt;
}

[[noreturn]] void reject(std::string_view name, std::string_view why) {
  throw UsageError(fmt::format("\"{}\" is not a device ({}): {}", name, why, device_name_forms()));
}

void set_memory(sim::Profile& profile, std::string_view name, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(text);
  if (bytes <= profile.reserved_memory_bytes || bytes > max_simulated_memory_bytes) {
    reject(name, fmt::format("memory must be more than the {} that the profile keeps for itself, at most 1024GiB",
                             format_bytes(profile.reserved_memory_bytes)));
  }
  profile.properties.total_memory_bytes = bytes;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t end = text.find(separator);
    items.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return items;
    text.remove_prefix(end + 1);
  }
}

/// Device numbers with `separator` between them, each once.
std::vector<int> parse_ordinals(std::string_view name, std::string_view text, char separator) {
  constexpr int max_ordinal = 1023;
  std::vector<int> ordinals;
  for (const std::string_view item : split(text, separator)) {
    const std::optional<int> ordinal = parse_number(item, max_ordinal);
    if (!ordinal) reject(name, fmt::format("\"{}\" is no device number: they count from 0", item));
    if (std::ranges::find(ordinals, *ordinal) != ordinals.end()) {
      reject(name, fmt::format("device {} is named twice", *ordinal));
    }
    ordinals.push_back(*ordinal);
  }
  return ordinals;
}

void set_option(Simulated& simulated, std::string_view name, std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  sim::Options& options = simulated.options;
  if (key == "only") {
    simulated.ordinals = parse_ordinals(name, value, '+');
    return;
  }
  simulated.name += fmt::format("{}{}", simulated.name.ends_with(':') ? "" : ",", item);
  if (key == "memory") return set_memory(options.profile, name, value);
  if (key != "devices") reject(name, fmt::format("the simulator has no option \"{}\"", item));
  const std::optional<int> count = parse_number(value, 64);
  if (!count || *count < 1) reject(name, "devices must be from 1 to 64");
  options.device_count = *count;
}

/// `rest` is what follows "sim:": a profile's name, options, or both with commas
/// between them.
Simulated parse_simulated(std::string_view name, std::string_view rest) {
  const std::string_view first = rest.substr(0, rest.find(','));
  const bool has_profile = !first.empty() && first.find('=') == std::string_view::npos;
  const std::string_view profile = has_profile ? first : default_simulated_profile;
  Simulated simulated;
  simulated.options.profile = sim::profile(profile);
  simulated.name = fmt::format("sim:{}", profile);
  if (has_profile) rest.remove_prefix(std::min(first.size() + 1, rest.size()));
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    set_option(simulated, name, item);
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  for (const int ordinal : simulated.ordinals) {
    const int count = simulated.options.device_count;
    if (ordinal >= count) reject(name, fmt::format("there is no device {}: there are {}", ordinal, count));
  }
  return simulated;
}

DeviceName parse(std::string_view name) {
  const std::vector<std::string_view> items = split(name, ',');
  if (std::ranges::all_of(items, is_device_identifier)) {
    return {.kind = DeviceName::Kind::cuda, .identifiers = {items.begin(), items.end()}};
  }
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const bool has_rest = colon != std::string_view::npos;
  const std::string_view rest = has_rest ? name.substr(colon + 1) : "";
  if (has_rest && rest.empty()) reject(name, "nothing follows the colon");

  if (kind == "auto" && !has_rest) return {};
  if (kind == "sim") {
    return {.kind = DeviceName::Kind::simulated, .simulated = parse_simulated(name, rest)};
  }
  if (kind != "cuda") reject(name, "unknown kind");
  return {.kind = DeviceName::Kind::cuda, .ordinals = has_rest ? parse_ordinals(name, rest, ',') : std::vector<int>{}};
}

std::vector<int> first_ordinals(int count) {
  std::vector<int> ordinals(static_cast<std::size_t>(count));
  std::iota(ordinals.begin(), ordinals.end(), 0);
  return ordinals;
}

runner::OpenedDriver open_simulated(Simulated simulated, std::uint64_t seed, std::string note) {
  simulated.options.seed = seed;
  const int count = simulated.options.device_count;
  runner::OpenedDriver opened;
  opened.driver = sim::make_driver(std::move(simulated.options));
  opened.ordinals = simulated.ordinals.empty() ? first_ordinals(count) : std::move(simulated.ordinals);
  opened.note = std::move(note);
  opened.name_of = [name = std::move(simulated.name), count](const std::vector<int>& ordinals) {
    return count == 1 ? name : fmt::format("{},only={}", name, fmt::join(ordinals, "+"));
  };
  return opened;
}

runner::OpenedDriver open_cuda(std::unique_ptr<device::Driver> driver, std::vector<int> ordinals) {
  runner::OpenedDriver opened;
  opened.driver = std::move(driver);
  opened.ordinals = std::move(ordinals);
  opened.name_of = [](const std::vector<int>& some) { return fmt::format("cuda:{}", fmt::join(some, ",")); };
  return opened;
}

/// The kernel's NVIDIA driver is loaded: there is, or was, a GPU in this machine.
bool has_nvidia_driver() {
  return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/proc/driver/nvidia/version");
}

runner::OpenedDriver fall_back_to_simulator(std::uint64_t seed, std::string_view reason) {
  return open_simulated(parse("sim").simulated, seed,
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

std::string why_none(const device::Result<int>& count) {
  if (count.has_value()) return "the driver sees none";
  return fmt::format("{}, {}", device::status_text(count.error()), device::status_name(count.error()));
}

/// Numbers are not checked here, and need no look at the machine: whoever asks what the
/// devices are does.
runner::OpenedDriver open_named_cuda(const DeviceName& name) {
  std::unique_ptr<device::Driver> driver = require_cuda_driver();
  if (!name.ordinals.empty()) return open_cuda(std::move(driver), name.ordinals);
  const device::Result<int> count = driver->device_count();
  if (!count.has_value() || *count == 0) {
    throw EnvironmentError(fmt::format("CUDA has no device to offer ({}): see `nvidia-smi`", why_none(count)));
  }
  if (name.identifiers.empty()) return open_cuda(std::move(driver), first_ordinals(*count));
  std::vector<device::DeviceProperties> devices;
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    device::Result<device::DeviceProperties> properties = driver->properties(ordinal);
    devices.push_back(properties ? std::move(*properties) : device::DeviceProperties{});
  }
  std::vector<int> ordinals = match_devices(name.identifiers, devices);
  return open_cuda(std::move(driver), std::move(ordinals));
}

runner::OpenedDriver open_automatic(std::uint64_t seed) {
  std::unique_ptr<device::Driver> driver = make_cuda_driver();
  if (!driver) return fall_back_to_simulator(seed, without_cuda);
  const device::Result<int> count = driver->device_count();
  if (count.has_value() && *count > 0) return open_cuda(std::move(driver), first_ordinals(*count));
  const std::string reason = why_none(count);
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
  switch (name.kind) {
    case DeviceName::Kind::cuda:
      return open_named_cuda(name);
    case DeviceName::Kind::simulated:
      return open_simulated(std::move(name.simulated), seed, "");
    case DeviceName::Kind::automatic:
      break;
  }
  return open_automatic(seed);
}

void check_device_name(std::string_view device_name) {
  if (parse(device_name).kind == DeviceName::Kind::cuda) require_cuda_driver();
}

std::string_view device_name_forms() {
  return "auto (every CUDA device; the simulator on a machine without one), cuda (every one), cuda:0,2, UUIDs or PCI "
         "addresses as nvidia-smi prints them, sim, sim:PROFILE, or sim:PROFILE,memory=16GiB,devices=4";
}

std::vector<std::string_view> simulator_profiles() { return sim::profile_names(); }

}  // namespace gpucheck::application
