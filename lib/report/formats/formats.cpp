#include "report/formats/formats.hpp"

#include <algorithm>
#include <array>

#include "report/formats/document_sink.hpp"
#include "report/run_set.hpp"
#include "report/sinks.hpp"

namespace gpucheck::report {

// Each in the file of its name.
std::string ctrf_report(RunSet set);
std::string github_report(RunSet set);
std::string html_report(RunSet set);
std::string markdown_report(RunSet set);
std::string prometheus_report(RunSet set);

namespace {

constexpr std::array table{
    Format{"junit", "JUnit XML, for CI servers", true, junit_report},
    Format{"ctrf", "Common Test Report Format", false, ctrf_report},
    Format{"github", "annotations of GitHub Actions, meant for stdout", false, github_report},
    Format{"markdown", "a summary for people, such as $GITHUB_STEP_SUMMARY shows", false, markdown_report},
    Format{"html", "a page for people, one file that needs nothing else", false, html_report},
    Format{"prometheus", "metrics, for node_exporter's textfile collector", false, prometheus_report},
    Format{"journal", "each result the moment it is known, for gpucheck report", true, nullptr},
    Format{"json", "all that is known (gpucheck.result/1)", true, json_report},
};

}  // namespace

std::span<const Format> formats() { return table; }

const Format* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Format::name);
  return found == table.end() ? nullptr : found;
}

std::unique_ptr<harness::EventSink> open_report(const Format& format, const std::string& path,
                                                std::function<void(const std::string&)> complain) {
  if (format.write == nullptr) return make_journal(path, std::move(complain));
  return std::make_unique<DocumentSink>(path, format.write);
}

}  // namespace gpucheck::report
