#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/support/subprocess.hpp"

// A node on which CUDA does not start, from libcuda's answer to every report: it must not be missing in a fleet's.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

bool is_built_with_cuda() { return gpucheck({"--version"}).output.find("no CUDA toolkit") == std::string::npos; }

struct Answer {
  int code;
  const char* name;
  const char* failure;
};

void PrintTo(const Answer& answer, std::ostream* stream) { *stream << answer.code; }

class CudaStart : public ::testing::TestWithParam<Answer> {};

TEST_P(CudaStart, ThatFailsIsInEveryReport) {
  if (!is_built_with_cuda()) GTEST_SKIP() << "built without CUDA";
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a driver";
  const auto& [code, name, failure] = GetParam();
  const TemporaryFolder folder;
  const std::string journal = folder / "run.journal";
  const CommandResult result = gpucheck(
      {"run", "device.check_error", "--json", folder / "r.json", "--junit", folder / "r.xml", "--journal", journal},
      {std::string("LD_LIBRARY_PATH=") + GPUCHECK_FAKE_DRIVER_FOLDER, "GPUCHECK_TEST_CUDA=" + std::to_string(code)});
  EXPECT_EQ(result.exit_code, 3) << result.output << result.error_output;
  const std::string words = std::string("(") + name + ", " + std::to_string(code) + ")";
  const json report = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(report["exit_code"], 3);
  EXPECT_EQ(report["devices"].at(0)["kind"], "cuda");
  EXPECT_EQ(report["device_verdicts"].at(0)["verdict"], "not_judged");
  const json& device_case = report["cases"].at(0);
  EXPECT_EQ(device_case["outcome"], "error");
  EXPECT_THAT(device_case["reason"].get<std::string>(), HasSubstr(words));
  EXPECT_EQ(device_case["failures"].at(0)["code"], failure);
  EXPECT_THAT(read_file(folder / "r.xml"), AllOf(HasSubstr("<error"), HasSubstr(words)));
  const CommandResult again = gpucheck({"report", journal, "--json", folder / "again.json"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "r.json"));
}

INSTANTIATE_TEST_SUITE_P(Answers, CudaStart,
                         ::testing::Values(Answer{802, "cudaErrorSystemNotReady", "GC6013"},
                                           Answer{803, "cudaErrorSystemDriverMismatch", "GC6014"},
                                           Answer{46, "cudaErrorDevicesUnavailable", "GC6017"},
                                           Answer{999, "cudaErrorUnknown", "GC6011"}));

}  // namespace
}  // namespace gpucheck::application
