#include "fleet/nodes/racks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/sanitize.hpp"
#include "fleet/nodes/expected_nodes.hpp"

namespace gpucheck::fleet {
namespace {

std::map<std::string, std::string> read_racks(const std::string& path) {
  std::map<std::string, std::string> racks;
  const std::string text = read_input_file(path, "list of racks");
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos) {
      throw UsageError(fmt::format("{}:{}: this is not a rack's name, a space and a list of its nodes: {}", path,
                                   line_number, one_line(line, 80)));
    }
    for (std::string& node : expand_host_list(line.substr(space + 1))) {
      const auto [place, is_new] = racks.try_emplace(std::move(node), line.substr(0, space));
      if (!is_new) {
        throw UsageError(fmt::format("{}:{}: the node {} is in two racks", path, line_number, place->first));
      }
    }
  }
  return racks;
}

std::shared_ptr<const RE2> compiled(const std::string& text) {
  RE2::Options quiet;
  quiet.set_log_errors(false);
  auto pattern = std::make_shared<const RE2>(text, quiet);
  if (!pattern->ok()) {
    throw UsageError(fmt::format("\"{}\" is not a regular expression: {}", one_line(text, 80), pattern->error()));
  }
  if (pattern->NumberOfCapturingGroups() != 1) {
    throw UsageError(
        fmt::format("\"{}\" does not say which part of a node's name is its rack: it needs one group, as in "
                    "(r[0-9]+)-.*",
                    one_line(text, 80)));
  }
  return pattern;
}

}  // namespace

Racks::Racks(const std::string& text) {
  if (text.starts_with('@')) {
    by_node_ = read_racks(text.substr(1));
  } else {
    pattern_ = compiled(text);
  }
}

std::string Racks::of(const std::string& node) const {
  std::string rack;
  if (pattern_ != nullptr) {
    RE2::FullMatch(node, *pattern_, &rack);
    return rack;
  }
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? rack : found->second;
}

}  // namespace gpucheck::fleet
