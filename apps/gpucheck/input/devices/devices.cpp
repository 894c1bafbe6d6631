#include "input/devices/devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "device/values/error_codes.hpp"
#include "input/devices/device_match.hpp"
#include "input/devices/unusable_gpus.hpp"

namespace gpucheck::application {

namespace {

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

constexpr int max_ordinal = 1023;

/// Device numbers with `separator` between them, each once.
std::vector<int> parse_ordinals(std::string_view name, std::string_view text, char separator) {
  std::vector<int> ordinals;
  for (const std::string_view item : split(text, separator)) {
    const std::optional<int> ordinal = parse_number(item, max_ordinal);
    if (!ordinal) reject(name, fmt::format("\"{}\" is not a device number: they count from 0", item));
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
  if (key == "slow" || key == "odd") {
    const std::optional<int> ordinal = parse_number(value, 63);
    if (!ordinal) reject(name, fmt::format("\"{}\" is not a device number: they count from 0", value));
    (key == "slow" ? options.slow_device : options.odd_device) = ordinal;
    return;
  }
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
  std::vector<int> named = simulated.ordinals;
  for (const std::optional<int>& sick : {simulated.options.slow_device, simulated.options.odd_device}) {
    if (sick) named.push_back(*sick);
  }
  for (const int ordinal : named) {
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

runner::OpenedDriver fall_back_to_simulator(std::uint64_t seed, std::string_view reason) {
  return open_simulated(parse("sim").simulated, seed,
                        fmt::format("no CUDA device ({}): using the simulated device, which says nothing about this "
                                    "machine's hardware",
                                    reason));
}

/// CUDA's devices by number, as far as CUDA reports.
std::vector<device::DeviceProperties> properties_of(device::Driver& driver, int count) {
  std::vector<device::DeviceProperties> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    device::Result<device::DeviceProperties> properties = driver.properties(ordinal);
    devices.push_back(properties ? std::move(*properties) : device::DeviceProperties{});
  }
  return devices;
}

/// Which of the GPUs that others than CUDA know are meant.
std::vector<int> unusable_ordinals(const DeviceName& name, const std::vector<device::DeviceProperties>& known) {
  if (!name.identifiers.empty() && !known.empty()) return match_devices(name.identifiers, known);
  const int most = known.empty() ? max_ordinal : static_cast<int>(known.size()) - 1;
  for (const int ordinal : name.ordinals) {
    if (ordinal <= most) continue;
    throw UsageError(
        fmt::format("there is no device {}: the driver lists {}; gpucheck info shows them", ordinal, known.size()));
  }
  return name.ordinals.empty() ? first_ordinals(std::max(static_cast<int>(known.size()), 1)) : name.ordinals;
}

/// CUDA does not offer them: `opened` says why, and what they are as far as others know.
void mark_unusable(runner::OpenedDriver& opened, const DeviceName& name, const device::Result<int>& count,
                   const MachineLook& look) {
  const char* const visible_devices = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::vector<device::DeviceProperties> known = visible_gpus(look.gpus, visible_devices);
  opened.problem = cuda_problem(look, count, visible_devices);
  opened.ordinals = unusable_ordinals(name, known);
  for (const int ordinal : opened.ordinals) {
    if (!known.empty()) opened.known.push_back(known[static_cast<std::size_t>(ordinal)]);
  }
}

bool has_devices(const device::Result<int>& count) { return count.has_value() && *count > 0; }

/// Numbers need no look at the machine: it is had by who asks what the devices are.
runner::OpenedDriver open_numbered_cuda(DeviceName name, std::unique_ptr<device::Driver> driver) {
  runner::OpenedDriver opened = open_cuda(std::move(driver), name.ordinals);
  opened.look_for_problem = [name = std::move(name)](runner::OpenedDriver& itself) {
    const device::Result<int> count = itself.driver->device_count();
    if (!has_devices(count)) mark_unusable(itself, name, count, look_at_machine());
  };
  return opened;
}

runner::OpenedDriver open_named_cuda(DeviceName name) {
  std::unique_ptr<device::Driver> driver = make_cuda_driver();
  if (!driver) driver = make_absent_cuda_driver();
  if (!name.ordinals.empty()) return open_numbered_cuda(std::move(name), std::move(driver));
  const device::Result<int> count = driver->device_count();
  if (!has_devices(count)) {
    runner::OpenedDriver opened = open_cuda(std::move(driver), {});
    mark_unusable(opened, name, count, look_at_machine());
    return opened;
  }
  if (name.identifiers.empty()) return open_cuda(std::move(driver), first_ordinals(*count));
  std::vector<int> ordinals = match_devices(name.identifiers, properties_of(*driver, *count));
  return open_cuda(std::move(driver), std::move(ordinals));
}

}  // namespace

runner::OpenedDriver open_automatic(std::unique_ptr<device::Driver> cuda, MachineLook (*look_at)(),
                                    std::uint64_t seed) {
  const bool is_built_in = cuda != nullptr;
  if (!is_built_in) cuda = make_absent_cuda_driver();
  const device::Result<int> count = cuda->device_count();
  if (has_devices(count)) return open_cuda(std::move(cuda), first_ordinals(*count));
  const MachineLook look = look_at();
  // A GPU whose driver is not loaded, or that has fallen off its bus, must not be taken for a machine without one.
  if (!has_gpu(look, count)) {
    return fall_back_to_simulator(seed, !is_built_in        ? std::string(without_cuda)
                                        : count.has_value() ? "the driver sees none"
                                                            : device::status_words(count.error()));
  }
  runner::OpenedDriver opened = open_cuda(std::move(cuda), {});
  mark_unusable(opened, {.kind = DeviceName::Kind::cuda}, count, look);
  opened.note =
      "this machine has a GPU, which cannot be used; to run on the simulated device instead, say --device sim";
  return opened;
}

runner::OpenedDriver open_driver(std::string_view device_name, std::uint64_t seed) {
  DeviceName name = parse(device_name);
  switch (name.kind) {
    case DeviceName::Kind::cuda:
      return open_named_cuda(std::move(name));
    case DeviceName::Kind::simulated:
      return open_simulated(std::move(name.simulated), seed, "");
    case DeviceName::Kind::automatic:
      break;
  }
  return open_automatic(make_cuda_driver(), look_at_machine, seed);
}

void check_device_name(std::string_view device_name) {
  if (parse(device_name).kind != DeviceName::Kind::cuda || make_cuda_driver() != nullptr) return;
  throw EnvironmentError(
      fmt::format("{}: it knows only the simulated device (--device sim); for GPUs, build it where "
                  "nvcc is installed",
                  without_cuda));
}

std::string_view device_name_forms() {
  return "auto (every CUDA device; the simulator on a machine without one), cuda (every one), cuda:0,2, UUIDs or PCI "
         "addresses as nvidia-smi prints them, sim, sim:PROFILE, or sim:PROFILE,memory=16GiB,devices=4; {local_rank} "
         "in it "
         "is this process's number on its node";
}

std::vector<std::string_view> simulator_profiles() { return sim::profile_names(); }

}  // namespace gpucheck::application
