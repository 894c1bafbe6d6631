#include "replay/settings/settings_items.hpp"

#include <algorithm>
#include <array>

#include "runtime/settings/settings_keys.hpp"

namespace gpucheck::replay {

namespace {

constexpr std::string_view white_space = " \t\n\r\f\v";

std::string without_space(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result),
                       [](char c) { return white_space.find(c) == std::string_view::npos; });
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(white_space), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(white_space) + 1);
}

/// Where the item that begins at `begin` ends: at a comma outside of brackets.
std::size_t end_of_item(std::string_view text, std::size_t begin) {
  int depth = 0;
  std::size_t at = begin;
  for (; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (text[at] == ',' && depth <= 0) break;
  }
  return at;
}

bool is_playable(const SettingsItem& item) {
  if (item.key == "backend") return item.value == "native" || item.value == "cudaMallocAsync";
  return runtime::is_settings_key(item.key);
}

}  // namespace

std::vector<SettingsItem> settings_items(std::string_view text) {
  std::vector<SettingsItem> items;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_item(text, begin);
    const std::string_view item = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (item.empty()) continue;
    const std::size_t colon = std::min(item.find(':'), item.size());
    items.push_back({without_space(item.substr(0, colon)),
                     std::string(trimmed(item.substr(std::min(colon + 1, item.size())))), std::string(item)});
  }
  return items;
}

std::string settings_text(const std::vector<SettingsItem>& items) {
  std::string text;
  for (const SettingsItem& item : items) text = joined_settings(text, item.text);
  return text;
}

std::string joined_settings(std::string_view first, std::string_view second) {
  std::string text(first);
  if (!first.empty() && !second.empty()) text += ',';
  return text.append(second);
}

PlayableSettings playable(std::string_view text) {
  std::vector<SettingsItem> items = settings_items(text);
  const auto first_skipped = std::stable_partition(items.begin(), items.end(), is_playable);
  PlayableSettings result{std::string(text), {first_skipped, items.end()}};
  items.erase(first_skipped, items.end());
  if (!result.skipped.empty()) result.played = settings_text(items);
  return result;
}

bool is_key_of_newer_releases(std::string_view key) noexcept {
  // As the sources of PyTorch after 2.11 read them.
  constexpr std::array keys{"throw_on_cudamalloc_oom",     "pinned_max_round_threshold_mb",
                            "pinned_max_cached_size_mb",   "pinned_free_catch_all",
                            "expandable_segments_reserve", "expandable_segments_reserve_by_class"};
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace gpucheck::replay
