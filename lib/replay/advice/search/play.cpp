#include "replay/advice/search/play.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "replay/targets/caching_allocator_target.hpp"
#include "replay/targets/player.hpp"
#include "runtime/allocator/errors.hpp"

namespace gpucheck::replay {

namespace {

/// Knows whether the allocator has asked it for memory since it was asked last: only then
/// can what is reserved have grown, and asking the allocator costs as much as a call.
class WatchedDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override {
    was_asked_ = true;
    return inner().allocate(bytes);
  }
  device::Status map_memory(void* pointer, std::size_t bytes) override {
    was_asked_ = true;
    return inner().map_memory(pointer, bytes);
  }
  [[nodiscard]] bool was_asked() noexcept { return std::exchange(was_asked_, false); }

 private:
  bool was_asked_ = false;
};

void note_reserved(std::size_t step, const Usage& now, PlayFigures& figures) {
  const auto reserved = static_cast<std::uint64_t>(now.reserved_bytes.value_or(0));
  if (reserved <= figures.peak_reserved_bytes) return;
  figures.peak_reserved_bytes = reserved;
  figures.peak_step = step;
  figures.allocated_at_peak_bytes = static_cast<std::uint64_t>(now.allocated_bytes);
}

PlayFigures figures_of(PlayedDevice played, const Trace& trace, const PlayConditions& conditions) {
  WatchedDevice device(std::move(played.device));
  CachingAllocatorTarget target(device, {conditions.settings, conditions.memory_limit_bytes, trace.stream_count});
  PlayFigures figures;
  Player player(trace, target, conditions.pace);
  player.play_while([&](std::size_t step, const Player::Step& seen) {
    const bool was_asked = device.was_asked();
    if (was_asked) note_reserved(step, target.usage(), figures);
    if (was_asked && conditions.stops_at_retry && target.counters().retries > 0) return false;
    if (!seen.out_of_memory) return true;
    if (figures.out_of_memory_count++ == 0) figures.first_out_of_memory_step = step;
    return !conditions.stops_at_out_of_memory;
  });
  const AllocatorCounters counters = target.counters();
  figures.device_allocations = counters.device_allocations;
  figures.retries = counters.retries;
  figures.peak_allocated_bytes = counters.peak_allocated_bytes;
  return figures;
}

/// What a device cannot do costs this play, and no other.
PlayFigures play_on(PlayedDevice played, const Trace& trace, const PlayConditions& conditions) {
  try {
    return figures_of(std::move(played), trace, conditions);
  } catch (const runtime::SettingsError&) {
    throw;
  } catch (const Error& error) {
    PlayFigures figures;
    figures.problem = error.what();
    return figures;
  }
}

}  // namespace

void reuse_allocation_numbers(Trace& trace) {
  std::vector<std::uint32_t> number_of(trace.allocation_count);
  std::vector<std::uint32_t> unused;
  std::uint32_t count = 0;
  for (Event& event : trace.events) {
    const bool is_try = event.action == Action::try_allocate;
    if (event.action == Action::allocate || is_try) {
      if (unused.empty()) unused.push_back(count++);
      number_of[event.id] = unused.back();
      unused.pop_back();
    }
    if (frees(event.action) || is_try) unused.push_back(number_of[event.id]);
    const bool names_one = is_try || frees(event.action) || event.action <= Action::record_stream;
    if (names_one) event.id = number_of[event.id];
  }
  trace.allocation_count = count;
}

PlayFigures play(const Trace& trace, const PlayConditions& conditions, const DeviceSource& devices) {
  if (!devices.sizes) return play_on(devices.open(std::nullopt), trace, conditions);
  if (conditions.memory_limit_bytes) {
    // On a device that has more there is no limit but the one that is set.
    return play_on(devices.open(std::max(*conditions.memory_limit_bytes, devices.sizes->default_bytes)), trace,
                   conditions);
  }
  PlayConditions until_short = conditions;
  until_short.stops_at_out_of_memory = true;
  for (std::uint64_t bytes = devices.sizes->default_bytes; bytes < devices.sizes->max_bytes; bytes *= 2) {
    const PlayFigures figures = play_on(devices.open(bytes), trace, until_short);
    const bool never_short = figures.runs_to_its_end() && figures.retries == 0;
    if (never_short) return figures;
  }
  return play_on(devices.open(devices.sizes->max_bytes), trace, conditions);
}

}  // namespace gpucheck::replay
