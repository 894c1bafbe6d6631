#include "harness/xid/judge.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "harness/xid/catalog.hpp"
#include "telemetry/machine/reading.hpp"

namespace gpucheck::harness {
namespace {

using Kind = telemetry::KernelEventKind;
using telemetry::KernelEvent;

constexpr std::string_view warning = "error_to_watch";
constexpr std::string_view unnamed = "hardware_error_reported";
constexpr std::int64_t recovery_action_changed = 154;
constexpr std::int64_t remap_not_recorded = 64;

bool is_of_newer_nvlinks(std::int64_t xid) { return xid >= 144 && xid <= 150; }

std::string_view failure_of_action(std::string_view text) {
  const auto action = telemetry::recovery_action(text);
  return action ? failure_of_recovery(static_cast<std::int64_t>(*action)) : unnamed;
}

std::string_view failure_of_xid(const KernelEvent& event) {
  if (event.xid == recovery_action_changed) return failure_of_action(event.text);
  if (is_of_newer_nvlinks(event.xid) && telemetry::is_fatal(event.text) == false) return warning;
  const XidInfo* const info = find_xid(event.xid);
  return info == nullptr ? unnamed : info->failure;
}

std::string name_of(const KernelEvent& event) {
  switch (event.kind) {
    case Kind::xid: {
      const XidInfo* const info = find_xid(event.xid);
      return fmt::format("XID {} {}", event.xid, info == nullptr ? "(not in NVIDIA's catalogue)" : info->name);
    }
    case Kind::switch_error:
      return fmt::format("SXid {} of the NVSwitch {}", event.xid, event.pci_address);
    case Kind::off_the_bus:
      return "off the bus";
    case Kind::init_failed:
      return "not started";
    case Kind::reset_required:
      return "reset required";
    default:
      return std::string(telemetry::to_text(event.kind));
  }
}

std::string when(const KernelEvent& event) {
  const auto time = [](const std::optional<std::int64_t>& seconds) {
    return seconds ? telemetry::utc_text(*seconds) : "an unknown time";
  };
  if (event.count == 1) return fmt::format("at {}", time(event.last_time_s));
  return fmt::format("{} times from {} to {}", event.count, time(event.first_time_s), time(event.last_time_s));
}

}  // namespace

std::string_view failure_of_recovery(std::int64_t action) noexcept {
  switch (action) {
    case telemetry::recovery::none:
      return {};
    case telemetry::recovery::gpu_reset:
      return "gpu_reset_required";
    case telemetry::recovery::node_reboot:
      return "reboot_required";
    case telemetry::recovery::drain_peers:
    case telemetry::recovery::drain_and_reset:
      return "drain_required";
    case telemetry::recovery::recover_imex_domain:
      return "imex_recovery_required";
    default:
      return unnamed;
  }
}

std::string_view failure_of(const KernelEvent& event) {
  switch (event.kind) {
    case Kind::xid:
      return failure_of_xid(event);
    case Kind::switch_error:
      return telemetry::is_fatal(event.text) == false ? warning : "switch_error";
    case Kind::off_the_bus:
      return "gpu_lost";
    case Kind::init_failed:
      return unnamed;
    case Kind::reset_required:
      return "gpu_reset_required";
    default:
      return {};
  }
}

std::string text_of(const KernelEvent& event) {
  constexpr std::size_t longest = 200;
  return fmt::format("{}, {}: {}", name_of(event), when(event), one_line(event.text, longest));
}

bool needs_text(std::int64_t number) noexcept {
  return is_of_newer_nvlinks(number) || number == recovery_action_changed;
}

std::vector<std::int64_t> xids_named(const std::vector<std::string>& texts) {
  constexpr std::string_view mark = "XID ";
  std::vector<std::int64_t> xids;
  for (const std::string& text : texts) {
    std::int64_t number = 0;
    if (!text.starts_with(mark)) return {};
    const auto [_, problem] = std::from_chars(text.data() + mark.size(), text.data() + text.size(), number);
    if (problem != std::errc{}) return {};
    xids.push_back(number);
  }
  return xids;
}

std::string_view failure_while_running(std::int64_t number) {
  if (number == remap_not_recorded) return "remap_not_recorded";
  const XidInfo* const info = find_xid(number);
  if (info == nullptr) return unnamed;
  if (info->cause == XidCause::program) return {};
  return info->failure == warning ? unnamed : info->failure;
}

}  // namespace gpucheck::harness
