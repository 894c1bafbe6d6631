#include "fleet/nodes/expected_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/sanitize.hpp"

namespace gpucheck::fleet {
namespace {

constexpr std::size_t most_names = 200'000;
constexpr std::size_t longest_name = 255;  // of a host, by POSIX

[[noreturn]] void reject(std::string_view list, std::string_view why) {
  throw UsageError(fmt::format("\"{}\" is not a list of nodes such as n1,gpu[01-16]: {}", one_line(list, 80), why));
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return is_number(text) && fits ? std::optional(number) : std::nullopt;
}

/// Cuts at commas outside brackets.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  bool in_brackets = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && !in_brackets)) {
      parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    } else if (list[i] == '[' || list[i] == ']') {
      if ((list[i] == '[') == in_brackets) reject(list, "its brackets do not match");
      in_brackets = list[i] == '[';
    }
  }
  if (in_brackets) reject(list, "its brackets do not match");
  return parts;
}

/// What "01-03" or "7" in brackets means.
std::vector<std::string> numbers_of(std::string_view range, std::string_view list) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  const std::optional<std::uint32_t> begin = number_in(first);
  const std::optional<std::uint32_t> end = number_in(last);
  if (!begin || !end) reject(list, "brackets hold numbers and ranges of numbers");
  if (*end < *begin) reject(list, "a range ends before it begins");
  if (*end - *begin >= most_names) reject(list, fmt::format("it means more than {} nodes", most_names));
  std::vector<std::string> numbers;
  for (std::uint64_t number = *begin; number <= *end; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  }
  return numbers;
}

/// Each of `heads` with each of `tails` behind it.
std::vector<std::string> joined(const std::vector<std::string>& heads, const std::vector<std::string>& tails,
                                std::string_view list) {
  if (heads.size() * tails.size() > most_names) reject(list, fmt::format("it means more than {} nodes", most_names));
  std::vector<std::string> all;
  for (const std::string& head : heads) {
    for (const std::string& tail : tails) {
      all.push_back(head + tail);
      if (all.back().size() > longest_name) reject(list, "a host's name is not that long");
    }
  }
  return all;
}

std::vector<std::string> names_of(std::string_view part, std::string_view list) {
  std::vector<std::string> names{""};
  std::string_view rest = part;
  while (!rest.empty()) {
    const std::size_t open = rest.find('[');
    names = joined(names, {std::string(rest.substr(0, open))}, list);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find(']');
    std::vector<std::string> numbers;
    for (const std::string_view range : parts_of(rest.substr(open + 1, close - open - 1))) {
      for (std::string& number : numbers_of(range, list)) numbers.push_back(std::move(number));
    }
    names = joined(names, numbers, list);
    rest.remove_prefix(close + 1);
  }
  return names;
}

void check_name(std::string_view name, std::string_view list) {
  const auto may_be_in_a_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.empty()) reject(list, "a name is empty");
  if (name.front() == '-' || name.front() == '.') reject(list, "no host's name begins with a dash or a dot");
  if (!std::ranges::all_of(name, may_be_in_a_name)) reject(list, "a name has a character that no host's name has");
}

ExpectedNodes named(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw UsageError(fmt::format("the node {} is expected twice: list each once", *twice));
  const std::size_t count = names.size();
  return {.count = count, .names = std::move(names)};
}

ExpectedNodes read_names(const std::string& path) {
  std::vector<std::string> names;
  const std::string text = read_input_file(path, "list of nodes");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with('#')) {
      for (std::string& name : expand_host_list(line)) names.push_back(std::move(name));
    }
    begin = end + 1;
  }
  if (names.empty()) throw UsageError(fmt::format("{} lists no node", path));
  return named(std::move(names));
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view text) {
  std::vector<std::string> all;
  for (const std::string_view part : parts_of(text)) {
    for (std::string& name : names_of(part, text)) {
      check_name(name, text);
      all.push_back(std::move(name));
    }
    if (all.size() > most_names) reject(text, fmt::format("it means more than {} nodes", most_names));
  }
  return all;
}

ExpectedNodes parse_expected_nodes(const std::string& text) {
  if (text == "any") return {};
  if (text.starts_with('@')) return read_names(text.substr(1));
  if (!is_number(text)) return named(expand_host_list(text));
  const std::optional<std::uint32_t> count = number_in(text);
  if (!count || *count == 0 || *count > most_names) {
    throw UsageError(fmt::format("{} nodes cannot be expected: say 1 to {}", text, most_names));
  }
  return {.count = *count, .names = {}};
}

}  // namespace gpucheck::fleet
