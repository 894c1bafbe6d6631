#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "device/fault/common_plans.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "misbehaving_cases.hpp"
#include "misbehaving_deeds.hpp"

namespace gpucheck::runner::testing {
namespace {

/// The sick one of four.
constexpr int sick_ordinal = 2;

fault::Plan sickness(std::string_view kind) {
  const auto always = [](fault::Operation operation, fault::Effect effect) {
    return fault::broken(operation, effect, fault::every_call, device::Status::devices_unavailable);
  };
  if (kind == "lost") return always(fault::Operation::allocate, fault::Effect::lose_device);
  if (kind == "stuck") return always(fault::Operation::allocate, fault::Effect::hang);
  if (kind == "shy") return always(fault::Operation::memory_info, fault::Effect::fail);
  return {};
}

std::string name_of_four(std::string_view kind, const std::vector<int>& ordinals) {
  std::string name(kind);
  for (const int ordinal : ordinals) name += (name.size() == kind.size() ? ":" : ",") + std::to_string(ordinal);
  return name;
}

/// All four where `numbers` is empty: then nothing is opened yet.
OpenedDriver open_four(std::string_view kind, std::string_view numbers, std::uint64_t seed) {
  OpenedDriver opened;
  opened.driver = sim::make_driver({.profile = sim::profile("h100"), .seed = seed, .device_count = 4});
  opened.name_of = [kind = std::string(kind)](const std::vector<int>& ordinals) {
    return name_of_four(kind, ordinals);
  };
  if (numbers.empty()) {
    opened.ordinals = {0, 1, 2, 3};
    return opened;
  }
  opened.ordinals.clear();
  for (const char c : numbers) {
    if (c != ',') opened.ordinals.push_back(c - '0');
  }
  if (std::ranges::find(opened.ordinals, sick_ordinal) == opened.ordinals.end()) return opened;
  if (kind == "dead") die_by(SIGABRT);
  if (kind == "mute") wait_for_ever();
  if (kind == "frail" && !std::filesystem::exists(mark_path("frail"))) {
    leave_mark("frail");
    die_by(SIGABRT);
  }
  if (const fault::Plan plan = sickness(kind); !plan.empty()) opened.driver = inject(std::move(opened.driver), plan);
  return opened;
}

/// Two that cannot be used, one of which is known by others than their driver.
OpenedDriver open_unstarted(std::string_view name, std::uint64_t seed) {
  OpenedDriver opened = open_four("four", "01", seed);
  opened.name_of = [](const std::vector<int>& ordinals) { return name_of_four("unstarted", ordinals); };
  if (name != "unstarted") {  // for a worker: nothing of it may be opened
    opened.driver = inject(std::move(opened.driver),
                           fault::failing(fault::Operation::initialize, device::Status::unknown, fault::every_call));
    return opened;
  }
  opened.look_for_problem = [](OpenedDriver& itself) {
    itself.problem = "CUDA does not start: system not yet initialized (cudaErrorSystemNotReady, 802)";
    itself.known = {{.name = "NVIDIA H100", .uuid = "GPU-1", .pci_bus_id = "0000:3b:00.0"}, device::DeviceProperties{}};
  };
  return opened;
}

}  // namespace

OpenedDriver open_simulated_driver(std::string_view device_name, std::uint64_t seed) {
  for (const std::string_view kind : {"four", "lost", "stuck", "dead", "mute", "frail", "shy"}) {
    const std::string_view name = device_name.substr(0, device_name.find(':'));
    if (name == kind) return open_four(kind, device_name.substr(std::min(name.size() + 1, device_name.size())), seed);
  }
  if (device_name.starts_with("unstarted")) return open_unstarted(device_name, seed);
  if (device_name == "cuda") throw EnvironmentError("no CUDA-capable device is detected");
  if (device_name == "dies") {
    std::fprintf(stderr, "the driver fell over\n");
    die_by(SIGABRT);
  }
  if (device_name == "slow") std::this_thread::sleep_for(std::chrono::seconds(30));
  const bool bare = device_name == "auto" || device_name == "sim" || device_name == "slow";
  if (!bare && !device_name.starts_with("sim:")) {
    throw UsageError("\"" + std::string(device_name) + "\" is not a device: use auto or sim");
  }
  const std::string profile = bare ? "h100" : std::string(device_name.substr(4));
  OpenedDriver opened;
  opened.driver = sim::make_driver({.profile = sim::profile(profile), .seed = seed});
  opened.note = device_name == "auto" ? "no CUDA device: using the simulator" : "";
  opened.name_of = [profile](const std::vector<int>&) { return "sim:" + profile; };
  return opened;
}

}  // namespace gpucheck::runner::testing
