#include "replay/advice/search/search_space.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "replay/advice/search/setting_facts.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/settings/settings_error.hpp"
#include "runtime/settings/settings_tokens.hpp"

namespace gpucheck::replay {

namespace {

// Empty stands for a key that is left out.
using Values = std::vector<std::string>;

constexpr const char* expandable = "expandable_segments:True";

Values with_key(std::string_view key, const Values& values) {
  Values texts{""};
  for (const std::string& value : values) texts.push_back(std::string(key) + ":" + value);
  return texts;
}

/// One division for all sizes wastes least where few sizes differ by little; a table leaves
/// the small ones alone. The first table is that of PyTorch's documentation.
Values roundings() {
  return with_key("roundup_power2_divisions", {"2", "4", "8", "16", "32", "[256:1,512:2,1024:4,>:8]", "[16:1,32:8,>:8]",
                                               "[64:1,128:8,>:8]", "[1:16,2:8,>:4]", "[1:32,16:16,>:8]"});
}

Values split_limits(const Values& mebibytes) { return with_key("max_split_size_mb", mebibytes); }

/// No limit may be below the large segments, which are 20 MiB where nothing else is set:
/// that key has to come first.
Values segment_sizes(const Values& mebibytes) { return with_key("large_segment_size_mb", mebibytes); }

/// All combinations of one of each.
void add_combinations(const std::vector<Values>& choices, std::vector<Candidate>& candidates) {
  std::vector<Candidate> rows{{}};
  for (const Values& values : choices) {
    std::vector<Candidate> longer;
    for (const Candidate& row : rows) {
      for (const std::string& value : values) {
        longer.push_back({joined_settings(row.settings, value), row.keys + (value.empty() ? 0 : 1)});
      }
    }
    rows = std::move(longer);
  }
  for (Candidate& row : rows) {
    const bool is_known = std::ranges::find(candidates, row) != candidates.end();
    if (row.keys > 0 && !is_known) candidates.push_back(std::move(row));
  }
}

struct Item {
  std::string key;
  std::string value;
};

/// One token, or all of a table.
std::string value_of(runtime::detail::SettingsTokens& tokens) {
  std::string value = tokens.next();
  if (value != "[") return value;
  for (std::string token; token != "]";) value += token = tokens.next();
  return value;
}

/// As PyTorch cuts a string: what stands between a key and its value, or two items, does not
/// count. Up to where it ends too early.
std::vector<Item> items_of(std::string_view settings) {
  std::vector<Item> items;
  runtime::detail::SettingsTokens tokens(settings);
  try {
    while (!tokens.at_end()) {
      Item item{.key = tokens.next(), .value = {}};
      tokens.skip_separator();
      item.value = value_of(tokens);
      items.push_back(std::move(item));
      if (!tokens.at_end()) tokens.skip_separator();
    }
  } catch (const runtime::SettingsError&) {
  }
  return items;
}

bool consists_of(std::string_view text, std::string_view others) {
  const auto is_allowed = [others](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_allowed);
}

bool is_clean(const Item& item) {
  constexpr std::size_t longest = 200;
  std::string_view value = item.value;
  const bool is_table = value.size() > 2 && value.front() == '[' && value.back() == ']';
  if (is_table) value = value.substr(1, value.size() - 2);
  return item.key.size() + value.size() <= longest && consists_of(item.key, "_") &&
         consists_of(value, is_table ? "_.-+:,>" : "_.-+");
}

bool is_searched(std::string_view key) { return std::ranges::find(searched_keys(), key) != searched_keys().end(); }

}  // namespace

std::vector<Candidate> search_space() {
  const Values plain_limits{"20", "32", "64", "128", "256", "512", "1024"};
  std::vector<Candidate> candidates;
  add_combinations({{expandable}, segment_sizes({"12", "32", "64", "128"}), roundings()}, candidates);
  add_combinations({split_limits(plain_limits), roundings()}, candidates);
  add_combinations({segment_sizes({"12", "32", "64", "128"}), roundings()}, candidates);
  add_combinations({segment_sizes({"12", "32", "64"}), split_limits({"64", "128", "256", "512"})}, candidates);
  add_combinations(
      {split_limits({"32", "64", "128", "256", "512"}), with_key("max_non_split_rounding_mb", {"64", "256", "1024"})},
      candidates);
  // Only what is above a split limit can be kept without being split, so that a rounding
  // of those blocks is nothing by itself.
  std::erase_if(candidates,
                [](const Candidate& candidate) { return candidate.settings.starts_with("max_non_split_rounding_mb"); });
  add_combinations(
      {split_limits({"64", "128", "256", "512"}), with_key("garbage_collection_threshold", {"0.6", "0.8", "0.9"})},
      candidates);
  std::ranges::stable_sort(candidates, {}, &Candidate::keys);
  return candidates;
}

OtherSettings other_settings(std::string_view recorded) {
  constexpr std::size_t longest = 2000;  // of all together: it has to fit into a line
  const std::vector<Item> items = items_of(recorded);
  std::unordered_map<std::string_view, const Item*> last;
  for (const Item& item : items) last[item.key] = &item;
  OtherSettings others;
  for (const Item& item : items) {
    if (is_searched(item.key) || last[item.key] != &item) continue;
    const std::string text = item.key + ":" + item.value;
    if (is_clean(item) && others.text.size() + text.size() < longest) {
      others.text = joined_settings(others.text, text);
    } else {
      others.not_clean.push_back(text);
    }
  }
  return others;
}

std::vector<std::string> items_of_settings(std::string_view settings) {
  std::vector<std::string> texts;
  for (const Item& item : items_of(settings)) texts.push_back(item.key + ":" + item.value);
  return texts;
}

std::vector<std::string> keys_of(std::string_view settings) {
  std::vector<std::string> keys;
  for (Item& item : items_of(settings)) keys.push_back(std::move(item.key));
  return keys;
}

}  // namespace gpucheck::replay
