#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "commands/commands.hpp"
#include "commands/execution.hpp"
#include "golden/approve.hpp"
#include "harness/result/outcome_text.hpp"
#include "input/selection.hpp"
#include "input/site_environment.hpp"
#include "output/distinct_files.hpp"
#include "site/site_cases.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;
using harness::Case;
using harness::CaseResult;
using harness::ExitCode;
using harness::Outcome;

std::vector<CaseResult> run_cases(const Environment& environment, const runner::Options& options,
                                  std::span<const Case* const> cases, const golden::GoldenSet& goldens,
                                  RunRecorder& recorder) {
  const runner::Plan plan = runner::make_plan(cases, {.settings = options.settings});
  std::vector<CaseResult> results = run_quietly(plan, goldens, runner_options(environment, options), recorder);
  note_device(recorder.device());
  std::sort(results.begin(), results.end(), [](const CaseResult& a, const CaseResult& b) { return a.name < b.name; });
  return results;
}

std::string difference_text(const CaseResult& result) {
  if (!is_judged(result.outcome)) {
    return fmt::format("{}: {}: {}\n", result.name, harness::to_text(result.outcome), result.reason);
  }
  std::string text = fmt::format("{}\n", result.name);
  for (const harness::Mismatch& mismatch : result.mismatches) {
    text += fmt::format("  {}\n    - expected: {} ({})\n    + seen:     {}\n", mismatch.key, mismatch.expected,
                        mismatch.basis, mismatch.seen);
  }
  if (result.mismatches.empty()) text += fmt::format("  {}\n", result.reason);
  return text;
}

/// What one `golden diff` found, by kind.
struct Tally {
  int same = 0;
  int different = 0;
  int unjudged = 0;

  void add(const CaseResult& result) {
    if (result.outcome == Outcome::pass) {
      ++same;
    } else if (is_judged(result.outcome) || result.outcome == Outcome::crash || result.outcome == Outcome::hang) {
      ++different;
    } else {
      ++unjudged;
    }
  }

  [[nodiscard]] ExitCode exit_code() const {
    if (different > 0) return ExitCode::failed;
    return unjudged > 0 || same == 0 ? ExitCode::not_judged : ExitCode::passed;
  }
};

void write_golden(const fs::path& path, const std::string& text) {
  std::error_code problem;  // of which OutputFile says more
  fs::create_directories(path.parent_path(), problem);
  OutputFile(path.string(), "golden file").commit(text);
}

/// The run needs no golden: whatever is observed is held against the old file by
/// golden::propose, which also reads one that still waits for its basis.
void approve_case(const CaseResult& result, const fs::path& path, const golden::Conditions& conditions, int& written) {
  // One that is there and cannot be read is not one to write anew: its bases would be lost.
  const std::string old_text = read_input_file_if_any(path.string(), "golden file").value_or("");
  const std::string proposal = golden::propose(old_text, path.string(), result, conditions);
  if (proposal == old_text) {
    print(fmt::format("{}: {} already says what was seen\n", result.name, path.string()));
    return;
  }
  write_golden(path, proposal);
  ++written;
  print(fmt::format("{}: {}\n", result.name, path.string()));
}

/// In the folder of golden files; without one, in that of a case of the site's own.
std::string path_of_proposal(const Case& test_case, const std::string& directory) {
  if (!directory.empty()) return (fs::path(directory) / golden::golden_path(test_case.name)).string();
  if (test_case.program) return site::golden_path(*test_case.program);
  throw UsageError(
      fmt::format("--golden DIR is missing: the golden file of {} is built in, and the proposal needs a "
                  "folder",
                  test_case.name));
}

/// A proposal replaces no file that the cases are run with.
void check_proposals(const GoldenApproveOptions& options, const std::map<std::string, std::string>& paths) {
  std::vector<NamedFile> proposals;
  for (const auto& [_, path] : paths) proposals.push_back({"the golden file", path});
  check_distinct(proposals, files_of_settings(options.runner.settings));
}

void check_completed(const CaseResult& result) {
  if (is_judged(result.outcome)) return;
  throw EnvironmentError(fmt::format("{} gave nothing to approve ({}: {}); no golden file of it was written",
                                     result.name, harness::to_text(result.outcome), result.reason));
}

}  // namespace

int golden_diff(const Environment& given, const GoldenDiffOptions& options) {
  const SiteEnvironment site(given, options.runner.settings.case_folders);
  const Environment& environment = site.get();
  const golden::GoldenSet goldens =
      load_goldens(environment, options.runner.settings.golden_directory, options.runner.settings.limits_path);
  const Selected selected = select(environment.registry, goldens, options.selection);
  if (selected.empty()) throw EnvironmentError(nothing_selected_text());
  const std::vector<const Case*> cases =
      for_allocator(selected.cases, options.selection, options.runner.settings.allocator);
  RunRecorder recorder;
  Tally tally;
  for (const CaseResult& result : run_cases(environment, options.runner, cases, goldens, recorder)) {
    tally.add(result);
    if (result.outcome != Outcome::pass) print(difference_text(result));
  }
  for (const std::string& orphan : selected.orphans) {
    print(fmt::format("{}\n  a golden file, but no case\n", orphan));
    ++tally.different;
  }
  print(fmt::format("{} as expected, {} different, {} not judged\n", tally.same, tally.different, tally.unjudged));
  const int signal = recorder.interrupted_by_signal();
  return static_cast<int>(signal != 0 ? harness::interrupted_exit_code(signal) : tally.exit_code());
}

int golden_approve(const Environment& given, const GoldenApproveOptions& options) {
  const SiteEnvironment site(given, options.runner.settings.case_folders);
  const Environment& environment = site.get();
  std::map<std::string, std::string> paths;
  std::vector<const Case*> cases;
  for (const std::string& name : options.case_names) {
    cases.push_back(&environment.registry.require(name));
    paths.emplace(name, path_of_proposal(*cases.back(), options.runner.settings.golden_directory));
  }
  check_proposals(options, paths);
  RunRecorder recorder;
  const golden::GoldenSet none = golden::GoldenSet::from_embedded({});
  const std::vector<CaseResult> results = run_cases(environment, options.runner, cases, none, recorder);
  if (recorder.interrupted_by_signal() != 0) {
    return static_cast<int>(harness::interrupted_exit_code(recorder.interrupted_by_signal()));
  }
  int written = 0;
  for (const CaseResult& result : results) {
    check_completed(result);
    approve_case(result, paths.at(result.name),
                 {recorder.device().kind, std::string(runtime::kind_name(options.runner.settings.allocator))}, written);
  }
  if (written > 0) {
    note(
        "each value marked \"unapproved\" waits for you: write where it comes from (seed, torch, spec, math, vendor or "
        "site) in its \"basis\"; until then the file is rejected");
  }
  return 0;
}

}  // namespace gpucheck::application
