#include "cases/registry.hpp"

#include "cases/cases.hpp"

namespace gpucheck::cases {

std::vector<harness::Case> all() {
  return {
      alloc::caching_disabled_raw_alloc(),
      alloc::fuzz(),
      alloc::leak_check_propagates_error(),
      alloc::matmul_peak_memory(),
      alloc::memory_fraction(),
      alloc::oom_message(),
      alloc::oom_observer(),
      alloc::oom_retry(),
      alloc::pluggable_alignment(),
      alloc::pluggable_capture(),
      alloc::pluggable_latency(),
      alloc::pluggable_leaks(),
      alloc::pluggable_out_of_memory(),
      alloc::pluggable_overlap(),
      alloc::pluggable_sizes(),
      alloc::pluggable_streams(),
      alloc::pluggable_threads(),
      alloc::raises_oom(),
      alloc::raw_alloc_delete(),
      alloc::record_stream_oom(),
      alloc::settings(),
      assertion::assert_async(),
      assertion::index_out_of_bounds(),
      assertion::multinomial_invalid_probs(),
      device_group::check_error(),
      graph::capture_simple(),
      graph::default_stream_capture_refused(),
      graph::empty_graph_warning(),
      graph::reset_and_recapture(),
      host::lazy_init(),
      pinned::cache_reuse_after_event(),
      pinned::copy_non_blocking(),
      pinned::copy_type_conversion(),
      pinned::cudart_register(),
      pinned::host_register_backend(),
      pinned::host_register_multithread(),
      pinned::noncontiguous(),
      pinned::to_non_blocking(),
      pool::check_live_allocations(),
      pool::checkpoint_adjacent_blocks(),
      pool::checkpoint_middle_block(),
      pool::checkpoint_missing_stale_error(),
      pool::checkpoint_simple(),
      pool::checkpoint_stale_storage(),
      pool::checkpoint_two_middle_blocks(),
      pool::reattach_deleters(),
      pool::tensor_dies_after_checkpoint(),
      pool::thread_routed_allocation(),
  };
}

}  // namespace gpucheck::cases
