#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "observe/snapshot/snapshot_keys.hpp"
#include "replay/formats/bytes/known_keys.hpp"
#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/formats/snapshot/stack_reader.hpp"
#include "runtime/allocator/memory_recorder.hpp"

/// Reads the events of a snapshot, of whatever format.
namespace gpucheck::replay {

namespace snapshot_events {

using runtime::MemoryAction;

/// Both enums have the same actions in the same order, so that one table of words serves.
inline constexpr std::size_t action_count = static_cast<std::size_t>(SnapshotAction::other);
static_assert(static_cast<int>(SnapshotAction::alloc) == static_cast<int>(MemoryAction::alloc));
static_assert(static_cast<int>(SnapshotAction::segment_unmap) == static_cast<int>(MemoryAction::segment_unmap));
static_assert(static_cast<int>(SnapshotAction::out_of_memory) == static_cast<int>(MemoryAction::oom));
static_assert(action_count == static_cast<std::size_t>(MemoryAction::snapshot) + 1);

inline std::array<std::string_view, action_count> action_names() {
  std::array<std::string_view, action_count> names;
  for (std::size_t i = 0; i < action_count; ++i) names[i] = runtime::name_of(static_cast<MemoryAction>(i));
  return names;
}

inline bool releases_segment(SnapshotAction action) {
  return action == SnapshotAction::segment_free || action == SnapshotAction::segment_unmap;
}

}  // namespace snapshot_events

template <typename AnyCursor>
PoolId read_pool(const AnyCursor& value) {
  std::array<std::uint64_t, 2> numbers{};
  std::size_t count = 0;
  value.for_each_item([&](const AnyCursor& number) {
    if (count == numbers.size()) value.fail("expected a pool as two numbers");
    numbers[count++] = number.as_handle();
  });
  if (count != numbers.size()) value.fail("expected a pool as two numbers");
  return {numbers[0], numbers[1]};
}

/// What is done with recorded stacks.
class StackParser {
 public:
  StackParser(StackReading reading, StackTable& table) : reading_(reading), reader_(table) {}

  template <typename AnyCursor>
  [[nodiscard]] StackId read(const AnyCursor& stack) {
    return reading_ == StackReading::keep ? reader_.read(stack) : no_stack;
  }
  template <typename AnyCursor>
  [[nodiscard]] bool through_empty_cache(const AnyCursor& stack) {
    return search_.through_empty_cache(stack);
  }

 private:
  StackReading reading_;
  StackReader reader_;
  StackSearch search_;
};

template <typename AnyCursor>
class EventReader {
 public:
  explicit EventReader(StackParser& stacks) : stacks_(stacks) {}

  SnapshotEvent read(const AnyCursor& entry) {
    SnapshotEvent event;
    FieldSet seen;
    std::optional<AnyCursor> stack;
    for_each_known_field(entry, keys_, seen, [&](unsigned field, const AnyCursor& value) {
      if (field == frames) {
        static_cast<void>(value.identity());  // stacks are the most of a file, and mostly the same
        stack = value;
      } else {
        read_field(field, value, event);
      }
    });
    need_fields(event, seen, entry);
    if (event.action == SnapshotAction::other || !stack) return event;
    if (snapshot_events::releases_segment(event.action)) event.in_empty_cache = stacks_.through_empty_cache(*stack);
    event.stack = stacks_.read(*stack);
    return event;
  }

 private:
  enum Field : unsigned { action, addr, device_free, size, stream, time_us, pool_id, segment_pool_id, frames };

  void read_field(unsigned field, const AnyCursor& value, SnapshotEvent& event) {
    switch (field) {
      case action:
        event.action = static_cast<SnapshotAction>(actions_.find(value.as_string()));
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
        event.time_us = shown_number(value);
        break;
      default:
        event.pool = read_pool(value);
        break;
    }
  }

  void need_fields(const SnapshotEvent& event, const FieldSet& seen, const AnyCursor& entry) const {
    seen.need(action, observe::snapshot_keys::action, entry);
    if (event.action == SnapshotAction::other) return;
    seen.need(size, observe::snapshot_keys::size, entry);
    seen.need(stream, observe::snapshot_keys::stream, entry);
    if (event.action != SnapshotAction::out_of_memory) seen.need(addr, observe::snapshot_keys::addr, entry);
  }

  StackParser& stacks_;
  KnownWords<9> keys_{{observe::snapshot_keys::action, observe::snapshot_keys::addr,
                       observe::snapshot_keys::device_free, observe::snapshot_keys::size,
                       observe::snapshot_keys::stream, observe::snapshot_keys::time_us, observe::snapshot_keys::pool_id,
                       observe::snapshot_keys::segment_pool_id, observe::snapshot_keys::frames}};
  KnownWords<snapshot_events::action_count> actions_{
      snapshot_events::action_names()};  ///< what is none of them is `other`
};

}  // namespace gpucheck::replay
