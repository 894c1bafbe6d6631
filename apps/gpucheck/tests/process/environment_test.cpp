#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/support/subprocess.hpp"

/// What a run does in surroundings that wait, refuse, or do the same at the same time.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

json document_in(const std::string& path) { return json::parse(read_file(path), nullptr, false); }

class Fifo {
 public:
  Fifo() { EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0); }
  [[nodiscard]] std::string path() const { return folder_ / "f.json"; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// Its exit code when it gets a SIGTERM after half a second; 137 when that does nothing. LeakSanitizer, which looks at
/// a process that ends, may wait for ever where the SIGCONT of timeout(1) comes meanwhile.
int ended_by_signal(const std::string& arguments) {
  return shell(fmt::format("ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS timeout -k 5 -s TERM --preserve-status 0.5 $0 {} "
                           ">/dev/null 2>&1",
                           arguments))
      .exit_code;
}

TEST(ASignal, EndsWhoeverWaitsForAFile) {
  const Fifo fifo;
  for (const char* arguments :
       {"run proof.watchful --device sim --waivers {}", "run proof.watchful --device sim --limits {}",
        "run proof.watchful --device sim --telemetry {}", "run proof.watchful --device sim --json {}",
        "run proof.watchful --device sim --junit {}", "run proof.watchful --device sim --journal {}",
        "prove proof.watchful --device sim --limits {}", "prove proof.watchful --device sim --telemetry {}",
        "golden diff proof.watchful --device sim --limits {}", "describe proof.watchful --limits {}", "report {}",
        "report {} --waivers {}", "baseline make {}", "replay {}", "advise {}", "inspect {}"}) {
    EXPECT_EQ(ended_by_signal(fmt::format(fmt::runtime(arguments), fifo.path(), fifo.path())), 143) << arguments;
  }
}

TEST(ASignal, IsNotNeededWhereAFifoIsNoGoldenFile) {
  const Fifo fifo;
  EXPECT_EQ(ended_by_signal("run proof.watchful --device sim --golden " + fifo.folder()), 1) << "there is none then";
}

TEST(ASignal, LeavesNoOldReportOfAFileThatNeverCame) {
  const Fifo fifo;
  const TemporaryFolder folder;
  write_file(folder / "r.json", "old");
  EXPECT_EQ(ended_by_signal(
                fmt::format("run proof.watchful --device sim --json {} --waivers {}", folder / "r.json", fifo.path())),
            143);
  EXPECT_EQ(read_file(folder / "r.json"), "");
}

TEST(AnInput, IsReadOnceAndMayBeAPipe) {
  const TemporaryFolder folder;
  const std::string recording = std::string(GPUCHECK_RECORDED_MACHINES) + "/simulated_gpu.json";
  write_file(
      folder / "waivers.json",
      R"({"waivers": [{"case": "demo.wrong", "device": "any", "reason": "r", "owner": "o", "expires": "2999-12-31"}]})");
  write_file(folder / "limits.json",
             R"({"schema": "gpucheck.limits/1", "classes": [
                 {"name": "any", "limits": {"measured.speed.speed_gbps": {"fail_below": 1, "source": "a test"}}}]})");
  const CommandResult result =
      shell(fmt::format("$0 run proof.watchful proof.exclusive --device sim --isolate process --repeat 2 --json {} "
                        "--telemetry <(cat {}) --waivers <(cat {}) --limits <(cat {})",
                        folder / "r.json", recording, folder / "waivers.json", folder / "limits.json"));
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
  EXPECT_EQ(document_in(folder / "r.json")["counts"]["pass"], 4);
}

TEST(AReport, HasOneWriterAtATime) {
  for (const char* option : {"--json", "--junit"}) {
    const TemporaryFolder folder;
    const std::string report = folder / "report";
    const CommandResult result = shell(
        fmt::format("for i in $(seq 20); do $0 run bad.hangs --device sim --timeout 3s {} {} --no-journal "
                    ">/dev/null 2>{}/error.$i & pids=\"$pids $!\"; done; for p in $pids; do wait $p; echo $?; done",
                    option, report, folder.path()));
    EXPECT_EQ(std::ranges::count(result.output, '1'), 1) << result.output;
    EXPECT_EQ(std::ranges::count(result.output, '3'), 19) << result.output;
    EXPECT_TRUE(std::filesystem::exists(report)) << "no loser takes it away";
    EXPECT_THAT(shell(fmt::format("cat {}/error.*", folder.path())).output,
                HasSubstr(fmt::format("another process is writing the report {}: give each run its own", report)));
    const CommandResult left = shell(fmt::format("ls {}/*.tmp 2>/dev/null", folder.path()));
    EXPECT_EQ(left.output, "");
  }
}

TEST(AReport, IsWrittenAfterWhoeverDiedOverIt) {
  const TemporaryFolder folder;
  const std::string run = fmt::format("$0 run {{}} --device sim --json {} --no-journal", folder / "r.json");
  shell(fmt::format("timeout -s KILL 0.5 {}", fmt::format(fmt::runtime(run), "bad.hangs")));
  EXPECT_EQ(shell(fmt::format(fmt::runtime(run), "proof.watchful")).exit_code, 0);
  EXPECT_EQ(document_in(folder / "r.json")["exit_code"], 0);
}

TEST(ALostReport, IsNotSaidToBeInAJournalThatIsLostToo) {
  const CommandResult both =
      shell("$0 run proof.watchful --device sim --junit /dev/full --journal /dev/../dev/full >/dev/null");
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_THAT(both.error_output, HasSubstr("results are missing in it"));
  EXPECT_THAT(both.error_output, Not(HasSubstr("the journal has the results")));
  const TemporaryFolder folder;
  const CommandResult one =
      shell(fmt::format("$0 run proof.watchful --device sim --junit /dev/full --journal {}", folder / "journal"));
  EXPECT_THAT(one.error_output, HasSubstr("the journal has the results: gpucheck report"));
}

#ifndef GPUCHECK_TEST_THREAD_SANITIZED  // which cannot even start then
TEST(AFileThatMayNotGrow, ChangesNoVerdict) {
  for (const auto& [name, code] : {std::pair("demo.wrong", 1), {"proof.watchful", 3}}) {
    const TemporaryFolder folder;
    const CommandResult result =
        shell(fmt::format("(ulimit -f 0; $0 run {} --device sim --json {}) 2>&1 | cat", name, folder / "r.json"));
    const CommandResult coded = shell(
        fmt::format("ulimit -f 0; $0 run {} --device sim --json {} 2>/dev/null >/dev/null", name, folder / "r.json"));
    EXPECT_EQ(coded.exit_code, code) << name;
    EXPECT_THAT(result.output, HasSubstr("File too large")) << name;
  }
}

#endif

TEST(AParameter, TooSmallToTestAnythingIsAUsageError) {
  for (const auto& [name, parameter, too_small, smallest] :
       std::vector<std::array<std::string, 4>>{{"memtest.stress", "bytes", "3", "4096"},
                                               {"memtest.modulo_20", "bytes", "4095", "5000"},
                                               {"bandwidth.device_copy", "bytes", "1", "1MiB"},
                                               {"gemm.fp32", "size", "1", "32"},
                                               {"stress.burn", "seconds", "0.000001", "0.0002"}}) {
    const CommandResult rejected =
        gpucheck({"run", name, "--device", "sim", "-p", fmt::format("{}={}", parameter, too_small)});
    EXPECT_EQ(rejected.exit_code, 2) << name;
    EXPECT_THAT(rejected.error_output, HasSubstr("too small to test anything")) << name;
    const CommandResult run =
        gpucheck({"run", name, "--device", "sim", "-p", fmt::format("{}={}", parameter, smallest)});
    EXPECT_EQ(run.exit_code, 0) << run.output;
  }
}

#ifndef GPUCHECK_TEST_SANITIZED  // which needs more addresses than any limit leaves
TEST(ALimitOfAddresses, IsNeverAnObservation) {
  for (const char* limit : {"1500000", "1000000", "600000"}) {
    const CommandResult result = shell(
        fmt::format("ulimit -v {}; {} run alloc.raises_oom alloc.raw_alloc_delete alloc.oom_message pinned snapshot "
                    "--device sim:small --json -",
                    limit, GPUCHECK_PROGRAM));
    const json document = json::parse(result.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << result.error_output;
    for (const json& one : document["cases"]) {
      EXPECT_THAT(one["outcome"].get<std::string>(), ::testing::AnyOf("pass", "skip", "error")) << limit << one.dump();
      if (one["outcome"] != "error") continue;
      EXPECT_EQ(one["failures"][0]["name"], "host_memory_refused") << one.dump();
    }
  }
}
#endif

// -- deadlines ----------------------------------------------------------------------------

#ifdef GPUCHECK_TEST_SANITIZED
constexpr milliseconds slack{1500};  // starting alone takes as long
#else
constexpr milliseconds slack{0};
#endif

struct Timed {
  CommandResult result;
  milliseconds time{};
};

Timed timed(const std::string& script) {
  const auto start = std::chrono::steady_clock::now();
  Timed timed{.result = shell(script)};
  timed.time = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  return timed;
}

TEST(ADeadline, IsKeptByEveryDeviceThatHangs) {
  const TemporaryFolder folder;
  for (const char* device : {"sim", "sim:h100,devices=8"}) {
    const Timed run = timed(
        fmt::format("$0 run proof.watchful --fault allocation_hangs --timeout 2s --device {} --deadline 3s --json {}",
                    device, folder / "r.json"));
    EXPECT_LT(run.time, milliseconds(3000) + slack) << device;
    EXPECT_THAT(run.result.exit_code, ::testing::AnyOf(1, 3)) << run.result.output;
    EXPECT_EQ(document_in(folder / "r.json")["exit_code"], run.result.exit_code) << device;
  }
}

TEST(ADeadline, ReportsWhatItLeftOutByteForByteAgain) {
  const TemporaryFolder folder;
  for (const char* more : {"", "--deadline-skips-ok"}) {
    const CommandResult run = shell(
        fmt::format("$0 run proof.watchful bad.hangs --timeout 1h --device sim --deadline 3s {} --json {} --junit {}",
                    more, folder / "r.json", folder / "r.xml"));
    EXPECT_EQ(run.exit_code, 3) << run.output;
    const json document = document_in(folder / "r.json");
    ASSERT_EQ(document["cases"].size(), 2U);
    for (const json& result : document["cases"]) {
      EXPECT_EQ(result["outcome"], "skip");
      EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr("not started: it may take"));
    }
    const CommandResult again =
        shell(fmt::format("$0 report {} --json {} --junit {} >/dev/null", folder / "r.json.journal",
                          folder / "again.json", folder / "again.xml"));
    EXPECT_EQ(again.exit_code, 3);
    EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "r.json"));
    EXPECT_EQ(read_file(folder / "again.xml"), read_file(folder / "r.xml"));
  }
}

TEST(ADeadline, IsKeptWhereNothingCanBeReadOrWritten) {
  const Fifo fifo;
  for (const char* arguments : {"--waivers {}", "--json {}", "--telemetry {}"}) {
    const Timed run =
        timed("$0 run proof.watchful --device sim --deadline 1s " + fmt::format(fmt::runtime(arguments), fifo.path()));
    EXPECT_LT(run.time, milliseconds(1300) + slack) << arguments;
    EXPECT_EQ(run.result.exit_code, 3) << arguments;
  }
}

TEST(ADeadline, ShorterThanTheStartIsKept) {
  const Timed run = timed("$0 run proof.watchful --device sim --deadline 1ms");
  EXPECT_LT(run.time, milliseconds(300) + slack);
  EXPECT_EQ(run.result.exit_code, 3);
}

TEST(ADeadline, IsADurationThatThereIs) {
  for (const char* wrong : {"0", "0s", "-1s", "5", "", "25h", "nan"}) {
    EXPECT_EQ(fixture({"run", "proof.watchful", "--device", "sim", std::string("--deadline=") + wrong}).exit_code, 2)
        << wrong;
  }
  EXPECT_EQ(fixture({"run", "proof.watchful", "--device", "sim", "--deadline-skips-ok"}).exit_code, 2);
}

TEST(AnEstimate, SaysOnWhatItIsBased) {
  const CommandResult text = fixture({"list", "proof", "--estimate", "--device", "sim", "-j", "1"});
  EXPECT_EQ(text.exit_code, 0) << text.error_output;
  EXPECT_THAT(text.output, HasSubstr("at most: its deadline"));
  EXPECT_THAT(text.output, HasSubstr("2 cases on the simulated device, 1 at a time: at most 20"));
  EXPECT_THAT(text.output, HasSubstr("2 of them count with their deadlines"));
  const CommandResult document = fixture({"list", "proof", "--estimate", "--device", "sim", "-j", "1", "--json"});
  const json parsed = json::parse(document.output);
  EXPECT_EQ(parsed["estimate"]["side_by_side_ms"], 20'000);
  EXPECT_EQ(parsed["estimate"]["measured_cases"], 0);
  EXPECT_EQ(parsed["cases"][0]["estimate_basis"], "deadline");
}

TEST(AnEstimate, IsOfWhatARunTakes) {
  const CommandResult text = gpucheck({"list", "alloc", "--estimate", "--device", "sim"});
  EXPECT_EQ(text.exit_code, 0) << text.error_output;
  EXPECT_THAT(text.output, Not(HasSubstr("alloc.pluggable"))) << "only with --allocator LIBRARY";
  const CommandResult named = gpucheck({"list", "alloc.pluggable_sizes", "--estimate", "--device", "sim"});
  EXPECT_THAT(named.output, HasSubstr("alloc.pluggable_sizes"));
}

}  // namespace
}  // namespace gpucheck::application
