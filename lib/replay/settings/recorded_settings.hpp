#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/settings/expandable_history.hpp"
#include "replay/settings/settings_items.hpp"

namespace gpucheck::replay {

/// Under which settings a snapshot's events of one device were recorded. A file has up to three answers, and they
/// need not agree: PyTorch passes over what its platform cannot do, and a program may set others while it runs. What
/// the segments are outweighs the values that the file spells out, and these outweigh its text.
struct RecordedSettings {
  std::string text;                   ///< as recorded; empty where there is none
  std::string played;                 ///< what was in force, as far as it can be played; see `change`
  std::vector<SettingsItem> skipped;  ///< of the text: what cannot be played
  /// Where the file's answers disagree: whole sentences, without a full stop.
  std::vector<std::string> remarks;
  /// What changed during the recording, as such a sentence; empty where nothing did. Only a change of
  /// expandable_segments can be seen in a file: `played` has the value under which most memory was reserved.
  std::string change;
  bool expandable_at_first = false;  ///< in force at the first event

  /// The same, with what becomes of it. @pre something changed
  [[nodiscard]] std::string remark_on_change(bool is_played) const;
  /// As in PlayableSettings.
  [[nodiscard]] std::string carried_over() const { return settings_text(skipped); }
};

/// @param history of the same device
[[nodiscard]] RecordedSettings recorded_settings(const Snapshot& snapshot, const ExpandableHistory& history);
[[nodiscard]] inline RecordedSettings recorded_settings(const Snapshot& snapshot, std::size_t device) {
  return recorded_settings(snapshot, expandable_history(snapshot, device));
}

/// The settings with that value of expandable_segments.
[[nodiscard]] std::string with_expandable_segments(std::string settings, bool value);

}  // namespace gpucheck::replay
