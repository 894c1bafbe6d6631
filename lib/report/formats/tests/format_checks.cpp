#include "format_checks.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>
#include <set>
#include <vector>

#include "json_schema.hpp"

namespace gpucheck::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Takes one `name="value"` off the front; false where there is none.
bool take_label(std::string& rest, std::set<std::string>& names) {
  const std::size_t equals = rest.find("=\"");
  const std::string name = rest.substr(0, equals);
  if (equals == std::string::npos || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos) {
    return false;
  }
  if (!names.insert(name).second) return false;
  std::size_t at = equals + 2;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] != '\\') continue;
    ++at;
    if (at >= rest.size() || (rest[at] != '\\' && rest[at] != '"' && rest[at] != 'n')) return false;
  }
  if (at >= rest.size()) return false;
  rest.erase(0, at + 1);
  if (rest.starts_with(',')) rest.erase(0, 1);
  return true;
}

/// The metric and the series of a sample's line; both empty for another line.
std::pair<std::string, std::string> sample_of(const std::string& line) {
  const std::size_t end_of_name = line.find_first_of("{ ");
  if (end_of_name == std::string::npos) return {};
  const std::string name = line.substr(0, end_of_name);
  std::string rest = line.substr(end_of_name);
  if (rest.starts_with('{')) {
    rest.erase(0, 1);
    std::set<std::string> names;
    while (!rest.starts_with('}')) {
      if (!take_label(rest, names)) return {};
    }
    rest.erase(0, 1);
  }
  static const std::regex value(R"( ([-+]?[0-9.]+(e[-+]?[0-9]+)?|NaN|[-+]Inf))");
  if (!std::regex_match(rest, value)) return {};
  return {name, line.substr(0, line.size() - rest.size())};
}

}  // namespace

std::string html_complaints(const std::string& document) {
  pugi::xml_document page;
  if (!page.load_buffer(document.data(), document.size())) return "it is not well formed";
  if (!document.starts_with("<!DOCTYPE html>\n")) return "it is not a page";
  if (std::string(page.select_node("/html/head/title").node().text().get()).empty()) return "it has no title";
  for (const char* elsewhere : {"//*[@src]", "//link", "//iframe", "//form", "//object", "//*[@style]"}) {
    if (!page.select_nodes(elsewhere).empty()) return std::string("it has ") + elsewhere;
  }
  std::set<std::string> anchors;
  for (const pugi::xpath_node& one : page.select_nodes("//*[@id]")) {
    if (!anchors.insert(one.node().attribute("id").value()).second) return "two parts have one anchor";
  }
  for (const pugi::xpath_node& one : page.select_nodes("//a")) {
    const std::string target = one.node().attribute("href").value();
    if (!target.starts_with('#') || !anchors.contains(target.substr(1))) return "a link leads nowhere: " + target;
  }
  for (const pugi::xpath_node& table : page.select_nodes("//table[thead]")) {
    const std::size_t columns = table.node().select_nodes("thead/tr/th").size();
    for (const pugi::xpath_node& row : table.node().select_nodes("tbody/tr")) {
      if (row.node().select_nodes("td").size() != columns) return "a row has other cells than its table";
    }
  }
  return page.select_nodes("//script").size() == 1 ? "" : "there is another script than its own";
}

std::string ctrf_complaints(const std::string& document) {
  static const testing_support::JsonSchema schema(GPUCHECK_FORMAT_TEST_DATA "/ctrf.schema.json");
  const nlohmann::json parsed = nlohmann::json::parse(document);
  if (std::string wrong = schema.complaints(parsed); !wrong.empty()) return wrong;
  const nlohmann::json& results = parsed["results"];
  std::map<std::string, int> counts;
  for (const nlohmann::json& test : results["tests"]) ++counts[test["status"].get<std::string>()];
  for (const char* status : {"passed", "failed", "skipped", "pending", "other"}) {
    if (results["summary"][status] != counts[status]) return std::string("the summary miscounts ") + status;
  }
  return results["summary"]["tests"] == results["tests"].size() ? "" : "the summary miscounts the tests";
}

std::string github_complaints(const std::string& document) {
  static const std::regex command("::(error|warning|notice) title=([^,:]+)::(.+)");
  for (const std::string& line : lines_of(document)) {
    // The runner's own rule: what is longer than a match of the regular expression library's stack is cut here.
    std::smatch parts;
    const std::string head = line.substr(0, 2000);
    if (!std::regex_match(head, parts, command)) return "no command: " + head;
    if (parts[2].str().starts_with("gpucheck")) continue;
    return "not our title: " + head;
  }
  return lines_of(document).empty() ? "empty" : "";
}

std::string markdown_complaints(const std::string& document) {
  std::string fence;
  std::size_t columns = 0;
  int open = 0;
  for (const std::string& line : lines_of(document)) {
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (ticks >= fence.size() && line.find_first_not_of('`') == std::string::npos) fence.clear();
      continue;
    }
    if (ticks >= 3 && line.substr(ticks) == "text") {
      fence = line.substr(0, ticks);
      continue;
    }
    std::string markup = std::regex_replace(line, std::regex("(`+)[^`](.*?[^`])??\\1(?!`)"), "");
    markup = std::regex_replace(markup, std::regex("</?(details|summary|code)>"), "");
    if (markup.find('<') != std::string::npos) return "foreign markup: " + line.substr(0, 500);
    if (markup.find('@') != std::string::npos) return "a mention: " + line.substr(0, 500);
    if (line.starts_with("<details>")) ++open;
    if (line == "</details>") --open;
    const auto bars = static_cast<std::size_t>(std::ranges::count(line, '|'));
    const bool is_row = line.starts_with('|');
    if (is_row && columns != 0 && bars != columns) return "a row of other columns: " + line;
    columns = is_row ? bars : 0;
  }
  if (!fence.empty()) return "a block of code does not end";
  return open == 0 ? "" : "details that do not end";
}

std::string prometheus_complaints(const std::string& document) {
  std::set<std::string> described;
  std::set<std::string> series;
  std::string current;
  for (const std::string& line : lines_of(document)) {
    if (line.starts_with("# HELP ")) {
      current = line.substr(7, line.find(' ', 7) - 7);
      if (!described.insert(current).second) return "described twice, or torn apart: " + line;
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      if (line != "# TYPE " + current + " gauge") return "another type: " + line;
      continue;
    }
    const auto [name, one] = sample_of(line);
    if (name.empty() || name != current) return "no sample of " + current + ": " + line.substr(0, 500);
    if (!series.insert(one).second) return "a series twice: " + line;
  }
  return {};
}

}  // namespace gpucheck::report
