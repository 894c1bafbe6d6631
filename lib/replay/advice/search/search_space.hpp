#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/settings/settings_items.hpp"

namespace gpucheck::replay {

/// Settings that may be advised, in PyTorch's words.
struct Candidate {
  std::string settings;
  /// How many keys it sets. What sets more is advised only where it saves more.
  int keys = 0;
  bool operator==(const Candidate&) const = default;
};

/// All that is tried: README.md lists it. Fixed, without a string twice, those with fewer
/// keys first.
std::vector<Candidate> search_space();

/// What a recorded settings string says of other keys than those that are searched, such as
/// those of pinned memory: whoever follows the advice keeps it. Of a key given twice the last
/// counts, as for PyTorch.
struct OtherSettings {
  std::string text = {};  ///< empty, or "key:value,..."
  /// As recorded. PyTorch takes a number with anything behind it; here only what cannot mean
  /// something else, wherever it is pasted, is carried over: letters, digits and "_.-+", in
  /// tables also ":,>".
  std::vector<std::string> not_clean = {};
  /// What PyTorch 2.11 does not know, and is not played: it stands in the line to paste alone. As `text`.
  std::string unplayed = {};
  // What was recorded of other programs otherwise, or the rules for keys forbid. Filled in by
  // `advise`.
  std::vector<std::string> not_common = {};
  std::vector<std::string> forbidden = {};
  bool operator==(const OtherSettings&) const = default;
};
OtherSettings other_settings(std::string_view recorded);

/// What a settings string consists of, each as "key:value", in its order; and the keys alone.
std::vector<std::string> items_of_settings(std::string_view settings);
std::vector<std::string> keys_of(std::string_view settings);

}  // namespace gpucheck::replay
