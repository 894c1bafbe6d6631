#include "base/text/shell_text.hpp"

#include <cstdio>
#include <gtest/gtest.h>

namespace gpucheck {
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

constexpr const char* words[] = {"size=64MiB", "",  "a b", "it's", "$HOME", "`id`", "\\",      "'",
                                 "*",          "~", "\"",  "#x",   "a;b",   "!",    "\xc3\xa9"};

TEST(ShellText, AShellReadsTheSameWord) {
  EXPECT_EQ(shell_quoted("size=64MiB"), "size=64MiB");
  EXPECT_EQ(in_single_quotes("size=64MiB"), "'size=64MiB'");
  const std::string tell = R"(; printf %s "$# $1")";  // how many words there are, and the first
  for (const char* word : words) {
    EXPECT_EQ(shell("set -- " + shell_quoted(word) + tell), "1 " + std::string(word));
    EXPECT_EQ(shell("set -- " + in_single_quotes(word) + tell), "1 " + std::string(word));
  }
  EXPECT_EQ(shell("set -- " + shell_quoted("a\nb") + tell), "1 a\nb");
}

TEST(ShellText, QuotesNoMoreThanItMust) {
  for (const char* word : {"0", "9", "a", "z", "A", "Z", "_-./:=,+@%"}) EXPECT_EQ(shell_quoted(word), word);
  // The neighbours of digits and letters that are not harmless.
  for (const char* word : {";", "[", "`", "{"}) EXPECT_EQ(shell_quoted(word), "'" + std::string(word) + "'");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
}

TEST(ShellText, WhatIsQuotedIsAPlainCommand) {
  for (const char* word : words)
    EXPECT_TRUE(is_plain_command("gpucheck run " + shell_quoted(word) + " --seed 1")) << word;
}

TEST(ShellText, WhatAShellWouldActOnIsNot) {
  for (const char* line : {"",
                           "gpucheck run a; rm -r b",
                           "gpucheck run $HOME",
                           "gpucheck run `id`",
                           "a | sh",
                           "a & b",
                           "a > b",
                           "a # b",
                           "a \\b",
                           "a\nb",
                           "gpucheck 'run",
                           "a 'b'\\'' c",
                           "a \"b\"",
                           "a 'b'\\''c'; id",
                           "a 'b\nc'",
                           "a '\x1b[201~'",
                           "a 'b\tc'",
                           "a 'b\rc'",
                           "a '\xff'",
                           "~/a",
                           "a*"}) {
    EXPECT_FALSE(is_plain_command(line)) << line;
  }
}

}  // namespace
}  // namespace gpucheck
