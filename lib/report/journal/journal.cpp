#include "report/journal/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/waiting_for_files.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/exit_codes.hpp"
#include "report/journal/event_reader.hpp"
#include "report/journal/run_tally.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::RunFinished;
using harness::RunStarted;
using Times = std::chrono::system_clock::time_point;

class Parser {
 public:
  using Visit = std::function<void(Event)>;

  enum class Form { any, exact };

  Parser(std::string_view text, const std::string& path, const Visit& visit, Form form = Form::any)
      : rest_(text), path_(path), visit_(visit), form_(form) {}

  /// Returns true when the last line was cut off.
  bool parse(bool still_written) {
    bool torn = false;
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      torn = end == std::string_view::npos;
      if (torn && form_ == Form::exact) {
        throw EnvironmentError(fmt::format("{}: its last line has no end", path_));
      }
      if (torn) break;
      ++line_number_;
      take(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
    }
    if (!tally_.started()) {
      throw EnvironmentError(fmt::format("the journal {} has no whole line: nothing is known of its run", path_));
    }
    if (!ended_) {
      visit_(tally_.make_end(last_time_, still_written
                                             ? "the run has not ended yet: this is what its journal holds so far"
                                             : "the journal ends before its run did: gpucheck was killed, or could "
                                               "not write"));
    }
    return torn;
  }

 private:
  void take(std::string_view line) {
    JournalEntry entry;
    try {
      if (ended_) throw Error("there is something behind the end of the run");
      entry = reader_.read(line);
      if (form_ == Form::exact && line_of(entry) != line) throw Error("it is not written as gpucheck writes it");
      if (!tally_.started() && !std::holds_alternative<RunStarted>(entry.event)) {
        throw Error("a journal begins with \"event\": \"run_started\"");
      }
      std::visit([this](auto& event) { tally_.add(event); }, entry.event);
    } catch (const Error& problem) {
      throw EnvironmentError(
          fmt::format("{}:{}: this is not a line of a journal: {}", path_, line_number_, problem.what()));
    }
    ended_ = std::holds_alternative<RunFinished>(entry.event);
    last_time_ = entry.time;
    visit_(std::move(entry.event));
  }

  std::string_view rest_;
  const std::string& path_;
  const Visit& visit_;
  Form form_;
  EventReader reader_;
  RunTally tally_;
  Times last_time_;
  std::size_t line_number_ = 0;
  bool ended_ = false;
};

}  // namespace

const RunStarted& Journal::start() const { return std::get<RunStarted>(events.front()); }
const RunFinished& Journal::end() const { return std::get<RunFinished>(events.back()); }

fleet::RunRecord Journal::record() const {
  fleet::RunRecord run{.start = start(), .results = {}, .end = end(), .file = path};
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<CaseFinished>(&event)) run.results.push_back(finished->result);
  }
  return run;
}

Journal parse_journal(std::string_view text, const std::string& path, bool still_written) {
  Journal journal{.path = path, .events = {}};
  const Parser::Visit keep = [&journal](Event event) { journal.events.push_back(std::move(event)); };
  journal.torn = Parser(text, path, keep).parse(still_written);
  return journal;
}

/// A pipe has no lock, and is not opened twice: its writer would take the end of the first for that of its reader.
bool is_being_written(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const int descriptor = open_for_reading(path);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

Journal read_journal(const std::string& path) {
  const bool still_written = is_being_written(path);  // asked first: a run may end meanwhile
  return parse_journal(read_input_file(path, "journal", max_journal_bytes), path, still_written);
}

bool read_events(const std::string& path, const std::function<void(Event)>& visit) {
  const bool still_written = is_being_written(path);  // asked first: a run may end meanwhile
  const std::string text = read_input_file(path, "journal", max_journal_bytes);
  return Parser(text, path, visit).parse(still_written);
}

void read_exact_events(std::string_view text, const std::string& path, const std::function<void(Event)>& visit) {
  static_cast<void>(Parser(text, path, visit, Parser::Form::exact).parse(false));
}

void apply_waivers(Journal& journal, const fleet::Waivers& waivers) {
  fleet::WaiverBook book(waivers, journal.start().start_time);
  harness::Counts counts;
  bool lacked_time = false;
  for (Event& event : journal.events) {
    auto* const finished = std::get_if<CaseFinished>(&event);
    if (finished == nullptr) continue;
    book.apply(finished->result, journal.start().devices);
    counts.add(finished->result);
    lacked_time = lacked_time || harness::lacked_time(finished->result);
  }
  fleet::judge_under(book, counts, lacked_time, journal.start(), std::get<RunFinished>(journal.events.back()));
}

void replay_events(const Journal& journal, harness::EventSink& sink) {
  for (const Event& event : journal.events) {
    std::visit([&sink](const auto& told) { sink.on(told); }, event);
  }
}

}  // namespace gpucheck::report
