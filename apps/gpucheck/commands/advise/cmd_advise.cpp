#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/sanitize.hpp"
#include "commands/advise/advice_report.hpp"
#include "commands/commands.hpp"
#include "commands/replay/replay_devices.hpp"
#include "commands/replay/replay_settings.hpp"
#include "output/distinct_files.hpp"
#include "output/terminal.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"
#include "replay/page/advice_page.hpp"

namespace gpucheck::application {

namespace {

/// Those with events; the one that was asked for says itself what is missing.
std::vector<std::size_t> recorded_devices(const replay::Snapshot& snapshot, const std::string& file,
                                          const AdviseOptions& options) {
  if (options.recorded_device) return {static_cast<std::size_t>(*options.recorded_device)};
  std::vector<std::size_t> devices = replay::devices_of(snapshot);
  std::erase_if(devices, [&snapshot](std::size_t device) { return !replay::has_playable_event(snapshot, device); });
  if (const std::string idle = replay::idle_devices_text(replay::idle_devices(snapshot)); !idle.empty()) {
    note(fmt::format("{}: {}", one_line(file, 200), idle));
  }
  if (!devices.empty()) return devices;
  throw EnvironmentError(
      fmt::format("{}: the snapshot holds no events that can be played, so there is nothing to play: call "
                  "torch.cuda.memory._record_memory_history() before the part of the program that is to be advised on",
                  file));
}

void show_advising(std::size_t done, std::size_t total) {
  show_progress(fmt::format("advising: {} of {} settings", done, total));
}

/// A misspelt key would exclude nothing.
replay::KeyRules key_rules(const AdviseOptions& options) {
  replay::KeyRules rules{.excluded = options.excluded_keys};
  const auto keys = replay::searched_keys();
  for (const std::string& key : options.excluded_keys) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    throw UsageError(
        fmt::format("--exclude-key {}: advice never sets it; these it may set: {}", key, fmt::join(keys, ", ")));
  }
  if (!options.torch.empty()) rules.torch = replay::parse_torch_version(options.torch);
  return rules;
}

/// Settings of another allocator cannot be shown beside those of the native one.
void check_backend(const AdviseOptions& options) {
  for (const std::string& settings : options.settings) {
    for (const replay::KnownBreakage& known : replay::known_to_break(settings)) {
      if (known.key != "backend") continue;
      throw UsageError(fmt::format("--settings \"{}\": advice is of PyTorch's native allocator: {} ({})", settings,
                                   known.what, known.source));
    }
  }
}

void check_outputs(const AdviseOptions& options) {
  if (options.json && options.html_path == "-") {
    throw UsageError("--json and --html - both write to stdout: name a file for the page");
  }
  std::vector<NamedFile> inputs;
  for (const std::string& file : options.files) inputs.push_back({"a snapshot that is advised on", file});
  check_distinct(std::array{NamedFile{"--html", options.html_path}}, inputs);
}

/// "snapshot.pickle", or "3 snapshots".
std::string title_of(const AdviseOptions& options) {
  if (options.files.size() > 1) return fmt::format("{} snapshots", options.files.size());
  return std::filesystem::path(options.files.front()).filename().string();
}

std::string page_of(const AdviceReport& report, const std::string& title, const std::string& text) {
  std::vector<replay::AdvisedProgram> programs;
  for (std::size_t i = 0; i < report.advices.size(); ++i) {
    const std::string name = std::filesystem::path(report.subjects[i].file).filename().string();
    programs.push_back({report.advices[i], *report.subjects[i].stacks, name});
  }
  return replay::advice_page(programs, title, text);
}

}  // namespace

int advise(const Environment& /*environment*/, const AdviseOptions& options) {
  const std::vector<std::string> settings = checked_settings(options.settings);
  check_backend(options);
  check_outputs(options);
  const replay::Card* const card = options.card.empty() ? nullptr : &replay::card_named(options.card);
  replay::AdviceRequest request{.settings = settings,
                                .rules = key_rules(options),
                                .memory_limit_bytes = options.memory_limit_bytes,
                                .devices = replay_devices(simulated_to_fit),
                                .threads = std::max(std::thread::hardware_concurrency(), 1U),
                                .wants_curves = !options.html_path.empty(),
                                .on_progress = show_advising};
  if (card != nullptr) request.memory_limit_bytes = card->usable_bytes();
  AdviceReport report{.advices = {}, .subjects = {}, .card = card, .rules = request.rules};
  std::deque<replay::StackTable> stacks;  // what is left of a snapshot that has been read
  std::vector<replay::RecordedProgram> programs;
  for (const std::string& file : options.files) {
    replay::Snapshot snapshot = replay::read_snapshot_file(file);
    for (const std::size_t device : recorded_devices(snapshot, file, options)) {
      programs.push_back(replay::recorded_program(snapshot, device, request));
      report.subjects.push_back({file, nullptr});
    }
    stacks.push_back(std::move(snapshot.stacks));
    for (AdviceSubject& subject : report.subjects) {
      if (subject.stacks == nullptr) subject.stacks = &stacks.back();
    }
  }
  report.advices = replay::advise(std::move(programs), request);
  clear_progress();
  const std::string text = advice_text(report);
  if (!options.html_path.empty()) {
    OutputFile page(options.html_path, "page");
    page.commit(page_of(report, title_of(options), text));
  }
  if (options.json) {
    print_document(advice_document(report));
  } else if (options.html_path != "-") {
    print(text);
  }
  return outcome_of(report.advices) == replay::Outcome::passed ? 0 : 1;
}

}  // namespace gpucheck::application
