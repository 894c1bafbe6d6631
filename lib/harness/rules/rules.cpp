#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "device/values/status.hpp"
#include "harness/case/context.hpp"
#include "harness/case/counting_device.hpp"
#include "harness/case/execute.hpp"
#include "harness/result/failure_kinds.hpp"

// The class-wide rules: what every case has to leave behind it, or rather not.
namespace gpucheck::harness {
namespace {

using device::CaptureMode;
using device::Status;

void add(std::vector<Mismatch>& broken, std::string_view rule, std::string expected, std::string seen) {
  broken.push_back(
      {.key = fmt::format("rule.{}", rule), .expected = std::move(expected), .seen = std::move(seen), .basis = "rule"});
}

std::string words(const device::Device& device, Status status) {
  return fmt::format("{} ({})", device.error_text(status), device::status_name(status));
}

void check_freed(std::vector<Mismatch>& broken, std::string_view rule, const LiveMemory& live) {
  if (live.allocations == 0) return;
  add(broken, rule, "every allocation freed", fmt::format("{} bytes in {} allocations", live.bytes, live.allocations));
}

constexpr std::string_view handles_rule = "handles_destroyed";

void check_destroyed(std::vector<Mismatch>& broken, const device::LiveHandles& live,
                     const device::LiveHandles& before) {
  const auto more = [](std::size_t now, std::size_t then) { return now > then ? now - then : 0; };
  const device::LiveHandles left{.streams = more(live.streams, before.streams),
                                 .events = more(live.events, before.events),
                                 .graphs = more(live.graphs, before.graphs),
                                 .executables = more(live.executables, before.executables),
                                 .communicators = more(live.communicators, before.communicators)};
  if (left == device::LiveHandles{}) return;
  add(broken, handles_rule, "every handle destroyed", fmt::format("{} left", to_text(left)));
}

std::string_view name_of(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::global:
      return "global";
    case CaptureMode::thread_local_:
      return "thread-local";
    case CaptureMode::relaxed:
      return "relaxed";
  }
  return "unknown";
}

void check_capture_mode(std::vector<Mismatch>& broken, device::Device& device) {
  const device::Result<CaptureMode> mode = device.exchange_capture_mode(CaptureMode::global);
  if (!mode) {
    add(broken, "capture_mode_restored", "global", words(device, mode.error()));
  } else if (*mode != CaptureMode::global) {
    add(broken, "capture_mode_restored", "global", std::string(name_of(*mode)));
  }
}

using Broken = std::vector<Mismatch>;

void check_frees(Broken& broken, runtime::Runtime& runtime) {
  std::vector<std::string> failed = runtime.allocator().failed_frees();
  std::ranges::copy(runtime.pinned_allocator().failed_frees(), std::back_inserter(failed));
  if (failed.empty()) return;
  add(broken, "frees_accepted", "every free accepted by its allocator",
      failed.size() == 1 ? failed.front() : fmt::format("{} (and {} more)", failed.front(), failed.size() - 1));
}

void check_runtime(Broken& broken, runtime::Runtime& runtime, const runtime::AllocatorSettings& found_settings,
                   double found_fraction, device::Stream found_stream) {
  runtime.release_kept();  // as PyTorch's leak check gives back workspaces of libraries
  const runtime::DeviceAllocator& allocator = runtime.allocator();
  runtime::AllocatorSettings settings = allocator.settings();
  const std::string text = std::exchange(settings.text, found_settings.text);  // other words for the same are fine
  if (settings != found_settings) {
    add(broken, "settings_restored", fmt::format("as found: \"{}\"", found_settings.text),
        fmt::format("other values: \"{}\"", text));
  }
  if (allocator.memory_fraction() != found_fraction) {
    add(broken, "memory_fraction_restored", fmt::format("{}", found_fraction),
        fmt::format("{}", allocator.memory_fraction()));
  }
  if (runtime.current_stream() != found_stream) {
    add(broken, "current_stream_restored", fmt::format("stream {:#x}", found_stream.value),
        fmt::format("stream {:#x}", runtime.current_stream().value));
  }
  const auto live = allocator.live_allocations();
  if (live.count != 0 || live.bytes != 0) {
    add(broken, "allocator_memory_freed", "every block freed",
        fmt::format("{} bytes in {} blocks", live.bytes, live.count));
  }
  const auto pinned = runtime.pinned_allocator().live_allocations();
  if (pinned.count != 0) {
    add(broken, "pinned_blocks_freed", "every block freed",
        fmt::format("{} bytes in {} blocks", pinned.bytes, pinned.count));
  }
  check_frees(broken, runtime);
}

void check_library(Broken& broken, const runtime::PluggableLibrary& library) {
  if (library.failed_frees() == 0) return;
  add(broken, "library_frees_its_own", "the library frees device memory that it has, and once",
      fmt::format("{} frees were rejected by the device", library.failed_frees()));
}

/// False when the device cannot be used any more.
bool check_errors(Broken& broken, device::Device& device) {
  // Three witnesses, each of which may be wrong or be asked in vain: reading the last
  // error also clears it, unless it is sticky, so that no later case meets it.
  const Status synchronized = device.synchronize();
  const Status noted = device.last_error();
  const device::Result<device::MemoryInfo> answer = device.memory_info();
  Status left = synchronized;
  if (left == Status::success && device::is_sticky(noted)) left = noted;
  if (left == Status::success && !answer) left = answer.error();
  if (left == Status::success) return true;
  add(broken, "no_sticky_error", "no error after synchronizing the device", words(device, left));
  return false;
}

}  // namespace

template <typename Check>
void Context::check_devices(std::vector<Mismatch>& broken, Check check) {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    std::vector<Mismatch> own;
    check(own, used_[i]);
    for (Mismatch& mismatch : own) {
      if (used_.size() > 1) mismatch.seen = fmt::format("device {}: {}", setup_.ordinals[i], mismatch.seen);
      broken.push_back(std::move(mismatch));
    }
  }
}

std::vector<Mismatch> Context::close() {
  std::vector<Mismatch> broken;
  const bool has_library = allocator().kind == runtime::AllocatorChoice::Kind::library;
  check_devices(broken, [has_library](Broken& own, UsedDevice& used) {
    if (used.runtime == nullptr) return;
    check_runtime(own, *used.runtime, used.found.settings, used.found.memory_fraction, used.found.stream);
    if (has_library) check_library(own, used.runtime->pluggable_library());
  });
  check_devices(broken, [](Broken& own, UsedDevice& used) {
    // What else a device with a sticky error says is that error again: nothing to judge.
    used.usable = used.device != nullptr && check_errors(own, *used.device);
    if (used.usable) check_capture_mode(own, *used.device);
  });
  for (UsedDevice& used : used_) used.runtime.reset();
  check_devices(broken, [has_library](Broken& own, UsedDevice& used) {
    if (!used.usable) return;
    // What a library of the user's keeps is its own.
    if (!has_library) {
      check_freed(own, "device_memory_freed", used.device->live_device_memory());
    }
    check_freed(own, "pinned_memory_freed", used.device->live_pinned_memory());
    check_freed(own, "host_memory_unregistered", used.device->registered_memory());
    check_destroyed(own, used.device->live_handles(), {});
  });
  check_handles_rule(broken);
  check_race_rules(broken);
  check_hardware_rule(broken);
  return broken;
}

/// Destroyed, as far as the caller could tell, and on the device still there.
void Context::check_handles_rule(std::vector<Mismatch>& broken) {
  const auto told = [](const Mismatch& mismatch) { return mismatch.key == fmt::format("rule.{}", handles_rule); };
  const bool usable = std::all_of(used_.begin(), used_.end(),
                                  [](const UsedDevice& used) { return used.device == nullptr || used.usable; });
  if (!usable || !handles_before_ || std::any_of(broken.begin(), broken.end(), told)) return;
  check_destroyed(broken, driver().live_handles().value_or(device::LiveHandles{}), *handles_before_);
}

bool Context::is_declared(const device::Race& race, std::size_t place) {
  const auto allows = [&](const DeclaredRaces& declared) {
    const ExpectedRaces& accesses = declared.accesses;
    const auto named = [&](const std::string& name) { return std::ranges::count(accesses.operations, name) != 0; };
    const auto has = [&](const MemoryRange& range) {
      const auto first = reinterpret_cast<std::uintptr_t>(race.address);
      const auto begin = reinterpret_cast<std::uintptr_t>(range.address);
      return first >= begin && first + race.bytes <= begin + range.bytes;
    };
    const bool within = std::ranges::any_of(accesses.memory, has);
    return place >= declared.races_before && within && named(race.earlier) && named(race.later);
  };
  bool is_declared = false;
  for (DeclaredRaces& declared : declared_races_) {
    if (!allows(declared)) continue;
    declared.seen = is_declared = true;
  }
  return is_declared;
}

void Context::check_race_rules(std::vector<Mismatch>& broken) {
  const std::vector<device::Race> races = driver().races();
  std::vector<std::string> undeclared;
  for (std::size_t place = races_before_; place < races.size(); ++place) {
    if (!is_declared(races[place], place)) undeclared.push_back(races[place].description);
  }
  if (!undeclared.empty()) {
    const std::size_t more = undeclared.size() - 1;
    add(broken, "no_hazard", "every access ordered",
        more == 0 ? undeclared.front() : fmt::format("{} (and {} more)", undeclared.front(), more));
  }
  if (!driver().notices_races()) return;
  for (const DeclaredRaces& declared : declared_races_) {
    if (declared.seen) continue;
    add(broken, "expected_races", fmt::format("a race of {}", fmt::join(declared.accesses.operations, ", ")),
        fmt::format("none in the {} ranges of memory", declared.accesses.memory.size()));
  }
}

/// At the very end: what the device was asked to do is done by now.
void Context::check_hardware_rule(std::vector<Mismatch>& broken) {
  if (setup_.watch == nullptr || test_case().needs.devices == 0) return;
  gpu_telemetry_ = setup_.watch->end();
  for (std::size_t i = 0; i < idle_reports_.size(); ++i) gpu_telemetry_.at(i).before = idle_reports_[i];
  for (const GpuTelemetry& telemetry : gpu_telemetry_) {
    for (const HardwareError& error : new_hardware_errors(telemetry)) {
      const int ordinal = setup_.ordinals[static_cast<std::size_t>(telemetry.device)];
      add(broken, hardware_rule,
          "a GPU that answers, with no uncorrectable error, row remap, XID or wish for a recovery while the case ran",
          used_.size() == 1 ? error.text : fmt::format("device {}: {}", ordinal, error.text));
      broken.back().failure = find_failure_kind(error.failure)->code;
    }
  }
}

}  // namespace gpucheck::harness
