#include <algorithm>
#include <fmt/format.h>

#include "replay/formats/bytes/known_keys.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/trace/operations_reader.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

namespace {

/// The columns of a trace's rows, and which memory they are about: no name is of both.
struct Columns {
  std::vector<std::uint8_t> columns;
  std::optional<MemoryKind> memory;
};

std::optional<std::uint8_t> column_of(std::string_view name, MemoryKind memory) {
  const auto names = statistic_names_of(memory);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - names.begin());
}

template <typename AnyCursor>
Columns read_columns(const AnyCursor& keys) {
  Columns result;
  keys.for_each_item([&](const AnyCursor& key) {
    const std::string_view name = key.as_short_string(longest_name);
    MemoryKind memory = MemoryKind::device;
    std::optional<std::uint8_t> column = column_of(name, memory);
    if (!column) column = column_of(name, memory = MemoryKind::pinned);
    if (!column) key.fail("this statistic is not one that a replay can compare");
    if (result.memory.value_or(memory) != memory) key.fail("this statistic is of another memory than the one before");
    if (std::ranges::find(result.columns, *column) != result.columns.end()) key.fail("this statistic is listed twice");
    result.memory = memory;
    result.columns.push_back(*column);
  });
  return result;
}

enum class RowForm { values, changes };

/// Appends a row to `statistics`. Of changes, those at the end that are 0 may be left out;
/// `before` is the row that they change.
template <typename AnyCursor>
void read_row(const AnyCursor& row, RowForm form, std::span<std::int64_t> before,
              std::vector<std::int64_t>& statistics) {
  const std::size_t width = before.size();
  std::size_t found = 0;
  row.for_each_signed([&](std::int64_t number) {
    if (found < width) {
      // Unsigned, because numbers may be any: what a file adds up to must not overflow as a signed number.
      const auto base = form == RowForm::changes ? static_cast<std::uint64_t>(before[found]) : 0;
      before[found] = static_cast<std::int64_t>(base + static_cast<std::uint64_t>(number));
    }
    ++found;
  });
  if (found > width || (form == RowForm::values && found < width)) {
    row.fail(fmt::format("expected {} statistics, as in stat_keys, found {}", width, found));
  }
  statistics.insert(statistics.end(), before.begin(), before.end());
}

template <typename AnyCursor>
void check_baseline(const AnyCursor& baseline) {
  baseline.for_each_item([](const AnyCursor& statistic) {
    if (statistic.as_signed() != 0) {
      statistic.fail("this trace began with memory in use; only one that begins with all statistics 0 can be replayed");
    }
  });
}

template <typename AnyCursor>
BlockLayout read_block(const AnyCursor& entry) {
  BlockLayout block;
  std::size_t count = 0;
  entry.for_each_item([&](const AnyCursor& item) {
    switch (count++) {
      case 0:
        block.size = item.as_unsigned();
        break;
      case 1:
        block.requested_size = item.as_unsigned();
        break;
      default:
        block.state = item.as_short_string(longest_name);
    }
  });
  if (count != 3) entry.fail("expected a block as [size, requested size, state]");
  return block;
}

template <typename AnyCursor>
SegmentLayout read_segment(const AnyCursor& entry) {
  enum Field : unsigned { size, stream0, type, blocks };
  KnownWords<4> keys{{"size", "stream0", "type", "blocks"}};
  SegmentLayout segment;
  FieldSet fields;
  for_each_known_field(entry, keys, fields, [&](unsigned field, const AnyCursor& value) {
    switch (field) {
      case size:
        segment.size = value.as_unsigned();
        break;
      case stream0:
        segment.on_default_stream = value.as_bool();
        break;
      case type:
        segment.is_large = value.as_string() == "large";
        if (!segment.is_large && value.as_string() != "small") value.fail("expected small or large");
        break;
      default:
        value.for_each_item([&](const AnyCursor& block) { segment.blocks.push_back(read_block(block)); });
        break;
    }
  });
  for (const Field field : {size, stream0, type, blocks}) fields.need(field, keys[field], entry);
  return segment;
}

constexpr std::uint32_t max_streams = UINT16_MAX - 1;

std::uint32_t streams_used(const Trace& trace) {
  std::uint32_t count = 1;
  for (const Event& event : trace.events) count = std::max(count, event.stream + 1U);
  return count;
}

/// Reads the fields of one trace as they come, but for the statistics: they wait for what
/// says their number.
template <typename AnyCursor>
class TraceReader {
 public:
  explicit TraceReader(const AnyCursor& entry) : entry_(entry) {}

  [[nodiscard]] Trace read() {
    trace_.stream_count = max_streams;
    for_each_known_field(entry_, keys_, seen_, [this](unsigned field, const AnyCursor& value) {
      if (value.is_null()) return;
      present_.add(field, value);
      read_field(field, value);
    });
    present_.need(ops, "ops", entry_);
    if (rows_) read_expected_statistics(*rows_);
    check_memory();
    if (!present_.has(streams)) trace_.stream_count = streams_used(trace_);
    return std::move(trace_);
  }

 private:
  enum Field : unsigned {
    name,
    memory,
    settings,
    memory_limit,
    streams,
    stat_keys,
    baseline,
    ops,
    stats_after_op,
    stat_changes_after_op,
    final_memory_stats,
    final_segments
  };

  void read_field(unsigned field, const AnyCursor& value) {
    switch (field) {
      case name:
        trace_.name = value.as_short_string(longest_name);
        break;
      case memory:
        read_memory(value);
        break;
      case settings:
        trace_.settings = value.as_short_string(longest_settings);
        break;
      case memory_limit:
        trace_.memory_limit_bytes = value.as_unsigned();
        break;
      case streams:
        read_stream_count(value);
        break;
      case stat_keys:
        columns_ = read_columns(value);
        trace_.statistic_columns = columns_.columns;
        break;
      case baseline:
        check_baseline(value);
        break;
      case ops:
        read_operations(value, trace_);
        operations_ = value;
        break;
      case stats_after_op:
      case stat_changes_after_op:
        if (present_.has(stats_after_op) && present_.has(stat_changes_after_op)) {
          value.fail("expected either stats_after_op or stat_changes_after_op");
        }
        if (present_.has(stat_keys) && present_.has(ops)) {
          read_expected_statistics(value);
        } else {
          rows_ = value;
        }
        break;
      case final_memory_stats:
        read_final_statistics(value);
        break;
      default:
        read_final_segments(value);
        break;
    }
  }

  void read_memory(const AnyCursor& value) {
    const std::string_view word = value.as_string();
    if (word != "device" && word != "pinned") value.fail("expected device or pinned");
    trace_.memory = word == "pinned" ? MemoryKind::pinned : MemoryKind::device;
  }
  void check_memory() const {
    if (columns_.memory.value_or(trace_.memory) != trace_.memory) {
      entry_.fail("expected stat_keys of the memory that the trace is about");
    }
    if (trace_.memory == MemoryKind::device) return;
    for (const Field field : {memory_limit, final_memory_stats, final_segments}) {
      if (present_.has(field)) entry_.fail(fmt::format("a trace of pinned memory has no {}", keys_[field]));
    }
  }
  void read_stream_count(const AnyCursor& value) {
    const std::uint64_t count = value.as_unsigned_below(max_streams + 1);
    if (count == 0) value.fail("expected at least 1 stream: the default stream counts");
    trace_.stream_count = static_cast<std::uint32_t>(count);
    if (streams_used(trace_) <= count) return;
    // The operations came first, and one of them names a stream too many: find it.
    Trace again;
    again.stream_count = trace_.stream_count;
    read_operations(*operations_, again);
  }
  void read_expected_statistics(const AnyCursor& rows) {
    present_.need(stat_keys, "stat_keys", entry_);
    const std::size_t width = trace_.statistic_columns.size();
    const RowForm form = present_.has(stat_changes_after_op) ? RowForm::changes : RowForm::values;
    trace_.expected_statistics.reserve(trace_.events.size() * width);
    std::vector<std::int64_t> last(width);
    std::size_t count = 0;
    rows.for_each_item([&](const AnyCursor& row) {
      if (row.is_null()) {
        trace_.unrecorded_steps.push_back(count);
        trace_.expected_statistics.insert(trace_.expected_statistics.end(), last.begin(), last.end());
      } else {
        read_row(row, form, last, trace_.expected_statistics);
      }
      ++count;
    });
    if (count != trace_.events.size()) {
      rows.fail(fmt::format("expected a row for each of the {} ops", trace_.events.size()));
    }
  }
  void read_final_statistics(const AnyCursor& statistics) {
    statistics.for_each_field([&](std::string_view key, const AnyCursor& value) {
      trace_.final_statistics.emplace_back(key, value.as_signed());
    });
    std::ranges::sort(trace_.final_statistics);
  }
  void read_final_segments(const AnyCursor& list) {
    auto& segments = trace_.final_segments.emplace();
    list.for_each_item([&](const AnyCursor& entry) { segments.push_back(read_segment(entry)); });
  }

  const AnyCursor& entry_;
  KnownWords<12> keys_{{"name", "memory", "settings", "memory_limit", "streams", "stat_keys", "baseline", "ops",
                        "stats_after_op", "stat_changes_after_op", "final_memory_stats", "final_segments"}};
  FieldSet seen_;
  FieldSet present_;  ///< and not null
  std::optional<AnyCursor> operations_;
  std::optional<AnyCursor> rows_;  ///< statistics that wait
  Columns columns_;
  Trace trace_;
};

template <typename AnyCursor>
void read_list(const AnyCursor& list, std::vector<Trace>& traces) {
  list.for_each_item([&](const AnyCursor& entry) {
    traces.push_back(TraceReader<AnyCursor>(entry).read());
    if (traces.back().name.empty()) traces.back().name = fmt::format("trace {}", traces.size());
  });
  if (traces.empty()) list.fail("expected at least one trace");
}

template <typename AnyCursor>
bool holds_a_list(const AnyCursor& root) {
  bool found = false;
  root.for_each_field([&found](std::string_view key, const AnyCursor&) {
    found = key == "traces";
    return found || key == "ops";
  });
  return found;
}

}  // namespace

template <typename AnyCursor>
std::vector<Trace> read_traces(const AnyCursor& root) {
  std::vector<Trace> traces;
  if (root.is_list()) {
    read_list(root, traces);
  } else if (holds_a_list(root)) {
    root.for_each_field([&](std::string_view key, const AnyCursor& value) {
      if (key == "traces") read_list(value, traces);
    });
  } else {
    traces.push_back(TraceReader<AnyCursor>(root).read());
    if (traces.back().name.empty()) traces.back().name = "trace";
  }
  return traces;
}

template std::vector<Trace> read_traces(const Cursor& root);
template std::vector<Trace> read_traces(const JsonCursor& root);

}  // namespace gpucheck::replay
