#include "report/journal/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "harness/exit_codes.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::CaseStarted;
using harness::RunFinished;
using harness::RunStarted;
using harness::SelectedCase;
using nlohmann::ordered_json;
using Times = std::chrono::system_clock::time_point;

// No event nests deeper than a handful of levels; what does could exhaust the stack of
// whoever prints it.
constexpr int deepest = 32;

ordered_json parse_line(std::string_view line) {
  const auto check_depth = [](int depth, ordered_json::parse_event_t, ordered_json&) {
    if (depth > deepest) throw Error(fmt::format("it is nested more than {} levels deep", deepest));
    return true;
  };
  try {
    return ordered_json::parse(line, check_depth);
  } catch (const ordered_json::exception&) {
    throw Error("it is no JSON");
  }
}

/// What a run's events come to, for its end to be checked against, or made from.
class Tally {
 public:
  void add(const RunStarted& event) {
    if (start_) throw Error("a run starts here, but the journal is already that of another");
    if (event.total < event.selected.size()) throw Error("it names more cases than it says will run");
    start_ = event;
    known_ = event.selected;
    for (const SelectedCase& selected : known_) ++unfinished_[selected];
  }
  void add(const CaseStarted& event) {
    const SelectedCase started{.name = event.name, .devices = event.devices, .repetition = event.repetition};
    // Of later repetitions nothing is known before.
    int& unfinished = unfinished_[started];
    if (unfinished == 0 && known_.size() < start_->total) {
      ++unfinished;
      known_.push_back(started);
    }
    running_.insert(started);
  }
  void add(const CaseFinished& event) {
    const auto found = unfinished_.find(selected_case(event.result));
    if (found == unfinished_.end() || found->second == 0) {
      throw Error(fmt::format("the case \"{}\" finishes here more often than it was selected", event.result.name));
    }
    const std::vector<int>& devices = event.result.devices;
    if (std::ranges::any_of(devices, [this](int index) { return index < 0 || index >= std::ssize(start_->devices); })) {
      throw Error(
          fmt::format("the case \"{}\" finishes here on a device that the run does not have", event.result.name));
    }
    --found->second;
    running_.erase(found->first);
    counts_.add(event.result);
  }
  void add(const RunFinished& event) {
    harness::Counts counts = counts_;
    std::vector<SelectedCase> expected = not_run();
    counts.not_run = unfinished_count();
    std::vector<SelectedCase> told = event.not_run;
    std::ranges::sort(expected);
    std::ranges::sort(told);
    if (event.counts != counts || told != expected) {
      throw Error("the run ends here with other numbers than its cases come to: lines are missing");
    }
    // 0 may have been chosen for a run of nothing but skips.
    const bool can_pass = verdict(counts) == harness::ExitCode::passed || harness::is_only_skips(counts);
    if (event.exit_code == 0 && (!can_pass || event.interrupted_by_signal != 0)) {
      throw Error("the run ends here as passed, but its cases do not come to a pass");
    }
  }

  [[nodiscard]] bool started() const { return start_.has_value(); }

  /// The end of a run that did not write its own.
  [[nodiscard]] RunFinished make_end(Times last, std::string why) const {
    RunFinished end;
    end.counts = counts_;
    end.not_run = not_run();
    end.counts.not_run = unfinished_count();
    end.running.assign(running_.begin(), running_.end());
    end.duration_ms = std::chrono::duration<double, std::milli>(last - start_->start_time).count();
    end.incomplete = std::move(why);
    // A failure that was seen stays one; that nothing failed so far is no pass.
    const harness::ExitCode code = verdict(end.counts);
    end.exit_code = static_cast<int>(code == harness::ExitCode::passed ? harness::ExitCode::not_judged : code);
    return end;
  }

 private:
  [[nodiscard]] harness::ExitCode verdict(const harness::Counts& counts) const {
    return harness::exit_code(counts, start_->max_skips);
  }

  [[nodiscard]] std::int64_t unfinished_count() const {
    return static_cast<std::int64_t>(start_->total) - counts_.total();
  }

  /// In the order selected or started. Of one that was selected several times, the last ones.
  [[nodiscard]] std::vector<SelectedCase> not_run() const {
    std::map<SelectedCase, int> left = unfinished_;
    std::vector<SelectedCase> unfinished;
    for (auto selected = known_.rbegin(); selected != known_.rend(); ++selected) {
      if (left[*selected]-- > 0) unfinished.push_back(*selected);
    }
    std::ranges::reverse(unfinished);
    return unfinished;
  }

  std::optional<RunStarted> start_;
  std::vector<SelectedCase> known_;  ///< selected at the start, or started since
  std::map<SelectedCase, int> unfinished_;
  std::set<SelectedCase> running_;
  harness::Counts counts_;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& path, bool still_written) : rest_(text), path_(path) {
    journal_.path = path;
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      journal_.torn = end == std::string_view::npos;
      if (journal_.torn) break;
      ++line_number_;
      take(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
    }
    if (!tally_.started()) {
      throw EnvironmentError(fmt::format("the journal {} has no whole line: nothing is known of its run", path_));
    }
    if (!ended_) {
      journal_.events.emplace_back(tally_.make_end(
          last_time_, still_written ? "the run has not ended yet: this is what its journal holds so far"
                                    : "the journal ends before its run did: gpucheck was killed, or could not write"));
    }
  }

  Journal take_journal() { return std::move(journal_); }

 private:
  void take(std::string_view line) {
    try {
      if (ended_) throw Error("there is something behind the end of the run");
      JournalEntry entry = entry_from_json(parse_line(line));
      if (!tally_.started() && !std::holds_alternative<RunStarted>(entry.event)) {
        throw Error("a journal begins with \"event\": \"run_started\"");
      }
      std::visit([this](const auto& event) { tally_.add(event); }, entry.event);
      ended_ = std::holds_alternative<RunFinished>(entry.event);
      last_time_ = entry.time;
      journal_.events.push_back(std::move(entry.event));
    } catch (const Error& problem) {
      throw EnvironmentError(
          fmt::format("{}:{}: this is no line of a journal: {}", path_, line_number_, problem.what()));
    }
  }

  std::string_view rest_;
  const std::string& path_;
  Journal journal_;
  Tally tally_;
  Times last_time_;
  std::size_t line_number_ = 0;
  bool ended_ = false;
};

/// True while the run that writes the file holds its lock.
bool is_being_written(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace

const RunStarted& Journal::start() const { return std::get<RunStarted>(events.front()); }
const RunFinished& Journal::end() const { return std::get<RunFinished>(events.back()); }

RunRecord Journal::record() const {
  RunRecord run{.start = start(), .results = {}, .end = end()};
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<CaseFinished>(&event)) run.results.push_back(finished->result);
  }
  return run;
}

Journal parse_journal(std::string_view text, const std::string& path, bool still_written) {
  return Parser(text, path, still_written).take_journal();
}

Journal read_journal(const std::string& path) {
  const bool still_written = is_being_written(path);  // asked first: a run may end meanwhile
  return parse_journal(read_input_file(path, "journal"), path, still_written);
}

void apply_waivers(Journal& journal, const fleet::Waivers& waivers) {
  fleet::WaiverBook book(waivers, journal.start().start_time);
  harness::Counts counts;
  for (Event& event : journal.events) {
    auto* const finished = std::get_if<CaseFinished>(&event);
    if (finished == nullptr) continue;
    book.apply(finished->result, journal.start().devices);
    counts.add(finished->result);
  }
  auto& end = std::get<RunFinished>(journal.events.back());
  counts.not_run = end.counts.not_run;
  end.counts = counts;
  end.waivers = book.uses();
  // What was skipped is nothing to waive: what the run made of it stays.
  if (end.interrupted_by_signal != 0 || harness::is_only_skips(counts)) return;
  const harness::ExitCode code =
      harness::with_unproven(harness::exit_code(counts, journal.start().max_skips), end.unproven_devices);
  const bool never_passes = !end.incomplete.empty();
  end.exit_code =
      static_cast<int>(never_passes && code == harness::ExitCode::passed ? harness::ExitCode::not_judged : code);
}

void replay_events(const Journal& journal, harness::EventSink& sink) {
  for (const Event& event : journal.events) {
    std::visit([&sink](const auto& told) { sink.on(told); }, event);
  }
}

}  // namespace gpucheck::report
