#include "observe/snapshot/snapshot_file.hpp"

#include <fmt/format.h>

#include "observe/snapshot/json_writer.hpp"
#include "observe/snapshot/pickle_writer.hpp"
#include "observe/snapshot/snapshot_keys.hpp"

namespace gpucheck::observe {
namespace {

using detail::ValueWriter;

class Emitter {
 public:
  Emitter(const MemorySnapshot& snapshot, ValueWriter& out) : snapshot_(snapshot), out_(out) {}

  void emit() {
    out_.begin_dictionary();
    out_.key(snapshot_keys::segments);
    list(snapshot_.segments, [this](const SnapshotSegment& each) { segment(each); });
    out_.key(snapshot_keys::device_traces);
    traces();
    out_.key(snapshot_keys::allocator_settings);
    settings(snapshot_.settings);
    out_.key(snapshot_keys::external_annotations);
    list(snapshot_.annotations, [this](const Annotation& each) { annotation(each); });
    if (!snapshot_.streams.empty() || !snapshot_.pools.empty()) objects();
    out_.end_dictionary();
  }

 private:
  template <typename Items, typename Write>
  void list(const Items& items, Write write) {
    out_.begin_list();
    for (const auto& item : items) write(item);
    out_.end_list();
  }
  void string(std::string_view key, std::string_view value) {
    out_.key(key);
    out_.string(value);
  }
  void number(std::string_view key, std::uint64_t value) {
    out_.key(key);
    out_.unsigned_integer(value);
  }
  void signed_number(std::string_view key, std::int64_t value) {
    out_.key(key);
    out_.integer(value);
  }
  void boolean(std::string_view key, bool value) {
    out_.key(key);
    out_.boolean(value);
  }

  void segment(const SnapshotSegment& segment) {
    const runtime::SegmentInfo& info = segment.info;
    out_.begin_dictionary();
    signed_number(snapshot_keys::device, snapshot_.device_ordinal);
    number(snapshot_keys::address, info.address);
    number(snapshot_keys::total_size, info.total_size);
    number(snapshot_keys::allocated_size, info.allocated_size);
    number(snapshot_keys::active_size, info.active_size);
    number(snapshot_keys::requested_size, info.requested_size);
    number(snapshot_keys::stream, info.stream.value);
    string(snapshot_keys::segment_type, info.is_large ? snapshot_keys::type_large : snapshot_keys::type_small);
    out_.key(snapshot_keys::segment_pool_id);
    out_.pair(info.pool.first, info.pool.second);
    boolean(snapshot_keys::is_expandable, info.is_expandable);
    frames(segment.stack);
    out_.key(snapshot_keys::blocks);
    out_.begin_list();
    for (std::size_t i = 0; i < info.blocks.size(); ++i) block(info.blocks[i], segment.block_stacks[i]);
    out_.end_list();
    out_.end_dictionary();
  }

  void block(const runtime::BlockInfo& block, StackNumber stack) {
    out_.begin_dictionary();
    number(snapshot_keys::address, block.address);
    number(snapshot_keys::size, block.size);
    number(snapshot_keys::requested_size, block.requested_size);
    string(snapshot_keys::state, runtime::name_of(block.state));
    frames(stack);
    out_.end_dictionary();
  }

  void frames(StackNumber stack) {
    out_.key(snapshot_keys::frames);
    if (out_.repeat(stack)) return;
    out_.begin_shared(stack);
    list(snapshot_.stacks[stack], [this](const Frame& frame) {
      out_.begin_dictionary();
      string(snapshot_keys::name, frame.name);
      string(snapshot_keys::filename, frame.filename);
      signed_number(snapshot_keys::line, frame.line);
      out_.end_dictionary();
    });
    out_.end_shared();
  }

  /// One list for each device up to this one, as the index is the device's number.
  void traces() {
    out_.begin_list();
    for (int device = 0; device < snapshot_.device_ordinal; ++device) list(std::vector<TraceEntry>{}, [](auto&) {});
    list(snapshot_.trace, [this](const TraceEntry& each) { entry(each); });
    out_.end_list();
  }

  void entry(const TraceEntry& entry) {
    out_.begin_dictionary();
    string(snapshot_keys::action, runtime::name_of(entry.action));
    number(entry.action == runtime::MemoryAction::oom ? snapshot_keys::device_free : snapshot_keys::addr,
           entry.address);
    number(snapshot_keys::size, entry.size);
    number(snapshot_keys::stream, entry.stream.value);
    signed_number(snapshot_keys::time_us, entry.time_us);
    string(snapshot_keys::compile_context, entry.compile_context);
    string(snapshot_keys::user_metadata, entry.user_metadata);
    if (entry.stack != 0) frames(entry.stack);
    out_.end_dictionary();
  }

  void settings(const runtime::AllocatorSettings& settings) {
    out_.begin_dictionary();
    string(snapshot_keys::settings_text, settings.text);
    signed_number(snapshot_keys::max_split_size, static_cast<std::int64_t>(settings.max_split_size));
    out_.key(snapshot_keys::garbage_collection_threshold);
    out_.floating_point(settings.garbage_collection_threshold);
    boolean(snapshot_keys::expandable_segments, settings.expandable_segments);
    number("pinned_num_register_threads", settings.pinned_num_register_threads);
    boolean("release_lock_on_cudamalloc", settings.release_lock_on_device_allocation);
    boolean("pinned_use_cuda_host_register", settings.pinned_use_host_register);
    boolean("graph_capture_record_stream_reuse", settings.graph_capture_record_stream_reuse);
    out_.key(snapshot_keys::roundup_power2_divisions);
    out_.begin_dictionary();
    for (std::size_t i = 0; i < settings.roundup_power2_divisions.size(); ++i) {
      number(fmt::to_string(std::uint64_t{1} << i), settings.roundup_power2_divisions[i]);
    }
    out_.end_dictionary();
    out_.end_dictionary();
  }

  void annotation(const Annotation& annotation) {
    out_.begin_dictionary();
    string(snapshot_keys::name, annotation.name);
    string("stage", annotation.stage == AnnotationStage::start ? "START" : "END");
    signed_number(snapshot_keys::device, snapshot_.device_ordinal);
    signed_number(snapshot_keys::time_us, annotation.time_us);
    out_.end_dictionary();
  }

  void objects() {
    out_.key(snapshot_keys::objects);
    out_.begin_dictionary();
    out_.key(snapshot_keys::streams);
    list(snapshot_.streams, [this](const NamedStream& each) { stream(each); });
    out_.key(snapshot_keys::pools);
    list(snapshot_.pools, [this](const PoolUses& each) { pool(each); });
    out_.end_dictionary();
  }

  void stream(const NamedStream& stream) {
    out_.begin_dictionary();
    signed_number(snapshot_keys::device, snapshot_.device_ordinal);
    number(snapshot_keys::stream, stream.stream.value);
    signed_number(snapshot_keys::stream_id, stream.id);
    string(snapshot_keys::name, stream.name);
    out_.end_dictionary();
  }

  void pool(const PoolUses& uses) {
    out_.begin_dictionary();
    signed_number(snapshot_keys::device, snapshot_.device_ordinal);
    out_.key(snapshot_keys::segment_pool_id);
    out_.pair(uses.pool.first, uses.pool.second);
    signed_number(snapshot_keys::use_count, uses.use_count);
    out_.key(snapshot_keys::graphs);
    list(uses.graphs, [this](std::uint64_t graph) { out_.unsigned_integer(graph); });
    out_.end_dictionary();
  }

  const MemorySnapshot& snapshot_;
  ValueWriter& out_;
};

}  // namespace

void write_json(const MemorySnapshot& snapshot, std::ostream& stream) {
  detail::JsonWriter writer(stream);
  Emitter(snapshot, writer).emit();
  writer.finish();
}

void write_pickle(const MemorySnapshot& snapshot, std::ostream& stream) {
  detail::PickleWriter writer(stream);
  Emitter(snapshot, writer).emit();
  writer.finish();
}

}  // namespace gpucheck::observe
