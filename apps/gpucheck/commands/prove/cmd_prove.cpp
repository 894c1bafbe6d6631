#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "base/text/sanitize.hpp"
#include "commands/commands.hpp"
#include "commands/execution.hpp"
#include "commands/prove/proof_document.hpp"
#include "commands/prove/prover.hpp"
#include "input/selection.hpp"
#include "input/site_environment.hpp"
#include "input/world.hpp"

namespace gpucheck::application {

namespace {

using runner::CaseProof;
using runner::CaughtBy;
using runner::FaultTrial;
using runner::Proof;

using harness::CaseResult;
using harness::Outcome;

/// A long reason shortened to fit its line of the matrix; --json has all of it.
std::string shortened(const std::string& text) { return one_line(text, 100); }

/// "fail: key_a, key_b and 2 more", "crash: killed by SIGSEGV", "hang: …".
std::string cause(const CaseResult& result) {
  constexpr std::size_t shown = 3;
  const std::vector<harness::Mismatch>& shown_first = result.mismatches.empty() ? result.warnings : result.mismatches;
  if (shown_first.empty()) {
    return fmt::format("{}{}{}", harness::to_text(result.outcome), result.reason.empty() ? "" : ": ",
                       shortened(result.reason));
  }
  std::vector<std::string_view> keys;
  for (const harness::Mismatch& difference : shown_first) keys.push_back(difference.key);
  const std::size_t more = keys.size() > shown ? keys.size() - shown : 0;
  keys.resize(keys.size() - more);
  const std::string_view word = harness::is_marked(result) ? "warning" : harness::to_text(result.outcome);
  return fmt::format("{}: {}{}", word, fmt::join(keys, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string verdict(const FaultTrial& trial) {
  if (trial.noticed()) return fmt::format("caught ({})", cause(trial.result));
  return trial.result.outcome == Outcome::pass ? "NOT NOTICED" : fmt::format("NOT NOTICED ({})", cause(trial.result));
}

/// Name and verdict of each line of a case's block.
std::vector<std::pair<std::string, std::string>> lines(const CaseProof& proof) {
  const bool clean = proof.clean.outcome == Outcome::pass;
  std::vector<std::pair<std::string, std::string>> result;
  if (proof.was_skipped()) return {{"(skipped)", shortened(proof.clean.reason)}};
  result.emplace_back("(clean)", clean ? "pass" : fmt::format("NOT A PASS ({})", cause(proof.clean)));
  if (proof.test_case->faults.empty()) result.emplace_back("(no fault)", "NOT PROVEN: the case declares no fault");
  for (const harness::Fault& fault : proof.test_case->faults) {
    const FaultTrial* const trial = proof.trial_of(fault);
    const std::string not_run = clean ? "NOT RUN (interrupted)" : "not run: the clean run is not a pass";
    result.emplace_back(fault.name, trial == nullptr ? not_run : verdict(*trial));
  }
  const bool all_tried = !proof.trials.empty() && proof.trials.size() == proof.test_case->faults.size();
  if (all_tried && !proof.has_red_key()) {
    result.emplace_back("(no key)", "NOT PROVEN: no fault turned a key of the case's own red");
  }
  return result;
}

std::string matrix(const Proof& proof) {
  std::size_t case_width = 0;
  std::size_t fault_width = 0;
  for (const CaseProof& block : proof.cases) {
    case_width = std::max(case_width, block.test_case->name.size());
    for (const auto& [name, verdict] : lines(block)) fault_width = std::max(fault_width, name.size());
  }
  std::string text;
  for (const CaseProof& block : proof.cases) {
    std::string_view name = block.test_case->name;
    for (const auto& [fault, verdict] : lines(block)) {
      text += fmt::format("{:<{}}  {:<{}}  {}\n", name, case_width, fault, fault_width, verdict);
      name = "";
    }
  }
  return text;
}

/// Which cases were skipped, by reason: those that need a second device, for example.
std::string skipped_cases(const Proof& proof) {
  std::map<std::string, std::vector<std::string_view>> by_reason;
  for (const CaseProof& block : proof.cases) {
    if (block.was_skipped()) by_reason[block.clean.reason].push_back(block.test_case->name);
  }
  std::string text;
  for (const auto& [reason, names] : by_reason) {
    text += fmt::format("  {}: {}\n", shortened(reason), fmt::join(names, ", "));
  }
  return text.empty() ? text : "skipped, and so neither proven nor not:\n" + text;
}

std::string skipped_text(const Proof& proof) {
  const auto skipped = std::ranges::count_if(proof.cases, &CaseProof::was_skipped);
  return skipped == 0 ? "" : fmt::format(" ({} skipped)", skipped);
}

std::string summary(const Proof& proof) {
  const auto proven =
      std::count_if(proof.cases.begin(), proof.cases.end(), [](const CaseProof& block) { return block.proven(); });
  std::vector<std::string> ways;
  for (const auto& [caught_by, words] : {std::pair(CaughtBy::key, "by a key of the case's own"),
                                         {CaughtBy::rule, "by a class-wide rule alone"},
                                         {CaughtBy::error, "by an error"},
                                         {CaughtBy::crash, "by a crash"},
                                         {CaughtBy::hang, "by a hang"}}) {
    const int count = proof.count_of(caught_by);
    if (count > 0) ways.push_back(fmt::format("{} {}", count, words));
  }
  return fmt::format(
      "{} of {} cases proven{}, {} of {} faults caught{}{}\n{} of {} judged keys turned red by a fault\n", proven,
      proof.cases.size(), skipped_text(proof), proof.noticed_count(), proof.fault_count(), ways.empty() ? "" : ": ",
      fmt::join(ways, ", "), proof.red_key_count(), proof.key_count());
}

/// What no fault of a device can break, a mistake in the runtime may: that is scripts/mutate's to show.
std::string keys_never_red(const Proof& proof) {
  std::string text;
  for (const CaseProof& block : proof.cases) {
    const std::vector<std::string> keys = block.keys_never_red();
    if (keys.empty()) continue;
    text += fmt::format("  {} ({} of {}): {}\n", block.test_case->name, keys.size(), block.judged_keys.size(),
                        fmt::join(keys, ", "));
  }
  return text.empty() ? text : "judged keys that no fault turned red:\n" + text;
}

void show_proving(std::size_t finished, std::size_t total) {
  show_progress(fmt::format("proving: {} of {} runs done", finished, total));
}

}  // namespace

int prove(const Environment& environment, const ProveOptions& typed) {
  ProveOptions options = typed;
  options.runner.world = world_of_this_process(engine_of_this_process(), typed.runner.world.rendezvous);
  const SiteEnvironment site(environment, options.runner.settings.case_folders);
  const golden::GoldenSet goldens =
      load_goldens(site.get(), options.runner.settings.golden_directory, options.runner.settings.limits_path);
  const std::vector<const harness::Case*> cases =
      for_allocator(for_processes(select_cases(site.get().registry, goldens, options.selection), options.selection),
                    options.selection, options.runner.settings.allocator);
  const auto rendezvous = serve_rendezvous(cases, options.runner.world);
  const Proof proof = make_proof(site.get(), goldens, cases, options.runner, show_proving);
  clear_progress();
  note_device(proof.device);
  if (options.json) {
    print_document(proof_document(proof));
  } else {
    print(matrix(proof) + keys_never_red(proof) + skipped_cases(proof) + summary(proof));
  }
  return static_cast<int>(proof.exit_code());
}

}  // namespace gpucheck::application
