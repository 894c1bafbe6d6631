#include <algorithm>
#include <array>

#include "replay/cursor.hpp"
#include "replay/snapshot.hpp"
#include "replay/stack_reader.hpp"

namespace gpucheck::replay {

namespace {

/// Position of `word` in `words`; `words.size()` when it is not there.
template <std::size_t count>
unsigned index_of(const std::array<std::string_view, count>& words, std::string_view word) {
  return static_cast<unsigned>(std::ranges::find(words, word) - words.begin());
}

PoolId read_pool(const Cursor& value) {
  std::array<std::uint64_t, 2> numbers{};
  std::size_t count = 0;
  value.for_each_item([&](const Cursor& number) {
    if (count == numbers.size()) value.fail("expected a pool as two numbers");
    numbers[count++] = number.as_unsigned();
  });
  if (count != numbers.size()) value.fail("expected a pool as two numbers");
  return {numbers[0], numbers[1]};
}

/// What is done with recorded stacks.
class Stacks {
 public:
  Stacks(StackReading reading, StackTable& table) : reading_(reading), reader_(table) {}

  [[nodiscard]] StackId read(const std::optional<Cursor>& stack) {
    return stack && reading_ == StackReading::keep ? reader_.read(*stack) : no_stack;
  }
  [[nodiscard]] bool through_empty_cache(const Cursor& stack) { return search_.through_empty_cache(stack); }

 private:
  StackReading reading_;
  StackReader reader_;
  StackSearch search_;
};

SnapshotAction read_action(const Cursor& value) {
  static constexpr std::array<std::string_view, 9> words{
      "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap",
      "oom",   "snapshot"};
  return static_cast<SnapshotAction>(index_of(words, value.as_text()));
}

bool releases_segment(SnapshotAction action) {
  return action == SnapshotAction::segment_free || action == SnapshotAction::segment_unmap;
}

SnapshotEvent read_event(const Cursor& entry, Stacks& stacks) {
  enum Field : unsigned { action, addr, device_free, size, stream, time_us, pool_id, segment_pool_id, frames };
  static constexpr std::array<std::string_view, 9> keys{"action",  "addr",    "device_free",     "size",  "stream",
                                                        "time_us", "pool_id", "segment_pool_id", "frames"};
  SnapshotEvent event;
  FieldSet fields;
  std::optional<Cursor> stack;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    const unsigned field = index_of(keys, key);
    if (field == keys.size()) return;
    fields.add(field, value);
    switch (field) {
      case action:
        event.action = read_action(value);
        break;
      case addr:
      case device_free:
        event.address = value.as_handle();
        break;
      case size:
        event.size = value.as_unsigned();
        break;
      case stream:
        event.stream = value.as_handle();
        break;
      case time_us:
        event.time_us = value.as_signed();
        break;
      case frames:
        stack = value;
        break;
      default:
        event.pool = read_pool(value);
        break;
    }
  });
  fields.need(action, "action", entry);
  if (event.action == SnapshotAction::other) return event;
  fields.need(size, "size", entry);
  fields.need(stream, "stream", entry);
  if (event.action != SnapshotAction::out_of_memory) fields.need(addr, "addr", entry);
  if (stack && releases_segment(event.action)) event.in_empty_cache = stacks.through_empty_cache(*stack);
  event.stack = stacks.read(stack);
  return event;
}

SnapshotBlockState read_state(const Cursor& value) {
  // PyTorch's documentation calls the third state by the fourth name.
  static constexpr std::array<std::string_view, 4> words{"inactive", "active_allocated", "active_pending_free",
                                                         "active_awaiting_free"};
  const unsigned index = index_of(words, value.as_text());
  if (index == words.size()) value.fail("expected inactive, active_allocated or active_pending_free");
  return static_cast<SnapshotBlockState>(std::min(index, 2U));
}

SnapshotBlock read_block(const Cursor& entry, Stacks& stacks) {
  enum Field : unsigned { address, size, requested_size, state, frames };
  static constexpr std::array<std::string_view, 5> keys{"address", "size", "requested_size", "state", "frames"};
  SnapshotBlock block;
  FieldSet fields;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    const unsigned field = index_of(keys, key);
    if (field == keys.size()) return;
    fields.add(field, value);
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
  fields.need(size, "size", entry);
  fields.need(state, "state", entry);
  if (!fields.has(requested_size)) block.requested_size = block.size;
  return block;
}

/// Blocks tile their segment; files of older releases leave their addresses out.
void place_blocks(SnapshotSegment& segment, const Cursor& entry) {
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

bool read_is_large(const Cursor& value) {
  const std::string_view type = value.as_text();
  if (type != "large" && type != "small") value.fail("expected small or large");
  return type == "large";
}

SnapshotSegment read_segment(const Cursor& entry, Stacks& stacks) {
  enum Field : unsigned { address, total_size, stream, device, type, pool, expandable, blocks };
  static constexpr std::array<std::string_view, 8> keys{"address",      "total_size",      "stream",        "device",
                                                        "segment_type", "segment_pool_id", "is_expandable", "blocks"};
  SnapshotSegment segment;
  FieldSet fields;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    const unsigned field = index_of(keys, key);
    if (field == keys.size()) return;
    fields.add(field, value);
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
        segment.is_expandable = value.as_boolean();
        break;
      default:
        value.for_each_item([&](const Cursor& block) { segment.blocks.push_back(read_block(block, stacks)); });
        break;
    }
  });
  for (const Field field : {address, total_size, stream, blocks}) fields.need(field, keys[field], entry);
  place_blocks(segment, entry);
  return segment;
}

SnapshotSettings read_settings(const Cursor& entry) {
  SnapshotSettings settings;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    if (key == "PYTORCH_CUDA_ALLOC_CONF" || key == "PYTORCH_ALLOC_CONF") {
      settings.text = value.as_text();
    } else if (key == "max_split_size") {
      settings.max_split_size = value.as_signed();
    } else if (key == "garbage_collection_threshold") {
      settings.garbage_collection_threshold = value.as_real();
    } else if (key == "expandable_segments") {
      settings.expandable_segments = value.as_boolean();
    } else if (key == "roundup_power2_divisions") {
      value.for_each_field([&](std::string_view size, const Cursor& divisions) {
        settings.roundup_power2_divisions.emplace_back(size, divisions.as_unsigned());
      });
    }
  });
  return settings;
}

void read_segments(const Cursor& list, Stacks& stacks, Snapshot& snapshot) {
  list.for_each_item([&](const Cursor& entry) { snapshot.segments.push_back(read_segment(entry, stacks)); });
}

void read_traces(const Cursor& list, Stacks& stacks, Snapshot& snapshot) {
  list.for_each_item([&](const Cursor& device) {
    std::vector<SnapshotEvent>& events = snapshot.device_traces.emplace_back();
    events.reserve(device.item_count());
    device.for_each_item([&](const Cursor& entry) { events.push_back(read_event(entry, stacks)); });
  });
}

}  // namespace

bool looks_like_snapshot(const Document& document) {
  Walk walk(document);
  const Cursor root(walk);
  bool found = false;
  const auto find = [&found](const Cursor& dictionary, std::string_view wanted) {
    dictionary.for_each_field([&](std::string_view key, const Cursor&) { found = found || key == wanted; });
  };
  if (root.kind() == Kind::dictionary) find(root, "segments");
  if (root.is_list()) {
    bool first = true;
    root.for_each_item([&](const Cursor& item) {
      if (std::exchange(first, false) && item.kind() == Kind::dictionary) find(item, "total_size");
    });
  }
  return found;
}

Snapshot read_snapshot(const Document& document, StackReading reading) {
  Walk walk(document);
  const Cursor root(walk);
  Snapshot snapshot;
  Stacks stacks(reading, snapshot.stacks);
  if (root.is_list()) {
    read_segments(root, stacks, snapshot);
    return snapshot;
  }
  enum Field : unsigned { segments, device_traces, allocator_settings };
  static constexpr std::array<std::string_view, 3> keys{"segments", "device_traces", "allocator_settings"};
  FieldSet fields;
  root.for_each_field([&](std::string_view key, const Cursor& value) {
    const unsigned field = index_of(keys, key);
    if (field == keys.size()) return;
    fields.add(field, value);
    switch (field) {
      case segments:
        read_segments(value, stacks, snapshot);
        break;
      case device_traces:
        read_traces(value, stacks, snapshot);
        break;
      default:
        snapshot.settings = read_settings(value);
        break;
    }
  });
  fields.need(segments, keys[segments], root);
  return snapshot;
}

}  // namespace gpucheck::replay
