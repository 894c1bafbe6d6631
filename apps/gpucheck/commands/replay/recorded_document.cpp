#include "commands/replay/recorded_document.hpp"

#include <algorithm>

namespace gpucheck::application {

nlohmann::ordered_json recorded_json(const replay::ConversionReport& report) {
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const replay::SettingsItem& item : report.settings.skipped) {
    skipped.push_back({{"key", item.key}, {"value", item.value}});
  }
  return {{"event_count", report.recorded_events},
          {"settings_told", report.settings_are_recorded},
          {"settings_text", report.settings.text},
          {"skipped_settings", std::move(skipped)},
          {"settings_remarks", report.settings.remarks},
          {"initial_block_count", report.initial_blocks},
          {"initial_allocated_bytes", report.initial_bytes},
          {"initial_reserved_bytes", report.initial_reserved_bytes},
          {"peak_reserved_bytes", report.recorded_peak_reserved_bytes},
          {"peak_active_bytes", report.recorded_peak_active_bytes},
          {"capacity_bytes", or_null(report.recorded_capacity_bytes)},
          {"capacity_is_own_limit", report.recorded_capacity_is_own_limit},
          {"out_of_memory_count", report.out_of_memory},
          {"deferred_free_count", report.deferred_frees},
          {"empty_cache_count", report.empty_caches},
          {"allocator_release_count", report.allocator_releases},
          {"private_pool_event_count", report.private_pool_events},
          {"private_pool_count", report.private_pools},
          {"ignored_event_count", report.ignored_events},
          {"contradiction_count", report.contradictions}};
}

nlohmann::ordered_json stack_json(const replay::StackTable& stacks, replay::StackId stack) {
  // A small file can name one frame a million times.
  constexpr std::size_t most_frames = 400;
  const std::vector<std::uint32_t>& places = stacks.stacks[stack];
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min(places.size(), most_frames); ++i) {
    const replay::StackFrame& frame = stacks.frames[places[i]];
    frames.push_back({{"name", frame.name}, {"filename", frame.filename}, {"line", frame.line}});
  }
  return frames;
}

}  // namespace gpucheck::application
