#include "replay/operations_reader.hpp"

#include <algorithm>

namespace gpucheck::replay {

namespace {

enum Field : unsigned { op, id, size, stream, same_address_as, oom };

struct Operation {
  Event event;
  std::uint32_t same_address_as = Trace::no_expectation;
  FieldSet fields;
};

Action read_action(const Cursor& value) {
  static constexpr std::array<std::string_view, 5> words{"alloc", "free", "record_stream", "synchronize",
                                                         "empty_cache"};
  const auto* const found = std::ranges::find(words, value.as_text());
  if (found == words.end()) value.fail("expected alloc, free, record_stream, synchronize or empty_cache");
  return static_cast<Action>(found - words.begin());
}

void read_field(Field field, const Cursor& value, std::uint32_t stream_count, Operation& operation) {
  operation.fields.add(field, value);
  switch (field) {
    case op:
      operation.event.action = read_action(value);
      break;
    case id:
      operation.event.id = static_cast<std::uint32_t>(value.as_unsigned_below(Trace::no_expectation));
      break;
    case size:
      operation.event.size = value.as_unsigned();
      break;
    case stream:
      operation.event.stream = static_cast<std::uint16_t>(value.as_unsigned_below(stream_count));
      break;
    case same_address_as:
      operation.same_address_as = static_cast<std::uint32_t>(value.as_unsigned_below(Trace::no_expectation));
      break;
    case oom:
      operation.event.expect_out_of_memory = value.as_boolean();
      break;
  }
}

void need_fields(const Operation& operation, const Cursor& entry) {
  operation.fields.need(op, "op", entry);
  const Action action = operation.event.action;
  const bool allocates = action == Action::allocate;
  if (allocates || action == Action::free || action == Action::record_stream) operation.fields.need(id, "id", entry);
  if (allocates) operation.fields.need(size, "size", entry);
  // Recording a use on a stream that is not told would be a guess.
  if (action == Action::record_stream) operation.fields.need(stream, "stream", entry);
}

Operation read_operation(const Cursor& entry, std::uint32_t stream_count) {
  static constexpr std::array<std::string_view, 6> keys{"op", "id", "size", "stream", "same_address_as", "oom"};
  Operation operation;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    const auto* const found = std::ranges::find(keys, key);
    if (found != keys.end()) read_field(static_cast<Field>(found - keys.begin()), value, stream_count, operation);
  });
  need_fields(operation, entry);
  return operation;
}

/// Follows which ids live.
class Lives {
 public:
  explicit Lives(Trace& trace) : trace_(trace) {}

  void take(const Operation& operation, const Cursor& entry) {
    switch (operation.event.action) {
      case Action::allocate:
        return allocate(operation, entry);
      case Action::free:
        need_live(operation.event.id, entry);
        live_[operation.event.id] = false;
        return;
      case Action::record_stream:
        return need_live(operation.event.id, entry);
      default:
        return;
    }
  }

 private:
  void allocate(const Operation& operation, const Cursor& entry) {
    // Counting keeps the tables as small as the file, whatever the numbers in it.
    if (operation.event.id != live_.size()) entry.fail("expected allocations to be numbered 0, 1, 2, ... in order");
    const std::uint32_t same = operation.same_address_as;
    if (same != Trace::no_expectation && same > operation.event.id) {
      entry.fail("expected same_address_as to name this or an earlier allocation");
    }
    live_.push_back(!operation.event.expect_out_of_memory);
    trace_.expected_same_address.push_back(same);
    ++trace_.allocation_count;
  }
  void need_live(std::uint32_t number, const Cursor& entry) const {
    if (number >= live_.size() || !live_[number]) entry.fail("expected an id that is allocated at this step");
  }

  Trace& trace_;
  std::vector<bool> live_;
};

}  // namespace

void read_operations(const Cursor& operations, Trace& trace) {
  Lives lives(trace);
  trace.events.reserve(operations.item_count());
  operations.for_each_item([&](const Cursor& entry) {
    const Operation operation = read_operation(entry, trace.stream_count);
    lives.take(operation, entry);
    trace.events.push_back(operation.event);
  });
}

}  // namespace gpucheck::replay
