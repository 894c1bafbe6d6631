#pragma once

#include "harness/case.hpp"

/// One function for each case, defined in `<group>/<case>.cpp`. A new case is declared
/// here and listed in registry.cpp.
namespace gpucheck::cases {

namespace alloc {
harness::Case caching_disabled_raw_alloc();
harness::Case fuzz();
harness::Case leak_check_propagates_error();
harness::Case matmul_peak_memory();
harness::Case memory_fraction();
harness::Case oom_message();
harness::Case oom_observer();
harness::Case oom_retry();
harness::Case pluggable_alignment();
harness::Case pluggable_capture();
harness::Case pluggable_latency();
harness::Case pluggable_leaks();
harness::Case pluggable_out_of_memory();
harness::Case pluggable_overlap();
harness::Case pluggable_sizes();
harness::Case pluggable_streams();
harness::Case pluggable_threads();
harness::Case raises_oom();
harness::Case raw_alloc_delete();
harness::Case record_stream_oom();
harness::Case settings();
}  // namespace alloc

namespace assertion {
harness::Case assert_async();
harness::Case index_out_of_bounds();
harness::Case multinomial_invalid_probs();
}  // namespace assertion

namespace device_group {
harness::Case check_error();
}  // namespace device_group

namespace graph {
harness::Case capture_simple();
harness::Case default_stream_capture_refused();
harness::Case empty_graph_warning();
harness::Case reset_and_recapture();
}  // namespace graph

namespace host {
harness::Case lazy_init();
}  // namespace host

namespace pinned {
harness::Case cache_reuse_after_event();
harness::Case copy_non_blocking();
harness::Case copy_type_conversion();
harness::Case cudart_register();
harness::Case host_register_backend();
harness::Case host_register_multithread();
harness::Case noncontiguous();
harness::Case to_non_blocking();
}  // namespace pinned

namespace pool {
harness::Case check_live_allocations();
harness::Case checkpoint_adjacent_blocks();
harness::Case checkpoint_middle_block();
harness::Case checkpoint_missing_stale_error();
harness::Case checkpoint_simple();
harness::Case checkpoint_stale_storage();
harness::Case checkpoint_two_middle_blocks();
harness::Case reattach_deleters();
harness::Case tensor_dies_after_checkpoint();
harness::Case thread_routed_allocation();
}  // namespace pool

namespace snapshot {
harness::Case direct_traceback();
harness::Case free_stack_context();
harness::Case history_context_toggle();
harness::Case native_api_serialized();
harness::Case native_frames();
harness::Case plots();
harness::Case script_frame();
harness::Case segment_free_stack();
harness::Case state_history();
}  // namespace snapshot

namespace trace {
harness::Case memory_alloc();
harness::Case memory_free();
}  // namespace trace

}  // namespace gpucheck::cases
