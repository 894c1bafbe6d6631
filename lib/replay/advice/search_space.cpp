#include "replay/advice/search_space.hpp"

#include <algorithm>
#include <array>

namespace gpucheck::replay {

namespace {

// Empty stands for a key that is left out.
using Values = std::vector<std::string>;

const std::string expandable = "expandable_segments:True";

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

bool is_searched(std::string_view item) {
  constexpr std::array keys{"expandable_segments",   "garbage_collection_threshold",
                            "large_segment_size_mb", "max_non_split_rounding_mb",
                            "max_split_size_mb",     "roundup_power2_divisions"};
  const std::size_t begin = std::min(item.find_first_not_of(" \t\r\n"), item.size());
  return std::ranges::any_of(keys, [&](std::string_view key) { return item.substr(begin).starts_with(key); });
}

}  // namespace

std::string joined_settings(std::string_view first, std::string_view second) {
  std::string text(first);
  if (!first.empty() && !second.empty()) text += ',';
  return text.append(second);
}

std::vector<Candidate> search_space() {
  const Values plain_limits{"20", "32", "64", "128", "256", "512", "1024"};
  std::vector<Candidate> candidates;
  add_combinations({{expandable}, segment_sizes({"12", "32", "64", "128"}), roundings()}, candidates);
  add_combinations({{expandable}, split_limits({"64", "128", "256", "512", "1024"})}, candidates);
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

std::string other_settings(std::string_view recorded) {
  std::string others;
  for (std::size_t begin = 0; begin < recorded.size();) {
    const std::size_t end = end_of_item(recorded, begin);
    const std::string_view item = recorded.substr(begin, end - begin);
    if (!is_searched(item) && item.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      others = joined_settings(others, item);
    }
    begin = end + 1;
  }
  return others;
}

}  // namespace gpucheck::replay
