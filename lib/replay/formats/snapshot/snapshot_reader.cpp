#include <algorithm>
#include <array>

#include "observe/snapshot/snapshot_keys.hpp"
#include "replay/formats/bytes/known_keys.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/snapshot/event_reader.hpp"
#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/formats/snapshot/stack_reader.hpp"
#include "runtime/allocator/snapshot.hpp"

namespace gpucheck::replay {

namespace {

namespace keys = observe::snapshot_keys;

template <typename AnyCursor>
SnapshotBlockState read_state(const AnyCursor& value) {
  using State = runtime::BlockState;
  // PyTorch's documentation calls the third state by the fourth name.
  KnownWords<4> words{{runtime::name_of(State::inactive), runtime::name_of(State::active_allocated),
                       runtime::name_of(State::active_pending_free), "active_awaiting_free"}};
  const unsigned number = words.find(value.as_string());
  if (number == words.unknown) value.fail("expected inactive, active_allocated or active_pending_free");
  return static_cast<SnapshotBlockState>(std::min(number, 2U));
}

template <typename AnyCursor>
SnapshotBlock read_block(const AnyCursor& entry, StackParser& stacks) {
  enum Field : unsigned { address, size, requested_size, state, frames };
  KnownWords<5> known{{keys::address, keys::size, keys::requested_size, keys::state, keys::frames}};
  SnapshotBlock block;
  FieldSet fields;
  for_each_known_field(entry, known, fields, [&](unsigned field, const AnyCursor& value) {
    switch (field) {
      case address:
        block.address = value.as_handle();
        break;
      case size:
        block.size = value.as_unsigned();
        break;
      case requested_size:
        block.requested_size = value.as_unsigned();
        break;
      case frames:
        block.stack = stacks.read(value);
        break;
      default:
        block.state = read_state(value);
        break;
    }
  });
  fields.need(size, keys::size, entry);
  fields.need(state, keys::state, entry);
  if (!fields.has(requested_size)) block.requested_size = block.size;
  return block;
}

/// Blocks tile their segment; files of older releases leave their addresses out.
template <typename AnyCursor>
void place_blocks(SnapshotSegment& segment, const AnyCursor& entry) {
  std::uint64_t placed = 0;
  for (SnapshotBlock& block : segment.blocks) {
    const std::uint64_t address = segment.address + placed;
    if (block.address != 0 && block.address != address) entry.fail("expected blocks that follow one another");
    if (block.size > segment.total_size - placed) entry.fail("expected blocks that fit into their segment");
    block.address = address;
    placed += block.size;
  }
  if (placed != segment.total_size) entry.fail("expected blocks that add up to the segment's total_size");
}

template <typename AnyCursor>
bool read_is_large(const AnyCursor& value) {
  const std::string_view type = value.as_string();
  if (type != keys::type_large && type != keys::type_small) value.fail("expected small or large");
  return type == keys::type_large;
}

template <typename AnyCursor>
SnapshotSegment read_segment(const AnyCursor& entry, StackParser& stacks) {
  enum Field : unsigned { address, total_size, stream, device, type, pool, expandable, blocks };
  KnownWords<8> known{{keys::address, keys::total_size, keys::stream, keys::device, keys::segment_type,
                       keys::segment_pool_id, keys::is_expandable, keys::blocks}};
  SnapshotSegment segment;
  FieldSet fields;
  for_each_known_field(entry, known, fields, [&](unsigned field, const AnyCursor& value) {
    switch (field) {
      case address:
        segment.address = value.as_handle();
        break;
      case total_size:
        segment.total_size = value.as_unsigned();
        break;
      case stream:
        segment.stream = value.as_handle();
        break;
      case device:
        segment.device = value.as_unsigned();
        break;
      case type:
        segment.is_large = read_is_large(value);
        break;
      case pool:
        segment.pool = read_pool(value);
        break;
      case expandable:
        segment.is_expandable = value.as_bool();
        break;
      default:
        value.for_each_item([&](const AnyCursor& block) { segment.blocks.push_back(read_block(block, stacks)); });
        break;
    }
  });
  for (const Field field : {address, total_size, stream, blocks}) fields.need(field, known[field], entry);
  place_blocks(segment, entry);
  return segment;
}

template <typename AnyCursor>
SnapshotSettings read_settings(const AnyCursor& entry) {
  SnapshotSettings settings;
  entry.for_each_field([&](std::string_view key, const AnyCursor& value) {
    if (key == keys::settings_text || key == keys::settings_text_of_newer_releases) {
      settings.text = value.as_short_string(longest_settings);
    } else if (key == keys::max_split_size) {
      settings.max_split_size = value.as_wrapped();
    } else if (key == keys::garbage_collection_threshold) {
      settings.garbage_collection_threshold = value.as_double();
    } else if (key == keys::expandable_segments) {
      settings.expandable_segments = value.as_bool();
    } else if (key == keys::roundup_power2_divisions) {
      value.for_each_field([&](std::string_view size, const AnyCursor& divisions) {
        settings.roundup_power2_divisions.emplace_back(size.substr(0, longest_name), divisions.as_unsigned());
      });
    }
  });
  return settings;
}

template <typename AnyCursor>
void read_segments(const AnyCursor& list, StackParser& stacks, Snapshot& snapshot) {
  list.for_each_item([&](const AnyCursor& entry) { snapshot.segments.push_back(read_segment(entry, stacks)); });
}

template <typename AnyCursor>
void read_events(const AnyCursor& list, StackParser& stacks, Snapshot& snapshot) {
  EventReader<AnyCursor> reader(stacks);
  list.for_each_item([&](const AnyCursor& device) {
    std::vector<SnapshotEvent>& events = snapshot.device_traces.emplace_back();
    events.reserve(device.count_hint());
    device.for_each_item([&](const AnyCursor& entry) { events.push_back(reader.read(entry)); });
  });
}

template <typename AnyCursor>
SnapshotStream read_stream(const AnyCursor& entry) {
  SnapshotStream stream;
  entry.for_each_field([&](std::string_view key, const AnyCursor& value) {
    if (key == keys::device) stream.device = value.as_unsigned();
    if (key == keys::stream) stream.handle = value.as_handle();
    if (key == keys::stream_id) stream.id = value.as_wrapped();
    if (key == keys::name) stream.name = value.as_short_string(longest_name);
  });
  return stream;
}

template <typename AnyCursor>
SnapshotPool read_pool_uses(const AnyCursor& entry) {
  SnapshotPool uses;
  entry.for_each_field([&](std::string_view key, const AnyCursor& value) {
    if (key == keys::device) uses.device = value.as_unsigned();
    if (key == keys::segment_pool_id) uses.pool = read_pool(value);
    if (key == keys::use_count) uses.use_count = value.as_unsigned();
    if (key == keys::graphs) {
      value.for_each_item([&](const AnyCursor& graph) { uses.graphs.push_back(graph.as_unsigned()); });
    }
  });
  return uses;
}

template <typename AnyCursor>
void read_objects(const AnyCursor& entry, Snapshot& snapshot) {
  entry.for_each_field([&](std::string_view key, const AnyCursor& list) {
    if (key == keys::streams) {
      list.for_each_item([&](const AnyCursor& each) { snapshot.streams.push_back(read_stream(each)); });
    } else if (key == keys::pools) {
      list.for_each_item([&](const AnyCursor& each) { snapshot.pools.push_back(read_pool_uses(each)); });
    }
  });
}

}  // namespace

template <typename AnyCursor>
Snapshot read_snapshot(const AnyCursor& root, StackReading reading) {
  Snapshot snapshot;
  StackParser stacks(reading, snapshot.stacks);
  if (root.is_list()) {
    read_segments(root, stacks, snapshot);
    return snapshot;
  }
  enum Field : unsigned { segments, device_traces, allocator_settings, objects };
  KnownWords<4> known{{keys::segments, keys::device_traces, keys::allocator_settings, keys::objects}};
  FieldSet fields;
  for_each_known_field(root, known, fields, [&](unsigned field, const AnyCursor& value) {
    switch (field) {
      case segments:
        read_segments(value, stacks, snapshot);
        break;
      case device_traces:
        read_events(value, stacks, snapshot);
        break;
      case allocator_settings:
        snapshot.settings = read_settings(value);
        break;
      default:
        read_objects(value, snapshot);
        break;
    }
  });
  fields.need(segments, known[segments], root);
  return snapshot;
}

template Snapshot read_snapshot(const Cursor& root, StackReading reading);
template Snapshot read_snapshot(const JsonCursor& root, StackReading reading);

}  // namespace gpucheck::replay
