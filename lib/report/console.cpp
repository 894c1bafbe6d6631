#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "report/case_text.hpp"
#include "report/progress_line.hpp"
#include "report/sanitize.hpp"
#include "report/sinks.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::CaseStarted;
using harness::Outcome;
using harness::RunFinished;
using harness::RunStarted;

constexpr std::size_t widest_name = 48;
constexpr std::size_t width_of_files = 120;  ///< a log has no edge, but a reader does

/// The width that aligns these names; a name that is run again gets "#2" and so on.
std::size_t aligned_width(std::vector<std::string> names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, columns(one_line(name)));
  std::sort(names.begin(), names.end());
  const bool repeats = std::adjacent_find(names.begin(), names.end()) != names.end();
  return std::min(width + (repeats ? 3 : 0), widest_name);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  const auto shown = std::span(names).first(std::min(names.size(), most));
  const std::string text = one_line(fmt::format("{}", fmt::join(shown, ", ")));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

std::string verdict(const RunFinished& event) {
  if (event.interrupted_by_signal != 0) return "INTERRUPTED";
  switch (event.exit_code) {
    case 0:
      return "PASSED";
    case 1:
      return "FAILED";
    default:
      return "NOT JUDGED";
  }
}

class Console final : public harness::EventSink {
 public:
  explicit Console(const ConsoleOptions& options)
      : options_(options), palette_{options.colour}, progress_(options.now()) {}
  ~Console() override { clear_progress(); }

  void on(const RunStarted& event) override {
    device_ = device_text(event.device);
    name_width_ = aligned_width(event.selected);
    progress_ = Progress(options_.now());
    if (options_.quiet) return;
    const std::size_t count = event.selected.size();
    const std::string allocator =
        event.settings.allocator == runtime::AllocatorChoice{}
            ? ""
            : fmt::format(", allocator {}", one_line(runtime::to_text(event.settings.allocator)));
    print(fmt::format("gpucheck {}: {} case{} on {}{}, seed {}, {} job{}\n", one_line(event.version), count,
                      count == 1 ? "" : "s", device_, allocator, event.settings.seed, event.jobs,
                      event.jobs == 1 ? "" : "s"));
    if (!event.device.note.empty()) print(one_line(event.device.note) + "\n");
    print("\n");
  }

  void on(const CaseStarted& event) override {
    progress_.start(one_line(event.name), event.total, options_.now());
    draw_progress();
  }

  void on(const CaseFinished& event) override {
    progress_.finish(one_line(event.result.name), event.finished, event.total);
    clear_progress();
    const Outcome outcome = event.result.outcome;
    if (!options_.quiet || (outcome != Outcome::pass && outcome != Outcome::skip)) {
      print(case_text(event.result, {.palette = palette_,
                                     .name_width = name_width_,
                                     .line_width = terminal_columns(options_.stream, width_of_files),
                                     .verbose = options_.verbose}));
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
      if (!event.not_run.empty()) print(fmt::format("not run: {}\n", some_of(event.not_run)));
    }
    if (!event.running.empty()) print(fmt::format("under way at the end: {}\n", some_of(event.running)));
    for (const harness::WaiverUse& use : event.waivers) {
      if (const std::string complaint = waiver_complaint(use); !complaint.empty()) print(complaint + "\n");
    }
    if (!event.incomplete.empty()) print(one_line(event.incomplete) + "\n");
    const Tone tone = event.exit_code == 0 ? Tone::good : Tone::bad;
    print(fmt::format("{}  {}; {} on {}\n", palette_.paint(verdict(event), tone), counts_text(event.counts),
                      humane_duration(event.duration_ms), device_));
  }

 private:
  void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), options_.stream);
    std::fflush(options_.stream);
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
  std::string device_;
  std::size_t name_width_ = 0;
  bool progress_is_drawn_ = false;
};

}  // namespace

std::unique_ptr<harness::EventSink> make_console(const ConsoleOptions& options) {
  return std::make_unique<Console>(options);
}

}  // namespace gpucheck::report
