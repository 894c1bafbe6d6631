#include "runner/rerun.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace gpucheck::runner {
namespace {

/// What a real shell makes of `command`'s output.
std::string shell(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output.push_back(static_cast<char>(c));
  ::pclose(pipe);
  return output;
}

TEST(Rerun, QuotesSoThatAShellReadsTheSameWord) {
  EXPECT_EQ(shell_quoted("size=64MiB"), "size=64MiB");
  for (const char* word :
       {"", "a b", "it's", "$HOME", "`id`", "\\", "a\nb", "*", "~", "\"", "#x", "a;b", "!", "\xc3\xa9"}) {
    const std::string tell = R"(; printf %s "$# $1")";  // how many words there are, and the first
    EXPECT_EQ(shell("set -- " + shell_quoted(word) + tell), "1 " + std::string(word));
  }
}

TEST(Rerun, SaysWhatRunsOneCaseAgain) {
  const harness::Case test_case{.name = "alloc.fuzz", .summary = "", .source = ""};
  Options options;
  options.settings.seed = 7;
  const auto planned = std::make_unique<PlannedCase>();
  planned->test_case = &test_case;
  planned->settings.parameters = {{"iterations", std::int64_t{5}}, {"mode", "a b"}};
  EXPECT_EQ(rerun_command(*planned, options, "sim:h100"),
            "gpucheck run alloc.fuzz --device sim:h100 --seed 7 --parameter iterations=5 --parameter 'mode=a b'");
  planned->settings.golden_directory = "my goldens";
  planned->settings.parameters.clear();
  planned->repetition = 2;
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 9 --golden 'my goldens'");
  planned->settings.allocator = runtime::parse_allocator_choice("./my one.so");
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 9 --allocator './my one.so' --golden 'my goldens'");
}

TEST(Rerun, SaysWhatElseDecidesHowACaseEnds) {
  const harness::Case test_case{.name = "alloc.fuzz", .summary = "", .source = ""};
  const auto planned = std::make_unique<PlannedCase>();
  planned->test_case = &test_case;
  planned->settings.fault = "lost_event";
  Options options;
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 0 --fault lost_event");
  planned->settings.fault.clear();
  options.timeout = std::chrono::milliseconds(1500);
  options.isolation = Isolation::process;
  EXPECT_EQ(rerun_command(*planned, options, "sim"),
            "gpucheck run alloc.fuzz --device sim --seed 0 --timeout 1500ms --isolate process");
  planned->settings.allocator = runtime::parse_allocator_choice("./my.so");
  EXPECT_EQ(rerun_command(*planned, options, "sim"),
            "gpucheck run alloc.fuzz --device sim --seed 0 --allocator ./my.so --timeout 1500ms");
}

}  // namespace
}  // namespace gpucheck::runner
