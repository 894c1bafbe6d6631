#include "recorded_document.hpp"

namespace gpucheck::application {

nlohmann::ordered_json recorded_json(const replay::ConversionReport& report) {
  return {{"event_count", report.recorded_events},
          {"settings_told", report.settings_are_recorded},
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

}  // namespace gpucheck::application
