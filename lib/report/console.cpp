#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/waiting_for_files.hpp"
#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "harness/run/device_verdicts.hpp"
#include "report/case_text.hpp"
#include "report/comparison_text.hpp"
#include "report/progress_line.hpp"
#include "report/sinks.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::CaseStarted;
using harness::Outcome;
using harness::RunFinished;
using harness::RunStarted;
using harness::SelectedCase;

constexpr std::size_t widest_name = 48;
constexpr double long_run_ms = 10'000;       ///< from here on it is worth a line where the time went
constexpr std::size_t width_of_files = 120;  ///< a log has no edge, but a reader does

/// The width that aligns the names; a name that is run again gets "#2" and so on.
std::size_t aligned_width(const RunStarted& event) {
  std::size_t width = 0;
  bool repeats = event.total > event.selected.size();
  for (const SelectedCase& one : event.selected) {
    width = std::max(width, columns(one_line(one.name)));
    repeats = repeats || one.repetition > 0;
  }
  return std::min(width + (repeats ? 3 : 0), widest_name);
}

std::string_view verdict(const RunFinished& event) {
  if (event.interrupted_by_signal != 0) return "INTERRUPTED";
  switch (event.exit_code) {
    case 0:
      return verdict_word(harness::Verdict::passed);
    case 1:
      return verdict_word(harness::Verdict::failed);
    default:
      return verdict_word(harness::Verdict::not_judged);
  }
}

class Console final : public harness::EventSink {
 public:
  explicit Console(const ConsoleOptions& options)
      : options_(options), palette_{options.colour}, progress_(options.now()) {}
  ~Console() override {
    try {
      clear_progress();
    } catch (const InterruptedError&) {  // the run is over, and nobody reads this
    }
  }

  void on(const RunStarted& event) override {
    devices_ = event.devices;
    device_ = device_text(event.devices);
    several_devices_ = event.devices.size() > 1;
    verdicts_ = {};
    warned_.clear();
    name_width_ = aligned_width(event);
    progress_ = Progress(options_.now());
    if (options_.quiet) return print_what_must_be_said(event);
    const std::string allocator =
        event.settings.allocator == runtime::AllocatorChoice{}
            ? ""
            : fmt::format(", allocator {}", one_line(runtime::to_text(event.settings.allocator)));
    print(fmt::format("gpucheck {}: {} on {}{}, seed {}, {}{}\n", one_line(event.version),
                      count_text(event.total, several_devices_ ? "result" : "case"), device_, allocator,
                      event.settings.seed, count_text(event.jobs, "job"), several_devices_ ? " on each" : ""));
    for (const harness::DeviceIdentity& device : event.devices) print_device(device);
    if (event.configuration) print(configuration_text(*event.configuration) + "\n");
    print("\n");
  }

  void on(const CaseStarted& event) override {
    progress_.start(label({.name = event.name, .devices = event.devices}), event.total, options_.now());
    draw_progress();
  }

  void on(const CaseFinished& event) override {
    progress_.finish(label({.name = event.result.name, .devices = event.result.devices}), event.finished, event.total);
    clear_progress();
    verdicts_.add(event.result);
    devices_with_results_.insert(event.result.devices.begin(), event.result.devices.end());
    const Outcome outcome = event.result.outcome;
    if (!options_.quiet || (outcome != Outcome::pass && outcome != Outcome::skip)) {
      print(case_text(event.result, {.palette = palette_,
                                     .name_width = name_width_,
                                     .line_width = terminal_columns(options_.stream, width_of_files),
                                     .verbose = options_.verbose,
                                     .show_devices = several_devices_}));
    } else if (!event.result.warnings.empty()) {
      std::vector<std::string> keys;
      for (const harness::Mismatch& warning : event.result.warnings) keys.push_back(one_line(warning.key));
      warned_.push_back(fmt::format("{} ({})", label({.name = event.result.name, .devices = event.result.devices}),
                                    fmt::join(keys, ", ")));
    }
    draw_progress();
  }

  void on_heartbeat() override {
    if (options_.live_progress) return draw_progress();
    if (!options_.quiet) print(fmt::format("{} on {}\n", progress_.heartbeat(options_.now()), device_));
  }

  void on(const RunFinished& event) override {
    clear_progress();
    if (!options_.quiet) {
      print("\n");
      const auto not_run = static_cast<std::size_t>(event.counts.not_run);
      if (not_run > 0) print(fmt::format("not run: {}\n", some_of(labels(event.not_run), not_run)));
    }
    if (!event.running.empty()) {
      print(fmt::format("under way at the end: {}\n", some_of(labels(event.running), event.running.size())));
    }
    for (const harness::WaiverUse& use : event.waivers) {
      if (const std::string complaint = waiver_complaint(use); !complaint.empty()) print(complaint + "\n");
    }
    const std::optional<Bound> bound = bound_of(event.device_times);
    const bool asks_for_bound = options_.verbose || event.duration_ms > long_run_ms;
    if (bound && !options_.quiet && asks_for_bound) print(bound_text(*bound) + "\n");
    if (!event.incomplete.empty()) print(one_line(event.incomplete) + "\n");
    for (const harness::Comparison& one : event.comparisons) {
      const bool is_good = one.verdict != "warn" && !harness::is_failure(one);
      if (!options_.quiet || !is_good) print(comparison_text(one, plain_device_name, palette_));
    }
    if (!warned_.empty()) print(fmt::format("passed with a warning: {}\n", fmt::join(warned_, "; ")));
    print_verdicts(event);
    const Tone tone = event.exit_code == 0 ? Tone::good : Tone::bad;
    print(fmt::format("{}  {}{}; {}{}\n", palette_.paint(verdict(event), tone), counts_text(event.counts),
                      failed_comparisons_text(event.comparisons), format_duration(event.duration_ms), place(event)));
  }

 private:
  /// Behind a pass, devices that no case ran on are not among those that passed.
  [[nodiscard]] std::string place(const RunFinished& event) const {
    const std::size_t used = devices_with_results_.size();
    if (event.exit_code != 0 || used >= devices_.size()) return " on " + device_;
    return used == 0 ? fmt::format("; no case ran on {}", device_)
                     : fmt::format(" on {} of {}: no case ran on the others", used, device_);
  }

  /// With its device where there are several.
  [[nodiscard]] std::string label(const SelectedCase& selected) const {
    const std::string place = several_devices_ ? place_text(selected.devices) : "";
    return one_line(selected.name) + (place.empty() ? "" : " on " + place);
  }

  [[nodiscard]] std::vector<std::string> labels(const std::vector<SelectedCase>& selected) const {
    std::vector<std::string> texts;
    texts.reserve(selected.size());
    for (const SelectedCase& one : selected) texts.push_back(label(one));
    return texts;
  }

  /// Why it runs on these devices, and on none that could be used, is said in a quiet run, too; so is a file that
  /// changed the run.
  void print_what_must_be_said(const RunStarted& event) {
    const bool is_changed = event.configuration && !event.configuration->settings.empty();
    if (is_changed) print(configuration_text(*event.configuration) + "\n");
    std::set<std::string> said;
    for (const harness::DeviceIdentity& device : event.devices) {
      for (const std::string& text : {device.note, device.problem}) {
        if (!text.empty() && said.insert(text).second) print(one_line(text) + "\n");
      }
    }
  }

  void print_device(const harness::DeviceIdentity& device) {
    if (several_devices_) print(fmt::format("device {}: {}\n", device.index, device_text(device)));
    if (!device.problem.empty()) print(fmt::format("cannot be used: {}\n", one_line(device.problem)));
    if (!device.note.empty()) print(one_line(device.note) + "\n");
  }

  /// With one device the last line says it all; the machine's is beside it where it did not pass.
  void print_verdicts(const RunFinished& event) {
    if (several_devices_) print_device_verdicts(event);
    const std::optional<harness::DeviceVerdict> machine = verdicts_.of_machine(devices_, event);
    if (!machine) return;
    const bool has_passed = machine->verdict == harness::Verdict::passed;
    if (!has_passed || (several_devices_ && !options_.quiet)) print(machine_verdict_text(*machine, palette_));
  }

  void print_device_verdicts(const RunFinished& event) {
    const std::vector<harness::DeviceVerdict> verdicts = verdicts_.of(devices_, event);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (options_.quiet && verdicts[i].verdict == harness::Verdict::passed) continue;
      print(verdict_text(verdicts[i], devices_[i], palette_));
    }
  }

  /// @throws InterruptedError where nobody reads it, and never prints again.
  void print(std::string_view text) {
    if (nobody_reads_) return;
    nobody_reads_ = true;
    write_when_ready(options_.stream, text, "the console");
    std::fflush(options_.stream);
    nobody_reads_ = false;
  }

  void draw_progress() {
    if (!options_.live_progress) return;
    constexpr std::size_t usual_columns = 80;
    // One column less than there are: a full line would wrap on some terminals.
    print("\r\x1b[K" + progress_.text(terminal_columns(options_.stream, usual_columns) - 1, options_.now()));
    progress_is_drawn_ = true;
  }

  void clear_progress() {
    if (std::exchange(progress_is_drawn_, false)) print("\r\x1b[K");
  }

  ConsoleOptions options_;
  Palette palette_;
  Progress progress_;
  std::vector<harness::DeviceIdentity> devices_;
  harness::DeviceVerdicts verdicts_;
  std::set<int> devices_with_results_;
  std::vector<std::string> warned_;  ///< a quiet run names these in one line at its end
  std::string device_;
  bool several_devices_ = false;
  std::size_t name_width_ = 0;
  bool progress_is_drawn_ = false;
  bool nobody_reads_ = false;
};

}  // namespace

std::unique_ptr<harness::EventSink> make_console(const ConsoleOptions& options) {
  return std::make_unique<Console>(options);
}

}  // namespace gpucheck::report
