#include "report/merged/merged_formats.hpp"

#include <algorithm>
#include <array>

namespace gpucheck::report {

// Each in the file of its name.
std::string merged_html(const fleet::Fleet& fleet);
std::string merged_json(const fleet::Fleet& fleet);
std::string merged_junit(const fleet::Fleet& fleet);
std::string merged_markdown(const fleet::Fleet& fleet);
std::string merged_prometheus(const fleet::Fleet& fleet);

namespace {

constexpr std::array merged_table{
    MergedFormat{"junit", "JUnit XML, a suite for each node", merged_junit},
    MergedFormat{"markdown", "a summary for people, such as $GITHUB_STEP_SUMMARY shows", merged_markdown},
    MergedFormat{"html", "a page for people, one file that needs nothing else", merged_html},
    MergedFormat{"prometheus", "metrics, for node_exporter's textfile collector", merged_prometheus},
    MergedFormat{"json", "all that is known of each node (gpucheck.merged/1)", merged_json},
};

}  // namespace

std::span<const MergedFormat> merged_formats() { return merged_table; }

const MergedFormat* find_merged_format(std::string_view name) {
  const auto* const found = std::ranges::find(merged_table, name, &MergedFormat::name);
  return found == merged_table.end() ? nullptr : found;
}

}  // namespace gpucheck::report
