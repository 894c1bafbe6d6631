#include "site/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdlib.h>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/execute.hpp"
#include "harness/case/needs.hpp"

namespace gpucheck::site {
namespace {

using harness::Execution;
using harness::ProgramEnd;
using harness::ProgramStart;
using ::testing::HasSubstr;

/// Stands in for the program: what it writes, and how it ends.
class FakeProgram final : public harness::ChildLauncher {
 public:
  std::vector<harness::ChildResult> run(const harness::Case&, const std::vector<std::string>&,
                                        std::chrono::milliseconds) override {
    return {};
  }
  ProgramEnd run_program(const ProgramStart& start, const std::function<void(std::string_view)>& take) override {
    started = start;
    take(written);
    return end;
  }
  /// Absent: not set.
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    std::map<std::string, std::string> variables;
    for (const std::string& text : started.environment) {
      const std::size_t equals = text.find('=');
      EXPECT_TRUE(variables.emplace(text.substr(0, equals), text.substr(equals + 1)).second) << text << " is set twice";
    }
    return variables;
  }

  std::string written = "{\"answer\": 42}\n";
  ProgramEnd end = {.exit_code = 0, .signal = {}};
  ProgramStart started;
};

struct ProgramRun {
  explicit ProgramRun(int devices = 1)
      : driver(sim::make_driver({.profile = sim::profile("small"), .device_count = 2})) {
    test_case.name = "site.disk";
    test_case.needs.devices = devices;
    test_case.program = {.folder = "/site/disk", .file = "check.sh", .digest = "0"};
    test_case.run = run_program;
    test_case.parameters = {
        {.name = "least_mib", .summary = "", .default_value = std::int64_t{16}},
        {.name = "deep", .summary = "", .default_value = false},
        {.name = "where", .summary = "", .default_value = "/tmp"},
    };
  }

  Execution execute() {
    harness::Context::Setup setup;
    setup.test_case = &test_case;
    setup.driver = driver.get();
    setup.ordinals = ordinals;
    setup.settings.seed = 7;
    setup.settings.fault = "full";
    setup.settings.parameters = {{"where", std::string("/a b")}};
    setup.on_observation = [this](const harness::Observation& one) { observed.push_back(one); };
    setup.children = &program;
    return harness::execute(std::move(setup));
  }

  std::unique_ptr<sim::Driver> driver;
  std::vector<int> ordinals = {1};
  harness::Case test_case;
  FakeProgram program;
  harness::Observations observed;
};

TEST(SiteProgram, IsStartedInItsFolderWithWhatItIsToCheckInItsEnvironment) {
  ::setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3", 1);
  ::setenv("GPUCHECK_PARAMETER_OLD", "of another run", 1);
  ProgramRun run;
  const Execution execution = run.execute();
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("GPUCHECK_PARAMETER_OLD");
  EXPECT_EQ(execution.status, Execution::Status::completed) << execution.reason;
  EXPECT_TRUE(execution.broken_rules.empty());
  EXPECT_EQ(run.observed, (harness::Observations{{"answer", std::int64_t{42}}}));
  EXPECT_EQ(run.program.started.path, "/site/disk/check.sh");
  EXPECT_EQ(run.program.started.folder, "/site/disk");

  const auto properties = run.driver->properties(1);
  const std::map<std::string, std::string> variables = run.program.environment();
  const auto value = [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "(not set)" : found->second;
  };
  EXPECT_EQ(value("PATH"), ::getenv("PATH"));
  EXPECT_EQ(value("GPUCHECK_CASE"), "site.disk");
  EXPECT_EQ(value("GPUCHECK_OBSERVATIONS"), "3");
  EXPECT_EQ(value("GPUCHECK_SEED"), "7");
  EXPECT_EQ(value("GPUCHECK_FAULT"), "full");
  EXPECT_EQ(value("GPUCHECK_PARAMETER_LEAST_MIB"), "16");
  EXPECT_EQ(value("GPUCHECK_PARAMETER_DEEP"), "false");
  EXPECT_EQ(value("GPUCHECK_PARAMETER_WHERE"), "/a b");
  EXPECT_EQ(value("GPUCHECK_PARAMETER_OLD"), "(not set)");
  EXPECT_EQ(value("GPUCHECK_DEVICE_KIND"), "sim");
  EXPECT_EQ(value("GPUCHECK_DEVICE_ORDINALS"), "1");
  EXPECT_EQ(value("GPUCHECK_DEVICE_UUIDS"), properties->uuid);
  EXPECT_EQ(value("GPUCHECK_DEVICE_PCI_ADDRESSES"), properties->pci_bus_id);
  EXPECT_EQ(value("CUDA_VISIBLE_DEVICES"), "") << "a simulated device is not one of CUDA's";
}

TEST(SiteProgram, HasAllOfItsDevicesAndWithoutOneNone) {
  ProgramRun two(2);
  two.ordinals = {0, 1};
  EXPECT_EQ(two.execute().status, Execution::Status::completed);
  EXPECT_EQ(two.program.environment().at("GPUCHECK_DEVICE_ORDINALS"), "0,1");
  ProgramRun none(0);
  EXPECT_EQ(none.execute().status, Execution::Status::completed);
  EXPECT_EQ(none.program.environment().at("GPUCHECK_DEVICE_KIND"), "none");
  EXPECT_EQ(none.program.environment().at("GPUCHECK_DEVICE_UUIDS"), "");
  EXPECT_EQ(none.program.environment().at("CUDA_VISIBLE_DEVICES"), "");
}

struct Ending {
  ProgramEnd end;
  Execution::Status status;
  std::string reason;
};

void PrintTo(const Ending& ending, std::ostream* stream) { *stream << ending.reason; }

class SiteProgramEnd : public ::testing::TestWithParam<Ending> {};

TEST_P(SiteProgramEnd, Means) {
  ProgramRun run;
  run.program.end = GetParam().end;
  run.program.written += "{\"half\": ";  // which counts for nothing where it did not end well
  const Execution execution = run.execute();
  EXPECT_EQ(execution.status, GetParam().status);
  EXPECT_EQ(execution.reason, GetParam().reason);
  EXPECT_EQ(execution.program.exit_code, GetParam().end.exit_code);
  EXPECT_EQ(execution.program.signal, GetParam().end.signal);
  EXPECT_EQ(run.observed.size(), 1U) << "what was seen before stays";
}

INSTANTIATE_TEST_SUITE_P(
    OfEachKind, SiteProgramEnd,
    ::testing::Values(
        Ending{{.exit_code = 77, .signal = {}}, Execution::Status::skipped, "its program skips it (exit code 77)"},
        Ending{{.exit_code = 99, .signal = {}}, Execution::Status::error, "its program could not judge (exit code 99)"},
        Ending{{.exit_code = 1, .signal = {}},
               Execution::Status::crashed,
               "its program exited with code 1, where 0 says that it observed all"},
        Ending{{.exit_code = 255, .signal = {}},
               Execution::Status::crashed,
               "its program exited with code 255, where 0 says that it observed all"},
        Ending{
            {.exit_code = {}, .signal = 9}, Execution::Status::crashed, "its program was killed by signal 9 (SIGKILL)"},
        Ending{{.exit_code = {}, .signal = {}},
               Execution::Status::crashed,
               "its program ended in a way that could not be determined"}));

TEST(SiteProgram, ThatObservesWhatIsNoneCannotBeJudged) {
  for (const char* written :
       {"hello\n", "{\"answer\": 1}\n{\"answer\": 1}\n", "{\"rule.made_up\": 1}\n", "{\"half\": "}) {
    ProgramRun run;
    run.program.written = written;
    const Execution execution = run.execute();
    EXPECT_EQ(execution.status, Execution::Status::error) << written;
    EXPECT_THAT(execution.reason, HasSubstr("of what the program observed")) << written;
  }
}

TEST(SiteProgram, NeedsNoContextUnlessMemoryIsAskedFor) {
  ProgramRun run;
  EXPECT_TRUE(harness::needs_no_context(run.test_case));
  run.test_case.needs.memory_bytes = 1;
  EXPECT_FALSE(harness::needs_no_context(run.test_case));
  run.test_case.needs.memory_bytes = 0;
  run.test_case.needs.memory_fraction = 0.5;
  EXPECT_FALSE(harness::needs_no_context(run.test_case));
  run.test_case.needs.memory_fraction = 0;
  run.test_case.program.reset();
  EXPECT_FALSE(harness::needs_no_context(run.test_case));
  run.test_case.needs.devices = 0;
  EXPECT_TRUE(harness::needs_no_context(run.test_case));
}

}  // namespace
}  // namespace gpucheck::site
