#include <fmt/format.h>

#include "device/status.hpp"
#include "harness/context.hpp"
#include "harness/counting_device.hpp"

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

}  // namespace

std::vector<Mismatch> Context::close() {
  std::vector<Mismatch> broken;
  if (runtime_ != nullptr) check_runtime_rules(broken);
  // What else a device with a sticky error says is that error again: nothing to judge.
  const bool usable = device_ != nullptr && check_error_rule(broken);
  if (usable) check_capture_mode(broken, *device_);
  runtime_.reset();
  if (usable) check_memory_rules(broken);
  check_hazard_rule(broken);
  return broken;
}

void Context::check_runtime_rules(std::vector<Mismatch>& broken) {
  const runtime::DeviceAllocator& allocator = runtime_->allocator();
  runtime::AllocatorSettings settings = allocator.settings();
  const std::string text = std::exchange(settings.text, found_.settings.text);  // other words for the same are fine
  if (settings != found_.settings) {
    add(broken, "settings_restored", fmt::format("as found: \"{}\"", found_.settings.text),
        fmt::format("other values: \"{}\"", text));
  }
  if (allocator.memory_fraction() != found_.memory_fraction) {
    add(broken, "memory_fraction_restored", fmt::format("{}", found_.memory_fraction),
        fmt::format("{}", allocator.memory_fraction()));
  }
  if (runtime_->current_stream() != found_.stream) {
    add(broken, "current_stream_restored", fmt::format("stream {:#x}", found_.stream.value),
        fmt::format("stream {:#x}", runtime_->current_stream().value));
  }
  const auto live = allocator.live_allocations();
  if (live.count != 0 || live.bytes != 0) {
    add(broken, "allocator_memory_freed", "every block freed",
        fmt::format("{} bytes in {} blocks", live.bytes, live.count));
  }
  const auto pinned = runtime_->pinned_allocator().live_allocations();
  if (pinned.count != 0) {
    add(broken, "pinned_blocks_freed", "every block freed",
        fmt::format("{} bytes in {} blocks", pinned.bytes, pinned.count));
  }
}

bool Context::check_error_rule(std::vector<Mismatch>& broken) {
  // Three witnesses, each of which may be wrong or be asked in vain: reading the last
  // error also clears it, unless it is sticky, so that no later case meets it.
  const Status synchronized = device_->synchronize();
  const Status noted = device_->last_error();
  const device::Result<device::MemoryInfo> answer = device_->memory_info();
  Status left = synchronized;
  if (left == Status::success && device::is_sticky(noted)) left = noted;
  if (left == Status::success && !answer) left = answer.error();
  if (left == Status::success) return true;
  add(broken, "no_sticky_error", "no error after synchronizing the device", words(*device_, left));
  return false;
}

void Context::check_memory_rules(std::vector<Mismatch>& broken) {
  // What a library of the user's keeps is its own.
  if (allocator().kind != runtime::AllocatorChoice::Kind::library) {
    check_freed(broken, "device_memory_freed", device_->live_device_memory());
  }
  check_freed(broken, "pinned_memory_freed", device_->live_pinned_memory());
}

void Context::check_hazard_rule(std::vector<Mismatch>& broken) {
  const std::vector<std::string> hazards = driver().hazards();
  if (hazards.size() <= hazards_before_) return;
  const std::size_t more = hazards.size() - hazards_before_ - 1;
  add(broken, "no_hazard", "every access ordered",
      more == 0 ? hazards[hazards_before_] : fmt::format("{} (and {} more)", hazards[hazards_before_], more));
}

}  // namespace gpucheck::harness
