#include <gtest/gtest.h>

#include "cases/tests/faults/red_keys.hpp"

// Which observations faults of streams, events, hooks and devices turn red.
namespace gpucheck::cases::test_of_red_streams {
namespace {

class StreamsUnderFaults : public testing::TestWithParam<RedKeys> {};

TEST_P(StreamsUnderFaults, TurnTheseObservationsRed) { expect_red(GetParam()); }

const RedKeys red[] = {
    {"stream.default_and_user", "streams_not_created", "user_is_default user_has_handle"},
    {"stream.default_and_user", "stream_seems_busy", "user_idle"},
    {"stream.default_and_user", "returns_early", "default_idle_after_synchronize"},
    {"stream.default_and_user", "lost_transfer", "on_device"},
    {"stream.default_and_user", "lost_kernel", "on_device"},
    {"stream.devices", "does_not_wait", "idle_after_the_wait first_done_when_second_is"},
    {"stream.devices", "wait_fails", "wait_error idle_after_the_wait first_done_when_second_is"},
    {"stream.devices", "stream_seems_busy", "idle_before_the_wait"},
    {"stream.devices", "times_across_devices", "elapsed_across_error"},
    {"stream.event_flags", "every_event_is_made", "timing_and_interprocess_error is_made_after_the_error"},
    {"stream.event_flags", "returns_early", "idle_after_the_blocking_wait"},
    {"stream.event_flags", "no_time_passes", "elapsed_ms"},
    {"stream.event_misuse", "completes_early", "end_pending_error start_pending_error"},
    {"stream.event_misuse", "waits_for_nothing", "captured_synchronize_error"},
    {"stream.event_misuse", "stream_waits_for_nothing", "captured_wait_error"},
    {"stream.event_timing", "completes_early", "done_at_once pending_error"},
    {"stream.event_timing", "never_recorded", "done_at_once pending_error elapsed_error elapsed_ms"},
    {"stream.event_timing", "returns_early", "done_after_synchronize elapsed_error elapsed_ms"},
    {"stream.event_timing", "no_time_passes", "elapsed_ms"},
    {"stream.event_timing", "lost_kernel", "done_at_once pending_error elapsed_ms"},
    {"stream.external_events_in_captures", "record_fails", "outside_record_error"},
    {"stream.external_events_in_captures", "wait_fails", "outside_wait_error"},
    {"stream.external_events_in_captures", "event_not_in_the_graph", "state_after_the_replay elapsed_error elapsed_ms"},
    {"stream.external_events_in_captures", "completes_early", "state_after_the_replay"},
    {"stream.external_events_in_captures", "no_time_passes", "elapsed_ms"},
    {"stream.external_streams", "stream_seems_idle", "idle_while_it_works"},
    {"stream.external_streams", "stream_seems_busy", "idle_afterwards"},
    {"stream.external_streams", "lost_kernel", "value"},
    {"stream.generic_handles", "no_time_passes", "elapsed_above_zero"},
    {"stream.generic_handles", "returns_early", "first_event_done"},
    {"stream.generic_handles", "returns_early_again", "second_event_done"},
    {"stream.generic_handles", "lost_transfer", "wrong_sums"},
    {"stream.generic_handles", "lost_kernel", "wrong_sums"},
    {"stream.printable_form", "wrong_default_stream", "default_stream"},
    {"stream.printable_form", "streams_not_created", "user_stream"},
    {"stream.record_stream_delays_reuse", "event_never_completes", "reused_afterwards"},
    {"stream.record_stream_delays_reuse", "lost_transfer", "result"},
    {"stream.record_stream_delays_reuse", "stream_seems_idle", "main_stream_idle"},
    {"stream.record_stream_on_view", "completes_early", "empty_view_reused_while_in_use half_view_reused_while_in_use"},
    {"stream.record_stream_on_view", "event_never_completes",
     "empty_view_reused_afterwards half_view_reused_afterwards"},
    {"stream.record_stream_on_view", "stream_seems_idle",
     "empty_view_recorded_stream_idle half_view_recorded_stream_idle"},
    {"stream.to_cpu_blocks_by_default", "stream_seems_busy", "idle_after_call"},
    {"stream.to_cpu_blocks_by_default", "stream_seems_idle", "idle_before"},
    {"stream.to_cpu_blocks_by_default", "lost_transfer", "wrong_elements"},
    {"stream.to_cpu_blocks_by_default", "flipped_bit", "wrong_elements"},
    {"stream.wait_for_others", "does_not_wait_for_streams", "stream_idle_at_once stream_others_work_done stream_value"},
    {"stream.wait_for_others", "does_not_wait_for_events", "event_idle_at_once event_others_work_done event_value"},
    {"stream.wait_for_others", "bystander_seems_busy", "bystander_idle"},
    {"trace.device_synchronize", "returns_early", "idle_afterwards"},
    {"trace.device_synchronize", "stream_seems_idle", "idle_at_call"},
    {"trace.device_synchronize", "waiting_fails", "error idle_afterwards"},
    {"trace.event_create", "second_record_fails", "second_error"},
    {"trace.event_destroy", "event_not_created", "error event_given"},
    {"trace.event_destroy", "record_fails", "error"},
    {"trace.event_record", "record_fails", "error calls event_given stream"},
    {"trace.event_synchronize", "returns_early", "idle_afterwards"},
    {"trace.event_synchronize", "stream_seems_idle", "idle_at_call"},
    {"trace.event_synchronize", "waiting_fails", "error idle_afterwards"},
    {"trace.event_wait", "wait_fails", "error calls event_given stream"},
    {"trace.memcpy_synchronize", "waiting_fails", "error nonzero idle_afterwards"},
    {"trace.memcpy_synchronize", "lost_copy", "nonzero"},
    {"trace.memcpy_synchronize", "stream_seems_busy", "idle_afterwards"},
    {"trace.memory_*", "allocation_fails", "error calls tensor_address_given"},
    // The runtime takes a null pointer for a block, and calls no hook for it.
    {"trace.memory_*", "allocation_dropped", "calls tensor_address_given"},
    {"trace.stream_create", "stream_creation_fails", "error calls user_stream_given different_streams"},
    {"trace.stream_create", "streams_not_created", "user_stream_given different_streams"},
    {"trace.stream_synchronize", "returns_early", "idle_afterwards"},
    {"trace.stream_synchronize", "stream_seems_idle", "idle_at_call"},
    {"trace.stream_synchronize", "waiting_fails", "error idle_afterwards"},
    {"trace.stream_synchronize", "streams_not_created", "stream_given"},
    {"device.check_error", "impossible_allocation_succeeds", "impossible_allocation_code impossible_allocation_error"},
    {"device.check_error", "wrong_code", "impossible_allocation_code impossible_allocation_error"},
    {"device.check_error", "error_not_cleared", "last_error_after_reading_it"},
    {"device.index_parsing", "devices_unknown", "text_means_device"},
    {"device.uuid", "devices_unknown", "bytes_not_zero"},
    {"host.no_implicit_host_view", "device_memory_unknown", "device_memory_error"},
    {"host.no_implicit_host_view", "pointer_info_fails", "host_memory_error host_view_is_in_place value"},
    {"host.no_implicit_host_view", "lost_copy", "value"},
    {"host.nvtx_ranges", "lost_kernel", "value"},
};

INSTANTIATE_TEST_SUITE_P(Each, StreamsUnderFaults, testing::ValuesIn(red));

}  // namespace
}  // namespace gpucheck::cases::test_of_red_streams
