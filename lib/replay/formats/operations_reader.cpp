#include "replay/formats/operations_reader.hpp"

#include "replay/formats/cursor.hpp"
#include "replay/formats/json_cursor.hpp"
#include "replay/formats/known_keys.hpp"
namespace gpucheck::replay {

namespace {

enum Field : unsigned { op, id, size, stream, same_address_as, oom };

struct Operation {
  Event event;
  std::uint32_t same_address_as = Trace::no_expectation;
  FieldSet fields;
};

class OperationReader {
 public:
  explicit OperationReader(std::uint32_t stream_count) : stream_count_(stream_count) {}

  template <typename AnyCursor>
  Operation read(const AnyCursor& entry) {
    Operation operation;
    for_each_known_field(entry, keys_, operation.fields, [&](unsigned field, const AnyCursor& value) {
      read_field(static_cast<Field>(field), value, operation);
    });
    need_fields(operation, entry);
    return operation;
  }

 private:
  template <typename AnyCursor>
  Action read_action(const AnyCursor& value) {
    const unsigned found = words_.find(value.as_text());
    if (found == words_.unknown) value.fail("expected alloc, free, record_stream, synchronize or empty_cache");
    return static_cast<Action>(found);
  }

  template <typename AnyCursor>
  void read_field(Field field, const AnyCursor& value, Operation& operation) {
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
        operation.event.stream = static_cast<std::uint16_t>(value.as_unsigned_below(stream_count_));
        break;
      case same_address_as:
        operation.same_address_as = static_cast<std::uint32_t>(value.as_unsigned_below(Trace::no_expectation));
        break;
      case oom:
        operation.event.expect_out_of_memory = value.as_boolean();
        break;
    }
  }

  template <typename AnyCursor>
  void need_fields(const Operation& operation, const AnyCursor& entry) const {
    const auto need = [&](Field field) { operation.fields.need(field, keys_[field], entry); };
    need(op);
    const Action action = operation.event.action;
    const bool allocates = action == Action::allocate;
    if (allocates || action == Action::free || action == Action::record_stream) need(id);
    if (allocates) need(size);
    // Recording a use on a stream that is not told would be a guess.
    if (action == Action::record_stream) need(stream);
  }

  std::uint32_t stream_count_;
  KnownWords<6> keys_{{"op", "id", "size", "stream", "same_address_as", "oom"}};
  KnownWords<5> words_{{"alloc", "free", "record_stream", "synchronize", "empty_cache"}};
};

/// Follows which ids live.
class Lives {
 public:
  explicit Lives(Trace& trace) : trace_(trace) {}

  template <typename AnyCursor>
  void take(const Operation& operation, const AnyCursor& entry) {
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
  template <typename AnyCursor>
  void allocate(const Operation& operation, const AnyCursor& entry) {
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
  template <typename AnyCursor>
  void need_live(std::uint32_t number, const AnyCursor& entry) const {
    if (number >= live_.size() || !live_[number]) entry.fail("expected an id that is allocated at this step");
  }

  Trace& trace_;
  std::vector<bool> live_;
};

}  // namespace

template <typename AnyCursor>
void read_operations(const AnyCursor& operations, Trace& trace) {
  Lives lives(trace);
  OperationReader reader(trace.stream_count);
  operations.for_each_item([&](const AnyCursor& entry) {
    const Operation operation = reader.read(entry);
    lives.take(operation, entry);
    trace.events.push_back(operation.event);
  });
}

template void read_operations(const Cursor& operations, Trace& trace);
template void read_operations(const JsonCursor& operations, Trace& trace);

}  // namespace gpucheck::replay
