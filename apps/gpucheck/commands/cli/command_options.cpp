#include "commands/cli/command_options.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/acceptance/acceptance_options.hpp"
#include "commands/advise/advise_options.hpp"
#include "commands/commands.hpp"
#include "commands/inspect/inspect_options.hpp"
#include "commands/merge/merge_options.hpp"
#include "commands/replay/replay_options.hpp"
#include "config/apply_config.hpp"
#include "config/cmd_config.hpp"
#include "help/exit_code_texts.hpp"
#include "site/new_case.hpp"

namespace gpucheck::application {

namespace {

template <typename Options>
using Command = int (*)(const Environment&, const Options&);

/// A subcommand whose options live as long as the callbacks that fill them.
template <typename Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_command(CLI::App& parent, const std::string& name,
                                                           const std::string& text, const char* exit_code_text,
                                                           Command<Options> command, const Environment& environment,
                                                           Action& action) {
  CLI::App* const subcommand = parent.add_subcommand(name, text);
  subcommand->footer(exit_code_text);
  const auto options = std::make_shared<Options>();
  subcommand->final_callback([&environment, &action, options, command] {
    action = [&environment, options, command] { return command(environment, *options); };
  });
  return {subcommand, options};
}

void add_inspection(CLI::App& application, const Environment& environment, Action& action) {
  const auto [list_command, list_options] =
      add_command<ListOptions>(application, "list", "Show the cases' names and what they check", exit_codes::of_showing,
                               list, environment, action);
  add_globs(*list_command, list_options->selection);
  add_case_folders(*list_command, list_options->case_folders);
  CLI::Option* const json = list_command->add_flag("--json", list_options->json, "As JSON, with everything declared");
  CLI::Option* const plain = list_command->add_flag("--plain", list_options->plain, "Names only")->excludes(json);
  CLI::Option* const estimate = list_command->add_flag(
      "--estimate", list_options->estimate, "How long each takes, how long all do, and on what that is based");
  estimate->excludes(plain);
  list_command
      ->add_option("--basis", list_options->basis, "What golden files expect on this basis: own, spec, torch, ...")
      ->excludes(json)
      ->excludes(plain)
      ->excludes(estimate);
  list_command
      ->add_option(
          "--device", list_options->device,
          "Instead of the cases, the devices that a run would be on, and why one cannot be used (exit code 3); with "
          "--estimate, on what the estimated run will be: no device is opened")
      ->expected(0, 1)
      ->default_str("auto")
      ->excludes(plain)
      ->type_name("DEVICE");
  add_whole_number(*list_command, "-j,--jobs", list_options->jobs, 0, 1024, "Cases side by side in the estimated run")
      ->needs(estimate)
      ->default_str("0");

  const auto [describe_command, describe_options] =
      add_command<DescribeOptions>(application, "describe", "Show all about one case, and what it must observe",
                                   exit_codes::of_showing, describe, environment, action);
  describe_command->add_option("case", describe_options->case_name, "Its name")->required()->type_name("CASE");
  add_case_folders(*describe_command, describe_options->case_folders);
  add_golden_files(*describe_command, describe_options->golden_directory, describe_options->limits_path);
  describe_command->add_flag("--json", describe_options->json, "As JSON");

  const auto [explain_command, explain_options] = add_command<ExplainOptions>(
      application, "explain", "Show what a failure's code or an XID means, and what to do next", exit_codes::of_showing,
      explain, environment, action);
  explain_command
      ->add_option("code", explain_options->code,
                   "Code or name of a kind of failure, none means all; or an XID (XID79, 79), xids means all of them")
      ->type_name("CODE");
  explain_command->add_flag("--json", explain_options->json, "As JSON");

  const auto [info_command, info_options] =
      add_command<InfoOptions>(application, "info", "Show the devices and libraries found, or why not",
                               exit_codes::of_info, info, environment, action);
  CLI::Option* const info_json = info_command->add_flag("--json", info_options->json, "As JSON");
  info_command
      ->add_option(
          "--record", info_options->record_path,
          "Write all that the driver reports of each GPU (sensors, error counters, links) to this JSON file; - is "
          "stdout, and nothing else is shown")
      ->type_name("FILE")
      ->excludes(info_json);
}

void add_run_options(CLI::App& command, RunOptions& options, const Environment& environment) {
  add_globs(command, options.selection);
  add_case_folders(command, options.runner.settings.case_folders);
  add_parameters(command, options.runner);
  add_order(command, options);
  add_execution(command, options.runner);
  add_run_control(command, options, environment.start);
}

/// The one command that reads a configuration file: when all of the command line has been read.
void add_run(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] = add_command<RunOptions>(application, "run", "Run cases and judge them",
                                                          exit_codes::of_run, run, environment, action);
  add_run_options(*command, *options, environment);
  const auto choice = std::make_shared<ConfigChoice>();
  add_config_options(*command, *choice);
  command->final_callback([&environment, &action, command = command, options = options, choice] {
    action = [&environment, command, options, choice] {
      if (const std::optional<Config> config = load_config(*choice)) apply_config(*config, *command, *options);
      return run(environment, *options);
    };
  });
}

void add_report(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] =
      add_command<JournalReportOptions>(application, "report", "Write reports from the journal of a run, or of several",
                                        exit_codes::of_report, report, environment, action);
  command
      ->add_option("journals", options->journals, "Their journals: of one run, or of runs on several hosts or devices")
      ->required()
      ->type_name("JOURNAL");
  add_report_files(*command, options->reports, false);
}

void add_merge(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] =
      add_command<MergeOptions>(application, "merge", "Judge a fleet by the journals of its nodes",
                                exit_codes::of_merge, merge, environment, action);
  add_merge_options(*command, *options);
}

void add_compare(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] =
      add_command<CompareOptions>(application, "compare", "Show what has changed between two runs of a node or a fleet",
                                  exit_codes::of_compare, compare, environment, action);
  command->add_option("before", options->before, "The journal of the earlier run, or a folder of journals")
      ->required()
      ->type_name("OLD");
  command->add_option("after", options->after, "Likewise, of the later run")->required()->type_name("NEW");
  command->add_option("--json", options->json_path, "Write what has changed (gpucheck.changes/1); - is stdout")
      ->type_name("FILE");
  add_colour(*command, "--color", options->colour);
}

void add_acceptance(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] = add_command<AcceptanceOptions>(
      application, "acceptance", "Show what a node has to pass to be accepted, or judge runs by it",
      exit_codes::of_acceptance, acceptance, environment, action);
  add_evidence(*command, options->evidence);
  command->add_flag("--json", options->json, "As JSON");

  const auto [bundle_command, bundle_options] = add_command<BundleOptions>(
      application, "bundle", "Pack runs, and all that judged them, into one file that can be verified anywhere",
      exit_codes::of_acceptance, bundle, environment, action);
  add_evidence(*bundle_command, bundle_options->evidence);
  bundle_command->get_option("runs")->required();
  bundle_command->add_option("--output", bundle_options->output_path, "Where the bundle goes; - is stdout")
      ->required()
      ->type_name("FILE");

  const auto [verify_command, verify_options] =
      add_command<VerifyOptions>(application, "verify", "Judge the runs of a bundle again and compare with its verdict",
                                 exit_codes::of_verify, verify, environment, action);
  verify_command->add_option("bundle", verify_options->bundle_path, "What gpucheck bundle wrote")
      ->required()
      ->type_name("BUNDLE");
  CLI::Option* const signature =
      verify_command
          ->add_option("--signature", verify_options->signature_path,
                       "The bundle's signature, as ssh-keygen -Y sign -n gpucheck writes it: it must be good")
          ->type_name("FILE");
  CLI::Option* const signers =
      verify_command
          ->add_option(
              "--allowed-signers", verify_options->allowed_signers_path,
              "Whose signature it may be: lines of a name and a public key, as ssh-keygen -Y verify takes them")
          ->type_name("FILE");
  signature->needs(signers);
  signers->needs(signature);
  verify_command->add_flag("--json", verify_options->json, "As JSON (gpucheck.verification/1)");
}

void add_prove(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] = add_command<ProveOptions>(
      application, "prove", "Show that cases turn red: run each clean, then under each of its declared faults",
      exit_codes::of_prove, prove, environment, action);
  add_globs(*command, options->selection);
  add_case_folders(*command, options->runner.settings.case_folders);
  add_parameters(*command, options->runner);
  add_execution(*command, options->runner);
  command->add_flag("--json", options->json, "As JSON");
}

void add_replay(CLI::App& application, const Environment& environment, Action& action) {
  const auto [command, options] = add_command<ReplayOptions>(
      application, "replay", "Play allocator traces and memory snapshots: compare, or show what they would need",
      exit_codes::of_replay, replay, environment, action);
  add_replay_options(*command, *options);

  const auto [advise_command, advise_options] = add_command<AdviseOptions>(
      application, "advise", "Find the allocator settings under which a recorded program needs least memory",
      exit_codes::of_replay, advise, environment, action);
  add_advise_options(*advise_command, *advise_options);

  const auto [inspect_command, inspect_options] = add_command<InspectOptions>(
      application, "inspect", "Show what a memory snapshot holds, as text or as a page with pictures",
      exit_codes::of_inspect, inspect, environment, action);
  add_inspect_options(*inspect_command, *inspect_options);
}

void add_golden(CLI::App& application, const Environment& environment, Action& action) {
  CLI::App* const golden = application.add_subcommand("golden", "Compare with golden files, or propose new ones");
  golden->require_subcommand(1);
  const auto [diff, diff_options] =
      add_command<GoldenDiffOptions>(*golden, "diff", "Run cases and show where they differ from their golden files",
                                     exit_codes::of_golden_diff, golden_diff, environment, action);
  add_globs(*diff, diff_options->selection);
  add_case_folders(*diff, diff_options->runner.settings.case_folders);
  add_parameters(*diff, diff_options->runner);
  add_execution(*diff, diff_options->runner);

  const auto [approve, approve_options] = add_command<GoldenApproveOptions>(
      *golden, "approve", "Run cases and write what they observe as proposals for golden files",
      exit_codes::of_golden_approve, golden_approve, environment, action);
  approve->add_option("cases", approve_options->case_names, "Their names")->required()->type_name("CASE");
  add_case_folders(*approve, approve_options->runner.settings.case_folders);
  add_parameters(*approve, approve_options->runner);
  add_execution(*approve, approve_options->runner);
  approve->get_option("--golden")
      ->description(
          "Golden files to write; made where there is none. Without it those of your own cases are written into their "
          "folders");
}

void add_case(CLI::App& application, const Environment& environment, Action& action) {
  CLI::App* const command = application.add_subcommand("case", "Cases of your own");
  command->require_subcommand(1);
  const auto [create, options] =
      add_command<CaseNewOptions>(*command, "new", "Write an example of a case of your own that works",
                                  exit_codes::of_case_new, case_new, environment, action);
  create->add_option("name", options->name, "Its name: \"group.case\" with a-z, 0-9 and _, such as site.scratch_space")
      ->required()
      ->type_name("NAME");
  std::vector<std::string> languages;
  for (const std::string_view language : site::example_languages()) languages.emplace_back(language);
  create->add_option("--language", options->language, "In which its program is written")
      ->check(CLI::IsMember(languages))
      ->capture_default_str();
  create
      ->add_option("--folder", options->folder,
                   "Folder of cases in which it becomes a folder; made where there is none")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void add_baseline(CLI::App& application, const Environment& environment, Action& action) {
  CLI::App* const baseline = application.add_subcommand("baseline", "Limits from what good machines measured");
  baseline->require_subcommand(1);
  const auto [make, options] = add_command<BaselineMakeOptions>(
      *baseline, "make", "Make limits for gpucheck run --limits from the JSON results of good machines",
      exit_codes::of_baseline, baseline_make, environment, action);
  make->add_option("results", options->results, "What gpucheck run --json wrote on them")
      ->required()
      ->type_name("RESULT");
  make->add_option("--output", options->output_path, "Where the limits go; - is stdout")
      ->type_name("FILE")
      ->capture_default_str();
  make->add_option("--minimum-count", options->minimum_count, "Fewer measurements of a value give no limit")
      ->check(CLI::Range(2, 1'000'000))
      ->type_name("NUMBER")
      ->capture_default_str();
}

void add_config(CLI::App& application, const Environment& environment, Action& action) {
  add_config_commands(
      application,
      [&environment](CLI::App& command, RunOptions& options) { add_run_options(command, options, environment); },
      action);
}

/// Commands that are declared together.
struct Family {
  std::vector<std::string_view> names;
  void (*add)(CLI::App&, const Environment&, Action&);

  [[nodiscard]] bool has(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {{"run"}, add_run},
      {{"report"}, add_report},
      {{"merge"}, add_merge},
      {{"compare"}, add_compare},
      {{"acceptance", "bundle", "verify"}, add_acceptance},
      {{"list", "describe", "explain", "info"}, add_inspection},
      {{"prove"}, add_prove},
      {{"baseline"}, add_baseline},
      {{"golden"}, add_golden},
      {{"case"}, add_case},
      {{"replay", "advise", "inspect"}, add_replay},
      {{"config"}, add_config},
  };
  return all;
}

}  // namespace

bool is_command(std::string_view name) {
  return std::ranges::any_of(families(), [name](const Family& family) { return family.has(name); });
}

void add_commands(CLI::App& application, const Environment& environment, Action& action) {
  const std::vector<std::string>& words = environment.command_line;
  const std::string_view named = words.size() > 1 && is_command(words[1]) ? words[1] : std::string_view();
  for (const Family& family : families()) {
    if (named.empty() || family.has(named)) family.add(application, environment, action);
  }
}

}  // namespace gpucheck::application
