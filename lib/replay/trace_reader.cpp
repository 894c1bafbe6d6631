#include <algorithm>
#include <fmt/format.h>

#include "replay/cursor.hpp"
#include "replay/operations_reader.hpp"
#include "replay/trace.hpp"

namespace gpucheck::replay {

namespace {

std::vector<std::uint8_t> read_columns(const Cursor& keys) {
  std::vector<std::uint8_t> columns;
  keys.for_each_item([&](const Cursor& key) {
    const auto* const found = std::ranges::find(figure_names, key.as_text());
    if (found == figure_names.end()) key.fail("this figure is not one that a replay can compare");
    const auto column = static_cast<std::uint8_t>(found - figure_names.begin());
    if (std::ranges::find(columns, column) != columns.end()) key.fail("this figure is listed twice");
    columns.push_back(column);
  });
  return columns;
}

void read_row(const Cursor& row, std::size_t width, std::vector<std::int64_t>& figures) {
  const std::size_t before = figures.size();
  row.for_each_item([&](const Cursor& figure) { figures.push_back(figure.as_signed()); });
  const std::size_t found = figures.size() - before;
  if (found != width) row.fail(fmt::format("expected {} figures, as in stat_keys, found {}", width, found));
}

std::vector<std::int64_t> read_rows(const Cursor& rows, std::size_t width) {
  std::vector<std::int64_t> figures;
  figures.reserve(rows.item_count() * width);
  rows.for_each_item([&](const Cursor& row) { read_row(row, width, figures); });
  return figures;
}

void check_baseline(const Cursor& baseline) {
  baseline.for_each_item([](const Cursor& figure) {
    if (figure.as_signed() != 0) {
      figure.fail("this trace began with memory in use; only one that begins with all figures 0 can be replayed");
    }
  });
}

BlockLayout read_block(const Cursor& entry) {
  BlockLayout block;
  std::size_t count = 0;
  entry.for_each_item([&](const Cursor& item) {
    switch (count++) {
      case 0:
        block.size = item.as_unsigned();
        break;
      case 1:
        block.requested_size = item.as_unsigned();
        break;
      default:
        block.state = item.as_text();
    }
  });
  if (count != 3) entry.fail("expected a block as [size, requested size, state]");
  return block;
}

SegmentLayout read_segment(const Cursor& entry) {
  enum Field : unsigned { size, stream0, type, blocks };
  SegmentLayout segment;
  FieldSet fields;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    if (key == "size") {
      fields.add(size, value);
      segment.size = value.as_unsigned();
    } else if (key == "stream0") {
      fields.add(stream0, value);
      segment.on_default_stream = value.as_boolean();
    } else if (key == "type") {
      fields.add(type, value);
      segment.is_large = value.as_text() == "large";
      if (!segment.is_large && value.as_text() != "small") value.fail("expected small or large");
    } else if (key == "blocks") {
      fields.add(blocks, value);
      value.for_each_item([&](const Cursor& block) { segment.blocks.push_back(read_block(block)); });
    }
  });
  fields.need(size, "size", entry);
  fields.need(stream0, "stream0", entry);
  fields.need(type, "type", entry);
  fields.need(blocks, "blocks", entry);
  return segment;
}

constexpr std::uint32_t most_streams = UINT16_MAX - 1;

std::uint32_t streams_used(const Trace& trace) {
  std::uint32_t count = 1;
  for (const Event& event : trace.events) count = std::max(count, event.stream + 1U);
  return count;
}

/// The fields of one trace, found first and read in the order they depend on each other.
class TraceFields {
 public:
  explicit TraceFields(const Cursor& entry) : entry_(entry) {
    entry.for_each_field([this](std::string_view key, const Cursor& value) {
      const auto* const found = std::ranges::find(keys_, key);
      if (found == keys_.end()) return;
      const auto field = static_cast<unsigned>(found - keys_.begin());
      seen_.add(field, value);
      values_[field] = value;
    });
    seen_.need(ops, "ops", entry);
  }

  [[nodiscard]] Trace read() const {
    Trace trace;
    if (given(name)) trace.name = values_[name]->as_text();
    if (given(settings)) trace.settings = values_[settings]->as_text();
    if (given(memory_limit)) trace.memory_limit_bytes = values_[memory_limit]->as_unsigned();
    trace.stream_count = given(streams) ? read_stream_count(*values_[streams]) : most_streams;
    read_operations(*values_[ops], trace);
    if (!given(streams)) trace.stream_count = streams_used(trace);
    if (given(baseline)) check_baseline(*values_[baseline]);
    if (given(stats_after_op)) read_expected_figures(trace);
    if (given(final_memory_stats)) read_final_statistics(trace);
    if (given(final_segments)) read_final_segments(trace);
    return trace;
  }

 private:
  enum Field : unsigned {
    name,
    settings,
    memory_limit,
    streams,
    ops,
    stat_keys,
    stats_after_op,
    baseline,
    final_memory_stats,
    final_segments
  };
  static constexpr std::array<std::string_view, 10> keys_{
      "name",           "settings", "memory_limit",       "streams",       "ops", "stat_keys",
      "stats_after_op", "baseline", "final_memory_stats", "final_segments"};

  [[nodiscard]] bool given(Field field) const {
    return values_[field].has_value() && values_[field]->kind() != Kind::null;
  }
  static std::uint32_t read_stream_count(const Cursor& value) {
    const std::uint64_t count = value.as_unsigned_below(most_streams + 1);
    if (count == 0) value.fail("expected at least 1 stream: the default stream counts");
    return static_cast<std::uint32_t>(count);
  }
  void read_expected_figures(Trace& trace) const {
    seen_.need(stat_keys, "stat_keys", entry_);
    trace.figure_columns = read_columns(*values_[stat_keys]);
    trace.expected_figures = read_rows(*values_[stats_after_op], trace.figure_columns.size());
    const std::size_t wanted = trace.events.size() * trace.figure_columns.size();
    if (trace.expected_figures.size() != wanted) {
      values_[stats_after_op]->fail(fmt::format("expected a row for each of the {} ops", trace.events.size()));
    }
  }
  void read_final_statistics(Trace& trace) const {
    values_[final_memory_stats]->for_each_field([&](std::string_view key, const Cursor& value) {
      trace.final_statistics.emplace_back(key, value.as_signed());
    });
    std::ranges::sort(trace.final_statistics);
  }
  void read_final_segments(Trace& trace) const {
    auto& segments = trace.final_segments.emplace();
    values_[final_segments]->for_each_item([&](const Cursor& entry) { segments.push_back(read_segment(entry)); });
  }

  const Cursor& entry_;
  FieldSet seen_;
  std::array<std::optional<Cursor>, keys_.size()> values_;
};

bool has_field(const Cursor& entry, std::string_view wanted) {
  bool found = false;
  if (entry.kind() == Kind::dictionary) {
    entry.for_each_field([&](std::string_view key, const Cursor&) { found = found || key == wanted; });
  }
  return found;
}

void read_list(const Cursor& list, std::vector<Trace>& traces) {
  list.for_each_item([&](const Cursor& entry) {
    traces.push_back(TraceFields(entry).read());
    if (traces.back().name.empty()) traces.back().name = fmt::format("trace {}", traces.size());
  });
  if (traces.empty()) list.fail("expected at least one trace");
}

}  // namespace

bool looks_like_traces(const Document& document) {
  Walk walk(document);
  const Cursor root(walk);
  if (!root.is_list()) return has_field(root, "ops") || has_field(root, "traces");
  bool first = true;
  bool found = false;
  root.for_each_item([&](const Cursor& entry) {
    if (std::exchange(first, false)) found = has_field(entry, "ops");
  });
  return found;
}

std::vector<Trace> read_traces(const Document& document) {
  Walk walk(document);
  const Cursor root(walk);
  std::vector<Trace> traces;
  if (root.is_list()) {
    read_list(root, traces);
  } else if (has_field(root, "ops")) {
    traces.push_back(TraceFields(root).read());
    if (traces.back().name.empty()) traces.back().name = "trace";
  } else {
    root.for_each_field([&](std::string_view key, const Cursor& value) {
      if (key == "traces") read_list(value, traces);
    });
  }
  return traces;
}

}  // namespace gpucheck::replay
