#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <string>
#include <sys/ioctl.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/text/sanitize.hpp"
#include "report/palette.hpp"
#include "report/progress_line.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

harness::CaseFinished finished(const char* name, harness::Outcome outcome) {
  harness::CaseFinished event;
  event.result.name = name;
  event.result.outcome = outcome;
  event.finished = event.total = 1;
  return event;
}

TEST(Console, ColoursOnlyWhenAsked) {
  const MemoryStream plain;
  const MemoryStream coloured;
  play_sample_run(*make_console({.stream = plain.get()}));
  play_sample_run(*make_console({.stream = coloured.get(), .colour = true}));
  EXPECT_EQ(plain.text().find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.text().find("\x1b[32mPASS "), std::string::npos);
  EXPECT_NE(coloured.text().find("\x1b[1;31mCRASH"), std::string::npos);
  EXPECT_NE(coloured.text().find("\x1b[33mFLAKY"), std::string::npos);
  EXPECT_EQ(clean_text(coloured.text()), plain.text());  // the words are the same
}

TEST(Console, NeverPassesControlSequencesOfACaseOn) {
  const MemoryStream stream;
  const auto console = make_console({.stream = stream.get(), .verbose = true});
  harness::RunStarted start;
  harness::DeviceIdentity& device = start.devices.emplace_back();
  start.version = device.name = device.note = "\x1b[2J";
  start.selected = {{.name = "\x1b]0;title\x07"}};
  console->on(start);
  harness::CaseFinished event = finished("a.\x1b[1A", harness::Outcome::crash);
  event.result.reason = "\x1b[2K\r\b";
  event.result.output_tail = event.result.error_tail = "\x1b[2J\x1b[H\x9b\xc2\x9bgone\r\n";
  event.result.fault = "\x1b[5m";
  event.result.rerun_command = "\x1b[6n";
  event.result.observations = {{"\x1b[8m", std::string("\x1b[8m")}};
  event.result.mismatches = {{"\x1b", "\x1b", "\x1b", "\x1b"}};
  event.result.earlier_attempts = {{harness::Outcome::fail, "\x1b[8m", 1}};
  console->on(event);
  harness::RunFinished end;
  end.not_run = {{.name = "\x1b[8m"}};
  console->on(end);
  for (const char letter : stream.text()) EXPECT_FALSE(static_cast<unsigned char>(letter) < ' ' && letter != '\n');
}

TEST(Console, GivesTheVerdictOfTheExitCode) {
  for (const auto& [exit_code, word] :
       {std::pair(0, "PASSED  "), {1, "FAILED  "}, {3, "NOT JUDGED  "}, {2, "NOT JUDGED  "}}) {
    const MemoryStream stream;
    harness::RunFinished end;
    end.exit_code = exit_code;
    make_console({.stream = stream.get(), .quiet = true})->on(end);
    EXPECT_TRUE(stream.text().starts_with(word)) << stream.text();
  }
}

TEST(Console, CallsNoDevicePassedThatNoCaseRanOn) {
  for (const auto& [devices, where, ending] : std::vector<std::tuple<int, std::vector<int>, std::string>>{
           {1, {0}, " on N0 (sim:0)\n"},
           {1, {}, "; no case ran on N0 (sim:0)\n"},
           {2, {1}, " on 1 of 2 devices (sim): no case ran on the others\n"},
           {2, {0, 1}, " on 2 devices (sim)\n"}}) {
    const MemoryStream stream;
    const auto console = make_console({.stream = stream.get()});
    harness::RunStarted start;
    for (int index = 0; index < devices; ++index) {
      harness::DeviceIdentity& device = start.devices.emplace_back();
      device.index = device.ordinal = index;
      device.kind = "sim";
      device.name = fmt::format("N{}", index);
    }
    console->on(start);
    harness::CaseFinished event = finished("a.b", harness::Outcome::pass);
    event.result.devices = where;
    console->on(event);
    harness::RunFinished end;
    end.counts.pass = 1;
    console->on(end);
    EXPECT_TRUE(stream.text().ends_with(ending)) << stream.text();
  }
}

TEST(Console, ColoursAVerdictGreenWhereItIsAPassOnly) {
  for (const int exit_code : {0, 1, 3, 77, 130}) {
    const MemoryStream stream;
    harness::RunFinished end;
    end.exit_code = exit_code;
    make_console({.stream = stream.get(), .colour = true, .quiet = true})->on(end);
    EXPECT_EQ(stream.text().find("\x1b[32m") != std::string::npos, exit_code == 0) << stream.text();
  }
}

TEST(Console, SaysAlsoWhenQuietWhatWentWrong) {
  using harness::Outcome;
  for (const auto& [outcome, shown] : {std::pair(Outcome::pass, false),
                                       {Outcome::skip, false},
                                       {Outcome::fail, true},
                                       {Outcome::error, true},
                                       {Outcome::crash, true},
                                       {Outcome::hang, true}}) {
    const MemoryStream stream;
    make_console({.stream = stream.get(), .quiet = true})->on(finished("a.b", outcome));
    EXPECT_EQ(!stream.text().empty(), shown) << to_text(outcome);
  }
}

TEST(Console, SaysWhyADeviceCannotBeUsed) {
  const MemoryStream stream;
  harness::RunStarted start;
  start.devices.resize(2);
  start.devices[1].index = 1;
  start.devices[1].problem = "fell off the bus";
  make_console({.stream = stream.get()})->on(start);
  EXPECT_NE(stream.text().find("cannot be used: fell off the bus\n"), std::string::npos) << stream.text();
}

TEST(Console, NamesTenCasesNotRun) {
  for (const std::size_t count : {10U, 11U}) {
    const MemoryStream stream;
    harness::RunFinished end;
    for (std::size_t i = 0; i < count; ++i) end.not_run.push_back({.name = "a." + std::to_string(i)});
    end.counts.not_run = static_cast<std::int64_t>(count);
    make_console({.stream = stream.get()})->on(end);
    const std::string all = "a.0, a.1, a.2, a.3, a.4, a.5, a.6, a.7, a.8, a.9";
    EXPECT_NE(stream.text().find(all + (count == 10 ? "\n" : " and 1 more\n")), std::string::npos) << stream.text();
  }
}

TEST(Console, NamesOnlySomeOfManyCasesNotRun) {
  const MemoryStream stream;
  harness::RunFinished end;
  end.not_run.assign(12, {.name = "a.b"});
  end.counts.not_run = 12;
  make_console({.stream = stream.get()})->on(end);
  EXPECT_NE(stream.text().find("a.b, a.b and 2 more\n"), std::string::npos) << stream.text();
}

TEST(Console, CountsWhatLaterRepetitionsDidNotRun) {
  const auto text = [](std::vector<harness::SelectedCase> named) {
    const MemoryStream stream;
    harness::RunFinished end;
    end.not_run = std::move(named);
    end.counts.not_run = 3'000'000'000;
    make_console({.stream = stream.get()})->on(end);
    return stream.text();
  };
  EXPECT_NE(text({}).find("not run: 3000000000 of later repetitions\n"), std::string::npos) << text({});
  EXPECT_NE(text({{.name = "a.b"}}).find("not run: a.b and 2999999999 more\n"), std::string::npos);
  EXPECT_NE(text({}).find("3000000000 not run"), std::string::npos) << text({});
}

TEST(LiveProgress, IsRedrawnBelowTheLinesAndGoneAtTheEnd) {
  const MemoryStream stream;
  const auto console = make_console({.stream = stream.get(), .live_progress = true});
  console->on(sample_start());
  console->on(harness::CaseStarted{.name = "a.first", .repetition = 0, .running = 1, .finished = 0, .total = 2});
  EXPECT_TRUE(stream.text().ends_with("1 running: a.first")) << stream.text();
  console->on(harness::CaseStarted{.name = "a.second", .repetition = 0, .running = 2, .finished = 0, .total = 2});
  EXPECT_TRUE(stream.text().ends_with("2 running: a.first, a.second")) << stream.text();
  console->on(finished("a.first", harness::Outcome::pass));
  EXPECT_NE(stream.text().find("\r\x1b[KPASS   a.first"), std::string::npos) << stream.text();
  EXPECT_TRUE(stream.text().ends_with("1 running: a.second")) << stream.text();
  console->on(harness::RunFinished{});
  const std::string text = stream.text();
  EXPECT_GT(text.rfind("\r\x1b[K"), text.rfind("running")) << text;
}

/// A log whose heartbeats come at these times.
struct LogWithClock {
  explicit LogWithClock(bool quiet = false, bool live = false) {
    console =
        make_console({.stream = stream.get(), .live_progress = live, .quiet = quiet, .now = [this] { return now; }});
    harness::RunStarted start;
    harness::DeviceIdentity& device = start.devices.emplace_back();
    device.kind = "cuda";
    device.ordinal = 3;
    device.name = "H200";
    console->on(start);
  }
  std::chrono::steady_clock::time_point now{};
  MemoryStream stream;
  std::unique_ptr<harness::EventSink> console;
};

TEST(Heartbeat, SaysInALogWhatRunsAndForHowLong) {
  using namespace std::chrono_literals;
  LogWithClock log;
  log.console->on(harness::CaseStarted{.name = "a.first", .repetition = 0, .running = 1, .finished = 0, .total = 12});
  log.now += 28s;
  log.console->on(harness::CaseStarted{.name = "a.second", .repetition = 0, .running = 2, .finished = 0, .total = 12});
  log.now += 2s;
  log.console->on_heartbeat();
  const std::string first =
      "still running after 30.0 s, 0 of 12 finished: a.first (30.0 s), a.second (2.0 s) on H200 (cuda:3)\n";
  EXPECT_TRUE(log.stream.text().ends_with(first)) << log.stream.text();
  log.console->on(finished("a.first", harness::Outcome::pass));
  log.now += 60s;
  log.console->on_heartbeat();
  const std::string second = "still running after 1 min 30 s, 1 of 1 finished: a.second (1 min 02 s) on";
  EXPECT_NE(log.stream.text().find(second), std::string::npos) << log.stream.text();
}

TEST(Heartbeat, SaysNothingWhenQuietAndRedrawsOnATerminal) {
  LogWithClock quiet(true);
  quiet.console->on_heartbeat();
  EXPECT_EQ(quiet.stream.text(), "");
  LogWithClock terminal(false, true);
  terminal.console->on_heartbeat();
  EXPECT_EQ(terminal.stream.text().find("still running"), std::string::npos);
  EXPECT_NE(terminal.stream.text().find("\r\x1b[K[0/0]"), std::string::npos) << terminal.stream.text();
}

TEST(Console, ShowsAWaivedFailureAndWaiversToRemove) {
  const MemoryStream stream;
  const auto console = make_console({.stream = stream.get()});
  harness::CaseFinished failed = finished("a.b", harness::Outcome::fail);
  failed.result.waiver = {"a.*", "any", "row remapping pending", "node team", "2026-12-31"};
  console->on(failed);
  harness::RunFinished end;
  end.counts = {.pass = 1, .fail = 1, .waived = 1};
  end.waivers = {{*failed.result.waiver, "used"},
                 {{"c.d", "any", "r", "node team", "2026-01-01"}, "expired"},
                 {{"e.f", "GPU-1", "r", "node team", "2026-12-31"}, "unused"}};
  console->on(end);
  const std::string text = stream.text();
  for (const char* expected :
       {"FAIL   a.b", "waived by node team until 2026-12-31: row remapping pending\n", "1 passed, 1 failed (1 waived)",
        "the waiver for c.d on any device (node team, until 2026-01-01) has expired",
        "the waiver for e.f on GPU-1 (node team, until 2026-12-31) is not needed"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
  }
  EXPECT_EQ(text.find("the waiver for a.*"), std::string::npos);
}

/// Both ends of a pseudo-terminal of this many columns.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int user_side = -1;
    if (::openpty(&computer_side_, &user_side, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    stream_ = ::fdopen(user_side, "w");
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (stream_ != nullptr) std::fclose(stream_);
    ::close(computer_side_);
  }
  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// Hangs up the user's side and gives all that was written to it. A terminal may hand
  /// it over in pieces; it ends with an error.
  std::string hang_up() {
    std::fclose(std::exchange(stream_, nullptr));
    std::string text;
    std::array<char, 4096> piece{};
    ssize_t length = 0;
    while ((length = ::read(computer_side_, piece.data(), piece.size())) > 0) {
      text.append(piece.data(), static_cast<std::size_t>(length));
    }
    return text;
  }

 private:
  int computer_side_ = -1;
  std::FILE* stream_ = nullptr;
};

TEST(LiveProgress, FitsTheTerminal) {
  for (const std::size_t width : {1U, 2U, 20U, 40U}) {
    Terminal terminal(static_cast<unsigned short>(width));
    auto console = make_console({.stream = terminal.stream(), .live_progress = true, .quiet = true});
    console->on(
        harness::CaseStarted{.name = std::string(100, 'x'), .repetition = 0, .running = 1, .finished = 0, .total = 1});
    console.reset();
    const std::string line = one_line(terminal.hang_up());
    EXPECT_LE(columns(line), std::max(width - 1, std::size_t{1})) << line;
    EXPECT_GE(columns(line), 1U);
  }
}

TEST(TerminalColumns, AreThoseOfTheTerminalOrTheDefault) {
  EXPECT_EQ(terminal_columns(Terminal(132).stream(), 80), 132U);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> null(std::fopen("/dev/null", "w"), std::fclose);
  EXPECT_EQ(terminal_columns(null.get(), 80), 80U);
}

TEST(Console, SetsTablesByTheTerminalsWidth) {
  harness::CaseFinished event = finished("a.b", harness::Outcome::fail);
  event.result.mismatches = {{"key", "12345678901234567890", "x", "math"}};
  for (const auto& [width, stacked] : {std::pair<unsigned short, bool>(60, false), {30, true}}) {
    Terminal terminal(width);
    make_console({.stream = terminal.stream()})->on(event);
    EXPECT_EQ(terminal.hang_up().find("expected  12345678901234567890") != std::string::npos, stacked);
  }
}

}  // namespace
}  // namespace gpucheck::report
