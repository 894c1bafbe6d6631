#include "commands/resume.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "harness/result/failure_kinds.hpp"
#include "output/error_report.hpp"
#include "report/journal/journal.hpp"

namespace gpucheck::application {
namespace {

[[noreturn]] void reject(const std::string& path, std::string_view why) {
  throw UsageError(
      fmt::format("--resume: {} is the journal of another run: {}; leave out --resume, or give this run a "
                  "journal of its own",
                  path, why));
}

bool has_whole_line(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  int c = std::fgetc(file);
  while (c != EOF && c != '\n') c = std::fgetc(file);
  std::fclose(file);
  return c == '\n';
}

}  // namespace

ResumedJournal::ResumedJournal(std::string path, const runner::Options& options, const RunIdentity& identity)
    : path_(std::move(path)), aside_(path_ + ".before") {
  for (const std::string& one : {path_, aside_}) {
    std::error_code absent;
    // One that was cut off in its first line knows nothing.
    if (std::filesystem::is_regular_file(one, absent) && has_whole_line(one)) take(one, options, identity);
  }
}

void ResumedJournal::take(const std::string& path, const runner::Options& options, const RunIdentity& identity) {
  const fleet::RunRecord record = report::read_journal(path).record();
  const harness::RunStarted& start = record.start;
  if (start.version != options.version) {
    reject(path, fmt::format("by gpucheck {}, and this is {}", start.version, options.version));
  }
  if (start.golden_digest != options.golden_digest) reject(path, "with other golden files or limits");
  if (start.settings != options.settings) reject(path, "with other settings");
  std::set<std::string> before;
  for (const harness::SelectedCase& selected : start.selected) before.insert(selected.name);
  if (!before.empty() && before != identity.cases) reject(path, "of other cases");
  if (start.site_cases != identity.site_cases) reject(path, "with cases of the site's own that have changed since");
  if (run_.devices.empty()) run_.devices = start.devices;
  (path == aside_ ? results_aside_ : results_) = record.results.size();
  for (const harness::CaseResult& result : record.results) {
    // What was not started for want of time has its time now.
    if (!harness::lacked_time(result)) run_.results.try_emplace(harness::selected_case(result), result);
  }
}

void ResumedJournal::put_aside() const {
  // The one that was put aside before stays where the run after it was cut off before it knew as much again.
  std::error_code absent;
  const bool knows_less = std::filesystem::exists(aside_, absent) && results_ < results_aside_;
  if (knows_less || !has_whole_line(path_)) return;
  if (std::rename(path_.c_str(), aside_.c_str()) == 0) return;
  throw EnvironmentError(fmt::format("cannot rename {} to {}: {}", path_, aside_, std::strerror(errno)));
}

void ResumedJournal::finish(const std::vector<harness::CaseResult>& results) const {
  std::set<harness::SelectedCase> known;
  for (const harness::CaseResult& result : results) known.insert(harness::selected_case(result));
  std::size_t lacking = 0;
  for (const auto& [selected, _] : run_.results) lacking += known.contains(selected) ? 0U : 1U;
  std::error_code absent;
  if (lacking == 0) {
    std::filesystem::remove(aside_, absent);
  } else if (std::filesystem::exists(aside_, absent)) {
    note(fmt::format("{} keeps {} results that {} lacks", aside_, lacking, path_));
  }
}

}  // namespace gpucheck::application
