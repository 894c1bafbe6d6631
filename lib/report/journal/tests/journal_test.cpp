#include "report/journal/journal.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.hpp"
#include "journal_text.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using ::nlohmann::ordered_json;

std::vector<std::string> whole_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string rejection(const std::string& text) {
  try {
    static_cast<void>(parse_journal(text, "run.journal"));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(Journal, GivesTheReportsThatTheRunItselfWrote) {
  const Journal journal = parse_journal(sample_journal(), "run.journal");
  EXPECT_FALSE(journal.torn);
  EXPECT_EQ(json_document(journal.record()), approved("result.approved.json"));
  EXPECT_EQ(junit_document(journal.record()), approved("junit.approved.xml"));
  const MemoryStream console;
  replay_events(journal, *make_console({.stream = console.get()}));
  EXPECT_EQ(console.text(), approved("console.approved.txt"));
}

/// Every prefix of whole lines is the journal of a run that was killed there.
TEST(Journal, OfAKilledRunNamesWhatIsMissingAndIsNeverAPass) {
  const std::vector<std::string> lines = whole_lines_of(sample_journal());
  for (std::size_t count = 1; count < lines.size(); ++count) {
    const Journal journal = parse_journal(joined({lines.begin(), lines.begin() + static_cast<long>(count)}), "j");
    const harness::RunFinished& end = journal.end();
    EXPECT_NE(end.incomplete, "");
    EXPECT_EQ(end.counts.total(), static_cast<int>((count - 1) / 2));
    EXPECT_EQ(end.not_run.size(), 10 - (count - 1) / 2);
    EXPECT_EQ(end.running.size(), (count - 1) % 2) << "every second line starts a case";
    const bool failed = end.counts.fail + end.counts.crash + end.counts.hang > 0;
    EXPECT_EQ(end.exit_code, failed ? 1 : 3);
  }
}

TEST(Journal, WithAllCasesPassedButNoEndIsNoPass) {
  harness::RunStarted start = sample_start();
  start.selected = {{.name = "a.b"}};
  start.total = 1;
  JournalText journal(start);
  journal.play(result_of("a.b", Outcome::pass));
  EXPECT_EQ(parse_journal(journal.text(), "j").end().exit_code, 3);
}

/// A run of ten repetitions of one case, of which the first is named when the run starts.
harness::RunStarted ten_repetitions() {
  harness::RunStarted start = sample_start();
  start.selected = {{.name = "a.b"}};
  start.total = 10;
  return start;
}

class RepeatedRun : public JournalText {
 public:
  RepeatedRun() : JournalText(ten_repetitions()) {}
  void start(int repetition) { JournalText::start({.name = "a.b", .repetition = repetition}); }
  void finish(int repetition) { JournalText::finish(result_of("a.b", Outcome::pass, {}, repetition)); }
};

TEST(Journal, KnowsALaterRepetitionFromItsStart) {
  RepeatedRun run;
  for (const int repetition : {0, 1}) {
    run.start(repetition);
    run.finish(repetition);
  }
  run.start(2);
  const Journal killed = parse_journal(run.text(), "j");
  EXPECT_EQ(killed.end().counts.pass, 2);
  EXPECT_EQ(killed.end().counts.not_run, 8);
  const std::vector<harness::SelectedCase> third{{.name = "a.b", .repetition = 2}};
  EXPECT_EQ(killed.end().not_run, third);
  EXPECT_EQ(killed.end().running, third);
  EXPECT_NE(
      junit_document(killed.record()).find("the run ended before 7 more results of later repetitions; the journal"),
      std::string::npos);

  harness::RunFinished end;
  end.counts = {.pass = 2, .not_run = 8};
  end.not_run = end.running = third;
  end.exit_code = 3;
  RepeatedRun told = run;
  told.add(end);
  EXPECT_EQ(parse_journal(told.text(), "j").end().incomplete, "");
  end.counts.not_run = 1;
  run.add(end);
  EXPECT_NE(rejection(run.text()).find("lines are missing"), std::string::npos);
}

TEST(Journal, RejectsAnEndThatNamesOthersThanThoseLeft) {
  using Left = std::vector<harness::SelectedCase>;
  const harness::SelectedCase first{.name = "a.b"};
  const harness::SelectedCase second{.name = "a.c"};
  const auto rejection_of = [&](const Left& not_run) {
    harness::RunStarted start = sample_start();
    start.selected = {first, second};
    start.total = 2;
    harness::RunFinished end;
    end.counts = {.not_run = 2};
    end.not_run = not_run;
    end.exit_code = 3;
    return rejection(to_json(JournalEntry{.time = {}, .event = start}).dump() + "\n" +
                     to_json(JournalEntry{.time = {}, .event = end}).dump() + "\n");
  };
  EXPECT_EQ(rejection_of({first, second}), "accepted");
  EXPECT_EQ(rejection_of({second, first}), "accepted") << "in any order";
  for (const Left& other :
       {Left{}, Left{first}, Left{first, first}, Left{first, second, second}, Left{first, {.name = "a.d"}},
        Left{first, {.name = "a.c", .repetition = 1}}, Left{first, {.name = "a.c", .devices = {1}}}}) {
    EXPECT_NE(rejection_of(other).find("lines are missing"), std::string::npos) << other.size();
  }
}

TEST(Journal, RejectsMoreThanTheRunSaidItWouldDo) {
  RepeatedRun never_started;
  never_started.finish(1);
  EXPECT_NE(rejection(never_started.text()).find("more often than it was selected"), std::string::npos);
  RepeatedRun too_many;
  for (int repetition = 0; repetition < 10; ++repetition) {
    too_many.start(repetition);
    too_many.finish(repetition);
  }
  EXPECT_EQ(parse_journal(too_many.text(), "j").end().counts.not_run, 0);
  too_many.start(10);
  too_many.finish(10);
  EXPECT_NE(rejection(too_many.text()).find("more often than it was selected"), std::string::npos);
  harness::RunStarted start = sample_start();
  start.total = start.selected.size() - 1;
  EXPECT_NE(rejection(to_json(JournalEntry{.time = {}, .event = start}).dump() + "\n").find("names more cases"),
            std::string::npos);
}

TEST(Journal, LeavesATornLastLineOutWhereverItIsTorn) {
  const std::vector<std::string> lines = whole_lines_of(sample_journal());
  const std::string whole = lines[0] + lines[1];
  for (std::size_t length = 1; length < lines[2].size(); ++length) {
    const Journal journal = parse_journal(whole + lines[2].substr(0, length), "j");
    EXPECT_TRUE(journal.torn);
    EXPECT_EQ(journal.record().results.size(), 0U);
  }
  EXPECT_TRUE(parse_journal(whole + std::string(4096, '\0'), "j").torn) << "what a power cut may leave";
}

TEST(Journal, IncompleteReportsSayWhatRan) {
  const std::vector<std::string> lines = whole_lines_of(sample_journal());
  const Journal journal = parse_journal(joined({lines.begin(), lines.begin() + 4}), "j");
  const ordered_json document = ordered_json::parse(json_document(journal.record()));
  EXPECT_EQ(document["running"].at(0)["name"], "alloc.fuzz");
  EXPECT_TRUE(document["incomplete"].is_string());
  const std::string junit = junit_document(journal.record());
  EXPECT_NE(junit.find("message=\"the run ended while this case was running; the journal ends before"),
            std::string::npos);
  const MemoryStream console;
  replay_events(journal, *make_console({.stream = console.get(), .quiet = true}));
  EXPECT_NE(console.text().find("under way at the end: alloc.fuzz\n"), std::string::npos) << console.text();
  EXPECT_NE(console.text().find("the journal ends before its run did"), std::string::npos) << console.text();
}

TEST(Journal, NamesTheLineThatIsNone) {
  const std::vector<std::string> lines = whole_lines_of(sample_journal());
  const std::string head = lines[0];
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {head + "garbage\n" + lines[1], "run.journal:2: this is not a line of a journal: it is not JSON"},
           {head + "\n", "run.journal:2: this is not a line of a journal: it is not JSON"},
           {head + std::string(100, '\0') + "\n", "run.journal:2: "},
           {head + "[]\n", "run.journal:2: this is not a line of a journal: it is not a JSON object"},
           {head + "{}\n", "\"event\" is missing"},
           {head + head, "run.journal:2: this is not a line of a journal: a run starts here"},
           {lines[1], "run.journal:1: this is not a line of a journal: a journal begins with"},
           {joined(lines) + lines[1], "run.journal:21: this is not a line of a journal: there is something behind"},
           {head + lines[1] + lines[2] + lines[2], "run.journal:4: this is not a line of a journal: the case"},
           {"", "no whole line"},
           {"{", "no whole line"},
           {head + std::string(100'000, '[') + "\n", "nested more than"},
       }) {
    EXPECT_NE(rejection(text).find(expected), std::string::npos) << rejection(text) << "\nfor " << expected;
  }
  std::string other = head;
  other.replace(other.find("journal/1"), 9, "journal/2");
  EXPECT_NE(rejection(other).find("gpucheck.journal/1"), std::string::npos);
}

TEST(Journal, TakesTheYearsThatTheClockHolds) {
  const auto accepts = [](const std::string& year) {
    std::string text = whole_lines_of(sample_journal())[0];
    const std::string member = "\"start_time\":\"";
    text.replace(text.find(member) + member.size(), 4, year);
    return rejection(text) == "accepted";
  };
  for (const char* year : {"1970", "2026", "2261"}) EXPECT_TRUE(accepts(year)) << year;
  for (const char* year : {"0000", "1969", "2262", "9999"}) EXPECT_FALSE(accepts(year)) << year;
}

TEST(Journal, NoticesThatALineIsGone) {
  const std::vector<std::string> lines = whole_lines_of(sample_journal());
  for (std::size_t gone = 2; gone + 1 < lines.size(); gone += 2) {
    std::vector<std::string> others = lines;
    others.erase(others.begin() + static_cast<long>(gone));
    EXPECT_NE(rejection(joined(others)).find("lines are missing"), std::string::npos) << lines[gone];
  }
}

TEST(Journal, IsNoPassThatItsCasesAreNot) {
  std::vector<std::string> lines = whole_lines_of(sample_journal());
  ordered_json end = ordered_json::parse(lines.back());
  end["exit_code"] = 0;
  end["interrupted_by_signal"] = 0;
  lines.back() = end.dump() + "\n";
  EXPECT_NE(rejection(joined(lines)).find("do not make a pass"), std::string::npos) << rejection(joined(lines));
}

// A light fuzz: whatever bytes change, the answer is a journal or words. Set
// GPUCHECK_FUZZ_SEEDS for more.
TEST(Journal, SurvivesMutation) {
  const std::string original = sample_journal();
  const char* const wanted = std::getenv("GPUCHECK_FUZZ_SEEDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 300;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    std::string text = original;
    for (unsigned count = 1 + random() % 4; count > 0; --count) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        default:
          text.insert(at, std::string(random() % 3, "[{]}\",:0"[random() % 8]));
      }
      if (text.empty()) text = "x";
    }
    try {
      const Journal journal = parse_journal(text, "j");
      EXPECT_FALSE(json_document(journal.record()).empty());
      EXPECT_FALSE(junit_document(journal.record()).empty());
      EXPECT_TRUE(journal.end().incomplete.empty() || journal.end().exit_code != 0);
    } catch (const EnvironmentError&) {
      continue;
    }
  }
}

/// The sample run's journal with the first of these texts in its first line replaced.
std::string with_start(const std::string& from, const std::string& to) {
  std::string text = sample_journal();
  return text.replace(text.find(from), from.size(), to);
}

TEST(Journal, BeginsToBeNoneExactlyBeyondItsLimits) {
  for (const auto& [time, accepted] : {std::pair("2026-08-22T23:59:59.999Z", true),
                                       {"2026-08-22T00:00:00.000Z", true},
                                       {"2028-02-29T10:11:12.345Z", true},
                                       {"2026-08-22T24:00:00.000Z", false},
                                       {"2026-08-22T23:60:00.000Z", false},
                                       {"2026-08-22T23:59:60.000Z", false},
                                       {"2026-02-29T10:11:12.345Z", false},
                                       {"2026-00-22T10:11:12.345Z", false},
                                       {"2026-08-00T10:11:12.345Z", false},
                                       {"2026-08-32T10:11:12.345Z", false}}) {
    EXPECT_EQ(rejection(with_start("2026-08-22T10:11:12.345Z", time)) == "accepted", accepted) << time;
  }
  const std::string head = whole_lines_of(sample_journal())[0];
  const auto nested = [&](std::size_t depth) {
    return rejection(head + R"({"event":)" + std::string(depth, '[') + std::string(depth, ']') + "}\n");
  };
  EXPECT_EQ(nested(32).find("nested more than"), std::string::npos) << nested(32);
  EXPECT_NE(nested(33).find("nested more than 32"), std::string::npos) << nested(33);
}

TEST(Journal, KnowsNoDeviceBeyondTheLast) {
  for (const auto& [device, accepted] : {std::pair(0, true), {1, false}, {-1, false}}) {
    harness::RunStarted start = sample_start();
    start.selected = {{.name = "a.b", .devices = {device}}};
    start.total = 1;
    JournalText journal(start);
    journal.play(result_of("a.b", Outcome::error, {device}));
    EXPECT_EQ(rejection(journal.text()) == "accepted", accepted) << rejection(journal.text());
  }
}

}  // namespace
}  // namespace gpucheck::report
