#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::replay {

/// "key:value" of a settings string, as it stands there.
struct SettingsItem {
  std::string key;    ///< without white space, which PyTorch passes over
  std::string value;  ///< what follows the colon; a table with its brackets
  std::string text;   ///< both, without white space around them
  bool operator==(const SettingsItem&) const = default;
};

/// Cut at commas outside of brackets; what is empty is left out.
[[nodiscard]] std::vector<SettingsItem> settings_items(std::string_view text);

/// The items one after another, with commas.
[[nodiscard]] std::string settings_text(const std::vector<SettingsItem>& items);

/// One settings string after the other; either may be empty.
[[nodiscard]] std::string joined_settings(std::string_view first, std::string_view second);

/// What can be played of a settings string, and what cannot: keys, and names of backends, that PyTorch 2.11 does not
/// know. Newer releases have them, and so far none that changes how device memory is handed out.
struct PlayableSettings {
  std::string played;                 ///< the text itself where nothing is skipped
  std::vector<SettingsItem> skipped;  ///< in their order
  /// To be pasted beside other settings: all that was skipped.
  [[nodiscard]] std::string carried_over() const { return settings_text(skipped); }
};
[[nodiscard]] PlayableSettings playable(std::string_view text);

/// Keys that releases after 2.11 are known to have: whoever names one did not mistype it.
[[nodiscard]] bool is_key_of_newer_releases(std::string_view key) noexcept;

}  // namespace gpucheck::replay
