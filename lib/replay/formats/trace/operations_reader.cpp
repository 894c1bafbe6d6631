#include "replay/formats/trace/operations_reader.hpp"

#include <string>
#include <utility>

#include "replay/formats/bytes/known_keys.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/trace/live_objects.hpp"
#include "replay/formats/trace/operations.hpp"

namespace gpucheck::replay {

namespace {

constexpr auto operation_names = [] {
  std::array<std::string_view, detail::operation_shapes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = detail::operation_shapes[i].name;
  return names;
}();

class OperationReader {
 public:
  explicit OperationReader(std::uint32_t stream_count) : stream_count_(stream_count) {}

  template <typename AnyCursor>
  Operation read(const AnyCursor& entry) {
    Operation operation;
    FieldSet fields;
    if (entry.is_list()) {
      read_short(entry, operation, fields);
    } else {
      for_each_known_field(entry, keys_, fields, [&](unsigned field, const AnyCursor& value) {
        read_field(static_cast<OperationField>(field), value, operation);
      });
    }
    need(OperationField::op, fields, entry);
    const OperationShape& shape = shape_of(operation.event.action);
    for (const OperationField field : shape.fields().first(shape.needed)) need(field, fields, entry);
    return operation;
  }

 private:
  template <typename AnyCursor>
  void need(OperationField field, const FieldSet& fields, const AnyCursor& entry) const {
    fields.need(static_cast<unsigned>(field), keys_[static_cast<unsigned>(field)], entry);
  }

  /// Its name and then the values of its fields; null is none.
  template <typename AnyCursor>
  void read_short(const AnyCursor& entry, Operation& operation, FieldSet& fields) {
    std::size_t position = 0;
    entry.for_each_item([&](const AnyCursor& value) {
      const std::size_t at = position++;
      OperationField field = OperationField::op;
      if (at > 0) {
        const auto known = shape_of(operation.event.action).fields();
        if (at > known.size()) value.fail("this operation has no so many values");
        field = known[at - 1];
        if (value.is_null() && field != OperationField::memory_limit) return;
      }
      fields.add(static_cast<unsigned>(field), value);
      read_field(field, value, operation);
    });
  }

  template <typename AnyCursor>
  Action read_action(const AnyCursor& value) {
    const unsigned found = words_.find(value.as_string());
    if (found == words_.unknown) value.fail("expected an operation that lib/replay/README.md lists");
    return static_cast<Action>(found);
  }

  template <typename AnyCursor>
  static std::uint32_t read_number(const AnyCursor& value) {
    return static_cast<std::uint32_t>(value.as_unsigned_below(Trace::no_expectation));
  }

  template <typename AnyCursor>
  void read_field(OperationField field, const AnyCursor& value, Operation& operation) {
    switch (field) {
      case OperationField::op:
        operation.event.action = read_action(value);
        break;
      case OperationField::id:
      case OperationField::pool:
      case OperationField::graph:
        operation.event.id = read_number(value);
        break;
      case OperationField::size:
        operation.event.size = value.as_unsigned();
        break;
      case OperationField::stream:
        operation.event.stream = static_cast<std::uint16_t>(value.as_unsigned_below(stream_count_));
        break;
      case OperationField::same_address_as:
        operation.same_address_as = read_number(value);
        break;
      case OperationField::oom:
        operation.event.expect_out_of_memory = value.as_bool();
        break;
      case OperationField::use_on_oom:
        operation.pool.use_on_out_of_memory = value.as_bool();
        break;
      case OperationField::no_split:
        operation.pool.no_split = value.as_bool();
        break;
      case OperationField::shares_pool_of:
        if (!value.is_null()) operation.graph.shares_pool_of = read_number(value);
        break;
      case OperationField::settings:
        operation.settings = value.as_short_string(longest_settings);
        break;
      case OperationField::memory_limit:
        operation.event.size = value.is_null() ? 0 : value.as_unsigned();
        break;
    }
  }

  std::uint32_t stream_count_;
  KnownWords<operation_field_names.size()> keys_{operation_field_names};
  KnownWords<operation_names.size()> words_{operation_names};
};

}  // namespace

template <typename AnyCursor>
void read_operations(const AnyCursor& operations, Trace& trace) {
  LiveObjects objects(trace);
  OperationReader reader(trace.stream_count);
  operations.for_each_item([&](const AnyCursor& entry) {
    const std::string_view problem = objects.add(reader.read(entry));
    if (!problem.empty()) entry.fail(problem);
  });
  if (objects.is_capturing()) operations.fail("expected the last capture to end");
}

template void read_operations(const Cursor& operations, Trace& trace);
template void read_operations(const JsonCursor& operations, Trace& trace);

}  // namespace gpucheck::replay
