// Journals that no gpucheck of today wrote, or that somebody else has made.
#include <cstddef>
#include <gtest/gtest.h>
#include <string>

#include "base/error.hpp"
#include "report/journal/journal.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

std::string refusal_of_journal(const std::string& text) {
  try {
    static_cast<void>(parse_journal(text, "run.journal"));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

/// What a line holds takes many times its length in memory.
TEST(ForeignJournal, OfALineOfMillionsOfValuesIsRejected) {
  constexpr std::size_t most = 4'000'000;
  const std::string sample = sample_journal();
  const std::string head = sample.substr(0, sample.find('\n') + 1);
  for (const char begins_one : {',', '[', '{'}) {
    const std::string line(most, begins_one);
    const char* const wrong = ":2: this is not a line of a journal: it holds more than 4000000 values";
    EXPECT_EQ(refusal_of_journal(head + line + "\n").find(wrong), std::string::npos) << begins_one;
    EXPECT_NE(refusal_of_journal(head + line + begins_one + "\n").find(wrong), std::string::npos) << begins_one;
  }
  const std::string text = R"({"event":")" + std::string(2 * most, 'x') + "\"}\n";
  EXPECT_NE(refusal_of_journal(head + text).find("\"time\""), std::string::npos) << "a long text is one value";
}

/// What is rejected in its first line teaches a fuzzer nothing. `gpucheck run … --journal FILE` writes them anew.
TEST(ForeignJournal, IsWhatFuzzingBeginsWith) {
  for (const char* name : {"corpus/whole", "corpus/failed", "corpus/killed", "merge_corpus/one_node"}) {
    EXPECT_EQ(refusal_of_journal(read_file(std::string(GPUCHECK_REPORT_FUZZ_FOLDER "/") + name)), "accepted") << name;
  }
  for (const char* name : {"merge_corpus/two_nodes", "merge_corpus/failed_and_killed"}) {
    const std::string both = read_file(std::string(GPUCHECK_REPORT_FUZZ_FOLDER "/") + name);
    const std::size_t border = both.find("\n---\n");
    ASSERT_NE(border, std::string::npos) << name;
    EXPECT_EQ(refusal_of_journal(both.substr(0, border + 1)), "accepted") << name;
    EXPECT_EQ(refusal_of_journal(both.substr(border + 5)), "accepted") << name;
  }
}

}  // namespace
}  // namespace gpucheck::report
