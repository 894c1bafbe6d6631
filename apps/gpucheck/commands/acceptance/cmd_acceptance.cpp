#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acceptance/bundle/bundle.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/text/sanitize.hpp"
#include "commands/commands.hpp"
#include "commands/merge/verdict_exit_code.hpp"
#include "input/selection.hpp"
#include "output/distinct_files.hpp"
#include "output/terminal.hpp"
#include "output/version.hpp"
#include "report/journal/merge_journals.hpp"
#include "report/merged/merged_formats.hpp"

namespace gpucheck::application {
namespace {

using harness::ExitCode;

/// By what runs are judged, and the journals.
struct Evidence {
  acceptance::Contract contract;
  golden::GoldenSet goldens;
  std::unique_ptr<acceptance::Dossier> dossier = {};
};

/// What stands in the way of finding a journal is one that may be missing.
std::vector<std::string> journals_among(const std::vector<std::string>& paths) {
  report::FoundJournals found = report::find_journals(paths);
  if (!found.problems.empty()) {
    throw EnvironmentError(fmt::format("{}: {}", found.problems.front().path, found.problems.front().reason));
  }
  if (!paths.empty() && found.files.empty()) {
    throw EnvironmentError(fmt::format("there is no journal in {}", paths.front()));
  }
  return std::move(found.files);
}

std::unique_ptr<Evidence> evidence_of(const Environment& environment, const EvidenceOptions& options) {
  auto evidence = std::make_unique<Evidence>(
      Evidence{.contract = acceptance::Contract::parse(environment.contract()),
               .goldens = load_goldens(environment, options.golden_directory, options.limits_path)});
  const acceptance::Terms terms{.contract = evidence->contract,
                                .goldens = evidence->goldens,
                                .has_site_limits = !options.limits_path.empty(),
                                .expected = fleet::parse_expected_nodes(options.expected_nodes)};
  evidence->dossier =
      std::make_unique<acceptance::Dossier>(terms, journals_among(options.runs), journals_among(options.again));
  return evidence;
}

/// Says where results are not what follows from what was observed, and what that can be.
void print_contradictions(std::FILE* stream, const acceptance::Dossier& dossier) {
  std::string text;
  for (const std::string& one : dossier.contradictions()) text += one + "\n";
  text +=
      "NOT JUDGED  results are not what follows from their observations by the golden files and limits of this "
      "gpucheck: "
      "the run was judged by others (name them with --golden and --limits, or use the gpucheck that ran), or its "
      "journal "
      "has been changed\n";
  const std::string clean = clean_text(text);
  std::fwrite(clean.data(), 1, clean.size(), stream);
}

void print_judged(std::FILE* stream, const acceptance::Contract& contract, const acceptance::JudgedRuns& judged) {
  const std::string text =
      report::merged_text(judged.fleet, false, {}) + clean_text(acceptance::standing_text(contract, judged.standing));
  std::fwrite(text.data(), 1, text.size(), stream);
}

int show_contract(const acceptance::Contract& contract, bool json) {
  if (json) {
    print_document(contract.text);
  } else {
    print(acceptance::contract_text(contract));
  }
  return 0;
}

}  // namespace

int acceptance(const Environment& environment, const AcceptanceOptions& options) {
  if (options.evidence.runs.empty()) {
    return show_contract(acceptance::Contract::parse(environment.contract()), options.json);
  }
  const std::unique_ptr<Evidence> evidence = evidence_of(environment, options.evidence);
  const acceptance::Dossier& dossier = *evidence->dossier;
  std::FILE* const console = options.json ? stderr : stdout;
  if (!dossier.contradictions().empty()) {
    print_contradictions(console, dossier);
    return static_cast<int>(ExitCode::not_judged);
  }
  if (options.json) {
    print_document(acceptance::standing_json(evidence->contract, dossier.judged().standing));
  } else {
    print_judged(console, evidence->contract, dossier.judged());
  }
  return static_cast<int>(exit_code_of(dossier.judged().standing.verdict));
}

int bundle(const Environment& environment, const BundleOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the console may leave: the file is written all the same
  std::vector<NamedFile> inputs{{"the limits", options.evidence.limits_path}};
  for (const std::string& path : options.evidence.runs) inputs.push_back({"a journal", path});
  for (const std::string& path : options.evidence.again) inputs.push_back({"a journal", path});
  check_distinct(std::vector<NamedFile>{{"--output", options.output_path}}, inputs);
  OutputFile file(options.output_path, "bundle", Writers::one);
  file.discard_old();
  const std::unique_ptr<Evidence> evidence = evidence_of(environment, options.evidence);
  const acceptance::Dossier& dossier = *evidence->dossier;
  std::FILE* const console = options.output_path == "-" ? stderr : stdout;
  if (!dossier.contradictions().empty()) {
    print_contradictions(console, dossier);
    return static_cast<int>(ExitCode::not_judged);
  }
  const std::string& limits_path = options.evidence.limits_path;
  const std::string limits = limits_path.empty() ? "" : read_input_file(limits_path, "limits");
  dossier.write(std::string(build_information().version), limits,
                [&file](std::string_view bytes) { file.append(bytes); });
  file.commit("");
  print_judged(console, evidence->contract, dossier.judged());
  return static_cast<int>(exit_code_of(dossier.judged().standing.verdict));
}

}  // namespace gpucheck::application
