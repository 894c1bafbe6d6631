// Each number of a journal at the last value that a run can have, and at the first that it cannot.
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "journal_text.hpp"
#include "report/journal/journal.hpp"
#include "sample_run.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;

/// A run of one case on one of two devices, and what its journal says of it.
struct ToldRun {
  ToldRun() {
    start.devices.push_back(start.devices.front());
    start.devices[1].index = 1;
    start.devices[1].uuid = "GPU-2";
    start.selected = {{.name = "a.b", .devices = {0}}};
    start.total = 1;
    result = result_of("a.b", Outcome::pass, {0});
  }

  [[nodiscard]] std::string text() const {
    JournalText journal(start);
    journal.add(started);
    journal.add(harness::CaseFinished{result, finished, total});
    harness::RunFinished counted = end;
    counted.counts.add(result);
    journal.add(counted);
    return journal.text();
  }

  harness::RunStarted start = sample_start();
  harness::CaseStarted started{"a.b", 0, 1, 0, 1, {0}};
  harness::CaseResult result;
  std::size_t finished = 1;
  std::size_t total = 1;
  harness::RunFinished end;
};

/// What the journal's reader says against it; empty where it takes it.
std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse_journal(text, "run.journal"));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return {};
}

struct Told {
  std::string name;
  std::function<void(ToldRun&)> change;
  std::string complaint;  ///< empty where the journal is taken
};
void PrintTo(const Told& told, std::ostream* out) { *out << told.name; }

class JournalBound : public testing::TestWithParam<Told> {};

TEST_P(JournalBound, IsWhereTheReaderBeginsToComplain) {
  const Told& told = GetParam();
  ToldRun run;
  told.change(run);
  const std::string complaint = complaint_about(run.text());
  if (told.complaint.empty()) {
    EXPECT_EQ(complaint, "");
  } else {
    EXPECT_NE(complaint.find(told.complaint), std::string::npos) << complaint;
  }
}

Told taken(const std::string& name, const std::function<void(ToldRun&)>& change) { return {name, change, {}}; }

/// The same with each of these numbers, and what is said of it.
template <typename Number>
std::vector<Told> with_each(const std::string& name, void (*set)(ToldRun&, Number),
                            const std::vector<std::pair<Number, std::string>>& numbers) {
  std::vector<Told> all;
  for (const auto& one : numbers) {
    const Number number = one.first;
    all.push_back({name + " " + std::to_string(number), [set, number](ToldRun& run) { set(run, number); }, one.second});
  }
  return all;
}

void crash(ToldRun& run) {
  run.result = result_of("a.b", Outcome::crash, {0});
  run.end.exit_code = 1;
}

INSTANTIATE_TEST_SUITE_P(Plain, JournalBound, testing::Values(taken("nothing changed", [](ToldRun&) {})));

INSTANTIATE_TEST_SUITE_P(OfASignalThatEndsTheRun, JournalBound,
                         testing::ValuesIn(with_each<int>("signal",
                                                          [](ToldRun& run, int signal) {
                                                            run.end.interrupted_by_signal = signal;
                                                            run.end.exit_code = 128 + signal;
                                                          },
                                                          {{1, ""},
                                                           {64, ""},
                                                           {65, "by a signal that does not exist"},
                                                           {-1, "by a signal that does not exist"}})));

INSTANTIATE_TEST_SUITE_P(OfASignalThatEndsACase, JournalBound,
                         testing::ValuesIn(with_each<int>("signal",
                                                          [](ToldRun& run, int signal) {
                                                            crash(run);
                                                            run.result.signal = signal;
                                                          },
                                                          {{1, ""},
                                                           {64, ""},
                                                           {0, "has a signal that does not exist"},
                                                           {65, "has a signal that does not exist"}})));

INSTANTIATE_TEST_SUITE_P(OfTheExitCodeOfACase, JournalBound,
                         testing::ValuesIn(with_each<int>("exit code",
                                                          [](ToldRun& run, int code) {
                                                            crash(run);
                                                            run.result.signal.reset();
                                                            run.result.exit_code = code;
                                                          },
                                                          {{0, ""},
                                                           {255, ""},
                                                           {-1, "has an exit code that no process has"},
                                                           {256, "has an exit code that no process has"}})));

INSTANTIATE_TEST_SUITE_P(OfTelemetry, JournalBound,
                         testing::ValuesIn(with_each<int>("device",
                                                          [](ToldRun& run, int device) {
                                                            run.result.telemetry.emplace_back();
                                                            run.result.telemetry.back().device = device;
                                                          },
                                                          {{0, ""},
                                                           {1, ""},
                                                           {2, "has telemetry of a device that the run does not have"},
                                                           {-1,
                                                            "has telemetry of a device that the run does not have"}})));

INSTANTIATE_TEST_SUITE_P(OfJobs, JournalBound,
                         testing::ValuesIn(with_each<int>("jobs", [](ToldRun& run, int jobs) { run.start.jobs = jobs; },
                                                          {{1, ""}, {0, "less than one job on a device"}})));

INSTANTIATE_TEST_SUITE_P(
    OfSkips, JournalBound,
    testing::ValuesIn(with_each<int>("max skips", [](ToldRun& run, int skips) { run.start.max_skips = skips; },
                                     {{-1, ""}, {0, ""}, {-2, "the number of skips allowed is negative"}})));

INSTANTIATE_TEST_SUITE_P(
    OfADevicesPlace, JournalBound,
    testing::ValuesIn(with_each<int>("place", [](ToldRun& run, int place) { run.start.devices[1].index = place; },
                                     {{1, ""},
                                      {0, "its device 1 says that it is device 0"},
                                      {2, "its device 1 says that it is device 2"},
                                      {-1, "its device 1 says that it is device -1"}})));

/// Each number of a device, in turn.
std::vector<Told> numbers_of_a_device() {
  using harness::DeviceIdentity;
  std::vector<Told> all;
  for (int DeviceIdentity::*const number :
       {&DeviceIdentity::ordinal, &DeviceIdentity::multiprocessor_count, &DeviceIdentity::compute_capability_major,
        &DeviceIdentity::compute_capability_minor, &DeviceIdentity::memory_bus_bits,
        &DeviceIdentity::host_link_generation, &DeviceIdentity::host_link_lanes, &DeviceIdentity::peer_links,
        &DeviceIdentity::peer_link_mbps}) {
    const std::string which = "number " + std::to_string(all.size() / 2);
    all.push_back(taken(which + " is 0", [number](ToldRun& run) { run.start.devices[1].*number = 0; }));
    all.push_back({which + " is -1", [number](ToldRun& run) { run.start.devices[1].*number = -1; },
                   "its device 1 has a negative number"});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(OfADevice, JournalBound, testing::ValuesIn(numbers_of_a_device()));

INSTANTIATE_TEST_SUITE_P(
    OfTheSelection, JournalBound,
    testing::Values(Told{"more named than total", [](ToldRun& run) { run.start.total = 0; }, "names more cases"},
                    Told{"none meant, but one is there", [](ToldRun& run) { run.start.no_cases = "pass"; },
                         "selects cases and says that it has none"},
                    Told{"negative repetition", [](ToldRun& run) { run.start.selected[0].repetition = -1; },
                         "has a negative repetition"},
                    Told{"device beyond the last", [](ToldRun& run) { run.start.selected[0].devices = {2}; },
                         "is on a device that the run does not have"},
                    Told{"one of two devices is none",
                         [](ToldRun& run) {
                           run.start.selected[0].devices = {0, -1};
                         },
                         "is on a device that the run does not have"}));

INSTANTIATE_TEST_SUITE_P(
    OfWhatIsCounted, JournalBound,
    testing::Values(Told{"finished before the first", [](ToldRun& run) { run.started.finished = 1; },
                         "it says 1 cases have finished, but there are 0"},
                    Told{"total at the start", [](ToldRun& run) { run.started.total = 2; },
                         "it says 2 results will come, but there are 1"},
                    taken("none under way", [](ToldRun& run) { run.started.running = 0; }),
                    Told{"more under way", [](ToldRun& run) { run.started.running = 2; },
                         "it says that 2 cases are under way, but 1 are"},
                    Told{"finished behind the first", [](ToldRun& run) { run.finished = 2; },
                         "it says 2 cases have finished, but there are 1"},
                    Told{"total at the end", [](ToldRun& run) { run.total = 0; },
                         "it says 0 results will come, but there are 1"},
                    Told{"another case under way", [](ToldRun& run) { run.end.running = run.start.selected; },
                         "other cases under way than have started"},
                    Told{"more unproven", [](ToldRun& run) { run.end.unproven_devices = {1}; },
                         "other devices of which nothing is known"},
                    Told{"incomplete", [](ToldRun& run) { run.end.incomplete = "so"; },
                         "the run's own end says that it is incomplete"}));

std::vector<harness::DeviceTime> two_times() { return {{.device = 0}, {.device = 1}}; }

/// Each time and number of the second of two devices, in turn.
std::vector<Told> times_of_devices() {
  using harness::DeviceTime;
  const std::string disorder = "times of a device that are not in its order, or of a negative number";
  std::vector<Told> all{
      taken("of both", [](ToldRun& run) { run.end.device_times = two_times(); }),
      {"of one alone", [](ToldRun& run) { run.end.device_times = {{.device = 0}}; }, "1 devices have times"},
      {"swapped",
       [](ToldRun& run) {
         run.end.device_times = {{.device = 1}, {.device = 0}};
       },
       disorder},
      {"of none",
       [](ToldRun& run) {
         run.end.device_times = {{.device = -1}, {.device = 1}};
       },
       disorder},
      {"processes",
       [](ToldRun& run) {
         run.end.device_times = two_times();
         run.end.device_times[1].processes = -1;
       },
       disorder}};
  for (double DeviceTime::*const time :
       {&DeviceTime::running_ms, &DeviceTime::starting_ms, &DeviceTime::idle_ms, &DeviceTime::own_process_ms}) {
    const auto set = [time](double ms) {
      return [time, ms](ToldRun& run) {
        run.end.device_times = two_times();
        run.end.device_times[1].*time = ms;
      };
    };
    all.push_back(taken("a long time", set(1e9)));
    all.push_back({"a negative time", set(-0.001), "the duration of a device is negative or not finite"});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(OfTimes, JournalBound, testing::ValuesIn(times_of_devices()));

TEST(JournalOfNoCase, NamesWhatThatMeansAndEndsAsItMeans) {
  for (const auto& [meaning, code] : {std::pair("pass", 0), {"warn", 0}, {"fail", 3}}) {
    harness::RunStarted start = sample_start();
    start.selected.clear();
    start.total = 0;
    start.no_cases = meaning;
    const auto ends_with = [&](int exit_code, int signal, std::size_t total) {
      start.total = total;
      JournalText journal(start);
      harness::RunFinished end;
      end.exit_code = exit_code;
      end.interrupted_by_signal = signal;
      journal.add(end);
      return complaint_about(journal.text());
    };
    EXPECT_EQ(ends_with(code, 0, 0), "") << meaning;
    EXPECT_NE(ends_with(code == 0 ? 3 : 0, 0, 0).find("otherwise than it says that it means"), std::string::npos);
    EXPECT_NE(ends_with(code, 2, 0).find("otherwise than it says that it means"), std::string::npos);
    EXPECT_NE(ends_with(code, 0, 1).find("the run selects no case"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpucheck::report
