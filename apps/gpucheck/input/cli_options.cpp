#include "input/cli_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/duration.hpp"
#include "input/devices/devices.hpp"
#include "input/engine.hpp"
#include "input/selection.hpp"

namespace gpucheck::application {

namespace {

/// `--name`, or `--run-name` where a case has a parameter of that name: the case's own
/// wins, and nothing of `run` is lost.
std::string free_name(const CLI::App& command, const std::string& name) {
  const bool taken = command.get_option_no_throw("--" + name) != nullptr;
  return (taken ? "--run-" : "--") + name;
}

/// With a one-letter form where `command` has not given the name away.
std::string free_name(const CLI::App& command, char letter, const std::string& name) {
  const std::string long_name = free_name(command, name);
  return long_name == "--" + name ? std::string{'-', letter, ','} + long_name : long_name;
}

template <typename Target>
CLI::Option* add(CLI::App& command, const std::string& name, Target& target, const std::string& text) {
  return command.add_option(free_name(command, name), target, text);
}

CLI::Option* add_flag(CLI::App& command, const std::string& name, bool& target, const std::string& text) {
  return command.add_flag(free_name(command, name), target, text);
}

/// For formats that have one: `--json FILE`.
CLI::Option* add_short_form(CLI::App& command, const report::Format& format, std::vector<Output>& outputs) {
  const bool is_journal = format.write == nullptr;
  return command
      .add_option_function<std::string>(
          free_name(command, std::string(format.name)),
          [&outputs, &format](const std::string& path) { outputs.push_back({.format = &format, .path = path}); },
          fmt::format("--output {}=FILE in short{}", format.name,
                      is_journal ? "; by default, with --json FILE, there is one in FILE.journal" : ""))
      ->type_name("FILE");
}

void add_outputs(CLI::App& command, ReportOptions& options, bool with_journal) {
  for (const report::Format& format : report::formats()) {
    const bool is_journal = format.write == nullptr;
    if (!format.has_short_form || (is_journal && !with_journal)) continue;
    CLI::Option* const option = add_short_form(command, format, options.outputs);
    if (!is_journal) continue;
    add_flag(command, "no-journal", options.no_journal, "No journal beside the JSON report")->excludes(option);
  }
  command
      .add_option_function<std::vector<std::string>>(
          free_name(command, "output"),
          [&outputs = options.outputs, with_journal](const std::vector<std::string>& texts) {
            for (const std::string& one : texts) outputs.push_back(parse_output(one, with_journal));
          },
          fmt::format("Write a report; may be repeated; - is stdout, and the console report then goes to stderr. "
                      "Formats: {}",
                      formats_text(with_journal)))
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false);
}

std::string suite_text() {
  std::string text = "A named selection:";
  for (const Suite& suite : suites()) text += " " + std::string(suite.name) + " (" + std::string(suite.summary) + ");";
  text.pop_back();
  return text;
}

void add_rendezvous(CLI::App& command, std::string& rendezvous) {
  add(command, "rendezvous", rendezvous,
      "Where the processes of a job find each other for the cases between them, tcp://HOST:PORT of the machine of rank "
      "0 or a folder that all nodes see; by default as the engine says (gpucheck help between-nodes)")
      ->type_name("ADDRESS|FOLDER");
}

}  // namespace

void add_globs(CLI::App& command, Selection& selection) {
  command.add_option("cases", selection.globs, "Names, groups or globs (* and ?); none means all")->type_name("GLOB");
  command.add_option("--suite", selection.suite, suite_text())->type_name("NAME")->capture_default_str();
  add_exclusions(command, selection);
}

void add_exclusions(CLI::App& command, Selection& selection) {
  command
      .add_option("--exclude", selection.excluded,
                  "Leave these out: all words up to the next option; cases to run stand before it")
      ->type_name("GLOB");
}

void add_execution(CLI::App& command, runner::Options& options) {
  add(command, "device", options.settings.device, std::string(device_name_forms()))
      ->type_name("NAME")
      ->capture_default_str();
  add_whole_number(command, free_name(command, 'j', "jobs"), options.jobs, 0, 1024,
                   "Cases side by side on each device; 0: one per core, at most 8, or 2 on CUDA, and in all no more "
                   "than there are cores or devices")
      ->default_str("0");
  command
      .add_option_function<std::string>(
          free_name(command, "timeout"),
          [&options](const std::string& text) { options.timeout = parse_duration(text); },
          "Time limit of a case instead of its own deadline, for example 500ms or 5s")
      ->type_name("DURATION");
  command
      .add_option_function<std::string>(
          free_name(command, "seed"), [&options](const std::string& text) { options.settings.seed = parse_seed(text); },
          "Decides shuffling, what cases draw, and the simulator's interleaving")
      ->type_name("NUMBER")
      ->default_str("0");
  command
      .add_option_function<std::string>(
          free_name(command, "allocator"),
          [&options](const std::string& text) { options.settings.allocator = runtime::parse_allocator_choice(text); },
          "Device allocator that the cases use: caching (PyTorch's), async (cudaMallocAsync), or a library of your own "
          "with PyTorch's pluggable ABI, which the alloc.pluggable_* cases then check; FILE.so:ALLOCATE,FREE names its "
          "functions")
      ->type_name("caching|async|FILE.so")
      ->default_str("caching");
  add_golden_files(command, options.settings.golden_directory, options.settings.limits_path);
  add_rendezvous(command, options.world.rendezvous);
  add(command, "telemetry", options.settings.telemetry,
      "What a driver would report of the simulated devices, as gpucheck info --record writes it; by default of a "
      "healthy machine")
      ->type_name("FILE");
}

void add_case_folders(CLI::App& command, std::vector<std::string>& folders) {
  command
      .add_option("--cases", folders,
                  "Cases of your own besides: a folder with a folder for each; may be repeated (gpucheck help "
                  "site-cases)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

void add_golden_files(CLI::App& command, std::string& directory, std::string& limits_path) {
  add(command, "golden", directory, "Golden files from here instead of those built in")->type_name("DIR");
  add(command, "limits", limits_path, "Limits of measured values that go before those built in (gpucheck.limits/1)")
      ->type_name("FILE");
}

void add_run_control(CLI::App& command, RunOptions& options, std::chrono::steady_clock::time_point start) {
  command
      .add_option_function<std::string>(
          free_name(command, "isolate"),
          [&options](const std::string& text) {
            options.runner.isolation = text == "process" ? runner::Isolation::process : runner::Isolation::worker;
          },
          "worker: processes serve case after case; process: a new one for each")
      ->check(CLI::IsMember({"worker", "process"}))
      ->default_str("worker");
  add_whole_number(command, free_name(command, "repeat"), options.plan.repeat, 1, max_count,
                   "Run the selection this many times")
      ->default_str("1");
  add_whole_number(command, free_name(command, "retries"), options.runner.retries, 0, max_count,
                   "Try a case that is not a pass again; one that then passes is reported flaky")
      ->default_str("0");
  add_whole_number(
      command, free_name(command, "remeasure"), options.runner.remeasure, 0, max_count,
      "Measure a case that failed by speed alone again, at most this many times, and likewise one whose device is a "
      "fifth slower than its peers; what then passes is reported flaky")
      ->default_str(std::to_string(options.runner.remeasure));
  CLI::Option* const deadline = command.add_option_function<std::string>(
      free_name(command, "deadline"),
      [&options, start](const std::string& text) { options.runner.deadline.emplace(start, parse_duration(text)); },
      "Time limit of the whole run, its start and its reports included: what does not fit is not started, and the run "
      "counts as not judged (exit code 3); gpucheck list --estimate says how long one takes");
  deadline->type_name("DURATION");
  add_flag(command, "deadline-skips-ok", options.runner.deadline_skips_ok,
           "What does not fit into the deadline is a skip like any other")
      ->needs(deadline);
  add_flag(command, "fail-fast", options.runner.fail_fast,
           "Stop after the first case that is neither a pass nor a skip");
  add_whole_number(command, free_name(command, "max-skips"), options.runner.max_skips, 0, max_count,
                   "More skips than this and the run counts as not judged (exit code 3)");
  add_whole_number(command, free_name(command, "skip-exit-code"), options.runner.skip_exit_code, 0, 255,
                   "Exit code when every case that ran was skipped")
      ->type_name("CODE");
  add(command, "fault", options.runner.settings.fault, "Run under one of the case's declared faults, as prove does")
      ->type_name("NAME");
  add_report_files(command, options.reports, true);
  add(command, "trace", options.runner.trace_folder,
      "Leave a trace of each case here, for Perfetto or chrome://tracing: what the devices did, and which call asked "
      "for it")
      ->type_name("FOLDER");
}

void add_report_files(CLI::App& command, ReportOptions& options, bool with_journal) {
  add_outputs(command, options, with_journal);
  add(command, "waivers", options.waivers_path,
      "Failures that are known: they stay visible, but do not fail the run (gpucheck help waivers)")
      ->type_name("FILE");
  CLI::Option* const quiet = command.add_flag(free_name(command, 'q', "quiet"), options.quiet,
                                              "Only what is not a plain pass, and the last line");
  command.add_flag(free_name(command, 'v', "verbose"), options.verbose, "Also what each case observed")
      ->excludes(quiet);
  add_colour(command, free_name(command, "color"), options.colour);
}

void add_colour(CLI::App& command, const std::string& name, ColourChoice& colour) {
  command
      .add_option_function<std::string>(
          name,
          [&colour](const std::string& text) {
            colour = text == "always"  ? ColourChoice::always
                     : text == "never" ? ColourChoice::never
                                       : ColourChoice::automatic;
          },
          "auto: on a terminal, unless NO_COLOR or GPUCHECK_NO_COLOR is set or TERM is dumb")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto");
}

void add_order(CLI::App& command, RunOptions& options) {
  command.add_flag("--shuffle", options.plan.shuffle, "In an order that the seed decides");
  command
      .add_option_function<std::string>(
          "--shard",
          [&options](const std::string& text) {
            options.plan.shard = text == "auto" ? shard_of_this_process() : parse_shard(text);
          },
          "The i-th of n parts of the selection, for example 2/8; auto: by the task of a Slurm array, the index of a "
          "Kubernetes Job (JOB_COMPLETIONS says of how many), the rank, or the variables of GoogleTest or GitLab")
      ->type_name("I/N|auto");
  command
      .add_option("--rerun-failed", options.rerun_journal,
                  "Only the selected cases that neither passed nor were skipped in this journal's run")
      ->type_name("JOURNAL");
  command
      .add_flag("--resume", options.resume,
                "Go on with the run of the journal that this one writes: what has a result there is not run again. "
                "Without such a journal the run begins")
      ->excludes("--rerun-failed");
  command
      .add_option("--no-cases", options.runner.no_cases,
                  "What it means that nothing is left to run, by --exclude, --suite or --shard: pass, warn or fail "
                  "(exit code 3); reports are written in any case")
      ->check(CLI::IsMember({"pass", "warn", "fail"}))
      ->capture_default_str();
}

void add_parameters(CLI::App& command, runner::Options& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "-p,--parameter",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto [name, value] = parse_assignment(text);
              const auto [given, is_new] = options.settings.parameters.try_emplace(name, value);
              if (is_new) continue;
              throw UsageError(fmt::format("the parameter {} is given twice, as \"{}\" and \"{}\": which is meant?",
                                           name, harness::to_text(given->second), value));
            }
          },
          "A value for every selected case that has the parameter; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

std::string option_name(const harness::Parameter& parameter) {
  std::string name = "--" + parameter.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace gpucheck::application
