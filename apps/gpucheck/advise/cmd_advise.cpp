#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

#include "../replay/replay_devices.hpp"
#include "../replay/replay_settings.hpp"
#include "advice_report.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "commands.hpp"
#include "distinct_files.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"
#include "replay/page/advice_page.hpp"
#include "terminal.hpp"

namespace gpucheck::application {

namespace {

/// Those with events; the one that was asked for says itself what is missing.
std::vector<std::size_t> recorded_devices(const replay::Snapshot& snapshot, const AdviseOptions& options) {
  if (options.recorded_device) return {static_cast<std::size_t>(*options.recorded_device)};
  std::vector<std::size_t> devices = replay::devices_of(snapshot);
  std::erase_if(devices, [&snapshot](std::size_t device) {
    return device >= snapshot.device_traces.size() || snapshot.device_traces[device].empty();
  });
  if (!devices.empty()) return devices;
  throw EnvironmentError(
      fmt::format("{}: the snapshot holds no events, so there is nothing to play: call "
                  "torch.cuda.memory._record_memory_history() before the part of the program that is to be advised on",
                  options.file));
}

void show_advising(std::size_t done, std::size_t total) {
  show_progress(fmt::format("advising: {} of {} settings", done, total));
}

}  // namespace

int advise(const Environment& /*environment*/, const AdviseOptions& options) {
  const bool page_on_stdout = options.html_path == "-";
  if (options.json && page_on_stdout) {
    throw UsageError("--json and --html - both write to stdout: name a file for the page");
  }
  check_settings(options.settings);
  check_distinct(std::array{NamedFile{"--html", options.html_path}},
                 std::array{NamedFile{"the snapshot that is advised on", options.file}});
  const replay::Card* const card = options.card.empty() ? nullptr : &replay::card_named(options.card);
  replay::Snapshot snapshot = replay::read_snapshot_file(options.file);
  replay::AdviceRequest request{.settings = options.settings,
                                .memory_limit_bytes = options.memory_limit_bytes,
                                .devices = replay_devices(simulated_to_fit),
                                .threads = std::max(std::thread::hardware_concurrency(), 1U),
                                .wants_curves = !options.html_path.empty(),
                                .on_progress = show_advising};
  if (card != nullptr) request.memory_limit_bytes = card->usable_bytes();
  std::vector<replay::Advice> advices;
  for (const std::size_t device : recorded_devices(snapshot, options)) {
    advices.push_back(replay::advise(snapshot, device, request));
  }
  clear_progress();
  const AdviceSubject subject{.file = options.file, .stacks = snapshot.stacks, .card = card};
  const std::string text = advice_text(advices, subject);
  if (!options.html_path.empty()) {
    OutputFile page(options.html_path, "page");
    page.commit(
        replay::advice_page(advices, snapshot.stacks, std::filesystem::path(options.file).filename().string(), text));
  }
  if (options.json) {
    print_document(advice_document(advices, subject));
  } else if (!page_on_stdout) {
    print(text);
  }
  return outcome_of(advices) == replay::Outcome::passed ? 0 : 1;
}

}  // namespace gpucheck::application
