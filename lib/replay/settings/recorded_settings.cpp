#include "replay/settings/recorded_settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text/count_text.hpp"
#include "base/text/units.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {

namespace {

using runtime::AllocatorSettings;

const char* word(bool value) { return value ? "True" : "False"; }

std::string split_limit_text(std::uint64_t bytes) {
  return bytes == AllocatorSettings::unlimited ? std::string("unlimited") : format_bytes(bytes);
}

/// The text with one key set to what was in force, where the key stands first or else at the end; `value` empty: left
/// out.
void replace(std::string& text, std::string_view key, const std::string& value) {
  std::vector<SettingsItem> items = settings_items(text);
  const SettingsItem item{std::string(key), value, value.empty() ? "" : fmt::format("{}:{}", key, value)};
  const auto has_key = [key](const SettingsItem& each) { return each.key == key; };
  const auto place = std::ranges::find_if(items, has_key);
  if (place == items.end()) {
    items.push_back(item);
  } else {
    *place = item;
    items.erase(std::remove_if(std::next(place), items.end(), has_key), items.end());
  }
  text = settings_text(items);
}

/// Settings are parsed at each change, so that a small file with a long text could cost hours.
constexpr std::uint64_t most_parsed_bytes = 64_MiB;

class Resolution {
 public:
  Resolution(const Snapshot& snapshot, const ExpandableHistory& history)
      : recorded_(snapshot.settings), history_(history) {
    const PlayableSettings playable_text = playable(recorded_.text.value_or(""));
    result_.text = recorded_.text.value_or("");
    result_.played = playable_text.played;
    result_.skipped = playable_text.skipped;
  }

  RecordedSettings run() {
    try {
      parsed_ = runtime::parse_settings(result_.played);
    } catch (const runtime::SettingsError&) {
      return std::move(result_);  // whoever plays it says why not
    }
    resolve_split_limit();
    resolve_collection();
    resolve_rounding();
    resolve_expandable();
    return std::move(result_);
  }

 private:
  /// Without a text there is nothing to disagree with: the values are taken as they are.
  void disagree(std::string_view key, const std::string& in_text, const std::string& in_force, std::string_view by) {
    if (!recorded_.text) return;
    result_.remarks.push_back(fmt::format("the file's text of the settings says {} {}, but {} {}: {} is played", key,
                                          in_text, by, in_force, in_force));
  }

  void resolve_split_limit() {
    if (!recorded_.max_split_size) return;
    const auto value = std::bit_cast<std::uint64_t>(*recorded_.max_split_size);
    const bool is_limit = *recorded_.max_split_size > 0;
    const std::uint64_t limit = is_limit ? value : AllocatorSettings::unlimited;
    if (limit == parsed_.max_split_size) return;
    disagree("max_split_size", split_limit_text(parsed_.max_split_size), split_limit_text(limit), values_say);
    replace(result_.played, "max_split_size_mb", is_limit ? fmt::to_string(value / 1_MiB) : "");
  }

  void resolve_collection() {
    const std::optional<double>& threshold = recorded_.garbage_collection_threshold;
    const bool is_one = threshold && *threshold >= 0.0 && *threshold < 1.0;
    if (!is_one || *threshold == parsed_.garbage_collection_threshold) return;
    disagree("garbage_collection_threshold", fmt::to_string(parsed_.garbage_collection_threshold),
             fmt::to_string(*threshold), values_say);
    replace(result_.played, "garbage_collection_threshold", *threshold == 0.0 ? "" : fmt::to_string(*threshold));
  }

  /// As the file has them: a size in MiB, and the divisions from there on.
  void resolve_rounding() {
    std::array<std::uint64_t, 16> table{};
    std::string text;
    bool is_any = false;
    for (const auto& [size, divisions] : recorded_.roundup_power2_divisions) {
      std::uint64_t mebibytes = 0;
      const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), mebibytes);
      const bool is_power =
          problem == std::errc{} && end == size.data() + size.size() && std::has_single_bit(mebibytes);
      const bool is_division = divisions == 0 || std::has_single_bit(divisions);
      if (!is_power || !is_division || mebibytes > 32768) return;
      table.at(static_cast<std::size_t>(std::countr_zero(mebibytes))) = divisions;
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", mebibytes, divisions);
      is_any = is_any || divisions != 0;
    }
    if (recorded_.roundup_power2_divisions.size() != table.size() || table == parsed_.roundup_power2_divisions) return;
    disagree("roundup_power2_divisions", "otherwise", is_any ? "[" + text + "]" : "none", values_say);
    replace(result_.played, "roundup_power2_divisions", is_any ? "[" + text + "]" : "");
  }

  void resolve_expandable() {
    const bool by_value = recorded_.expandable_segments.value_or(parsed_.expandable_segments);
    const bool in_force = history_.mostly.value_or(by_value);
    // Where no event says, segments of both kinds do not say which came later, and the values at the end count.
    const bool has_values = recorded_.text || recorded_.expandable_segments;
    const bool before_events = history_.at_start && has_values ? by_value : in_force;
    result_.expandable_at_first = history_.at_first_event.value_or(before_events);
    note_change(in_force);
    note_end();
    if (in_force == parsed_.expandable_segments) return;
    const bool has_changed = !result_.change.empty();
    if (!has_changed) {
      disagree("expandable_segments", word(parsed_.expandable_segments), word(in_force),
               history_.mostly ? "the recorded segments say" : values_say);
    }
    replace(result_.played, "expandable_segments", word(in_force));
  }

  /// Whether blocks in use before the first event were allocated when another value was in force.
  [[nodiscard]] bool changed_before_first_event() const {
    if (!history_.at_start) return false;
    return std::ranges::any_of(history_.at_start->joined(), [this](const ReservedRange& range) {
      return range.is_expandable != result_.expandable_at_first && history_.says(range.pool, range.is_expandable);
    });
  }

  void note_change(bool in_force) {
    const bool before = changed_before_first_event();
    const std::vector<ExpandableHistory::Change>& changes = history_.changes;
    if (!before && changes.empty()) return;
    std::string& change = result_.change;
    change = fmt::format("expandable_segments changed{}", before ? " before the first event" : "");
    if (!changes.empty()) {
      change += fmt::format("{} {} during the recording, first at event {} (to {})", before ? " and" : "",
                            count_text(changes.size(), "time"), changes.front().event, word(changes.front().value));
    }
    if (changes.size() * result_.played.size() <= most_parsed_bytes) return;
    result_.remarks.push_back(
        fmt::format("{}: too often for settings of {}, so all is played with {}, under which "
                    "most memory was reserved",
                    std::exchange(change, ""), format_bytes(result_.played.size()), word(in_force)));
  }

  void note_end() {
    if (!history_.at_first_event || !recorded_.text) return;
    const bool last = history_.changes.empty() ? *history_.at_first_event : history_.changes.back().value;
    const bool at_end = recorded_.expandable_segments.value_or(last);
    if (at_end == last || parsed_.expandable_segments != at_end) return;
    result_.remarks.push_back(fmt::format(
        "expandable_segments was set to {} after the last segment was recorded, or never took effect", word(at_end)));
  }

  static constexpr std::string_view values_say = "its values say";
  const SnapshotSettings& recorded_;
  RecordedSettings result_;
  AllocatorSettings parsed_;
  const ExpandableHistory& history_;
};

}  // namespace

RecordedSettings recorded_settings(const Snapshot& snapshot, const ExpandableHistory& history) {
  return Resolution(snapshot, history).run();
}

std::string RecordedSettings::remark_on_change(bool is_played) const {
  return change + (is_played ? ": what was in force at each point is played"
                             : ": not played, since settings hold from beginning to end here; of the recorded ones "
                               "those count under which most memory was reserved");
}

std::string with_expandable_segments(std::string settings, bool value) {
  replace(settings, "expandable_segments", word(value));
  return settings;
}

}  // namespace gpucheck::replay
