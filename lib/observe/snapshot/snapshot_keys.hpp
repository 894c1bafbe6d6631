#pragma once

#include <string_view>

/// The keys of a memory snapshot, as PyTorch names them: the writer here and the reader in
/// lib/replay use the same ones. Its words for actions and states are
/// `runtime::name_of(MemoryAction)` and `runtime::name_of(BlockState)`.
namespace gpucheck::observe::snapshot_keys {

// -- the snapshot ------------------------------------------------------------------
inline constexpr std::string_view segments = "segments";
inline constexpr std::string_view device_traces = "device_traces";
inline constexpr std::string_view allocator_settings = "allocator_settings";
inline constexpr std::string_view external_annotations = "external_annotations";
/// Not of PyTorch: what streams are called and whose pools are. Readers that do not know it ignore it.
inline constexpr std::string_view objects = "gpucheck_objects";

// -- what several of its dictionaries have -------------------------------------------
inline constexpr std::string_view device = "device";
inline constexpr std::string_view address = "address";
inline constexpr std::string_view size = "size";
inline constexpr std::string_view requested_size = "requested_size";
inline constexpr std::string_view stream = "stream";
inline constexpr std::string_view segment_pool_id = "segment_pool_id";
inline constexpr std::string_view time_us = "time_us";
inline constexpr std::string_view frames = "frames";
inline constexpr std::string_view name = "name";

// -- a segment and its blocks ----------------------------------------------------------
inline constexpr std::string_view total_size = "total_size";
inline constexpr std::string_view allocated_size = "allocated_size";
inline constexpr std::string_view active_size = "active_size";
inline constexpr std::string_view segment_type = "segment_type";
inline constexpr std::string_view type_large = "large";
inline constexpr std::string_view type_small = "small";
inline constexpr std::string_view is_expandable = "is_expandable";
inline constexpr std::string_view blocks = "blocks";
inline constexpr std::string_view state = "state";

// -- a frame of a stack ------------------------------------------------------------------
inline constexpr std::string_view filename = "filename";
inline constexpr std::string_view line = "line";

// -- an event ------------------------------------------------------------------------
inline constexpr std::string_view action = "action";
inline constexpr std::string_view addr = "addr";
inline constexpr std::string_view device_free = "device_free";
inline constexpr std::string_view pool_id = "pool_id";  ///< of some releases, for segment_pool_id
inline constexpr std::string_view compile_context = "compile_context";
inline constexpr std::string_view user_metadata = "user_metadata";

// -- the settings --------------------------------------------------------------------
inline constexpr std::string_view settings_text = "PYTORCH_CUDA_ALLOC_CONF";
inline constexpr std::string_view settings_text_of_newer_releases = "PYTORCH_ALLOC_CONF";
inline constexpr std::string_view max_split_size = "max_split_size";
inline constexpr std::string_view garbage_collection_threshold = "garbage_collection_threshold";
inline constexpr std::string_view expandable_segments = "expandable_segments";
inline constexpr std::string_view roundup_power2_divisions = "roundup_power2_divisions";

// -- the objects -----------------------------------------------------------------------
inline constexpr std::string_view streams = "streams";
inline constexpr std::string_view stream_id = "stream_id";
inline constexpr std::string_view pools = "pools";
inline constexpr std::string_view use_count = "use_count";
inline constexpr std::string_view graphs = "graphs";

}  // namespace gpucheck::observe::snapshot_keys
