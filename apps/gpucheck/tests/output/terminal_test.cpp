#include "output/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): posix_openpt
#include <unistd.h>

namespace gpucheck::application {
namespace {

/// A terminal of its own, in an environment that asks for nothing.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    controller_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(controller_, 0) << "no pseudo-terminals here: is /dev/pts mounted?";
    ::grantpt(controller_);
    ::unlockpt(controller_);
    terminal_ = std::fopen(::ptsname(controller_), "w");
    ASSERT_NE(terminal_, nullptr);
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    ::unsetenv("GPUCHECK_NO_COLOR");
  }
  void TearDown() override {
    if (terminal_ != nullptr) std::fclose(terminal_);
    if (controller_ >= 0) ::close(controller_);
  }
  [[nodiscard]] bool coloured() const { return use_colour(ColourChoice::automatic, terminal_); }

  int controller_ = -1;
  std::FILE* terminal_ = nullptr;
};

TEST_F(TerminalTest, ColourOnATerminal) { EXPECT_TRUE(coloured()); }

TEST_F(TerminalTest, NoColourIntoAFile) {
  std::FILE* const file = std::tmpfile();
  EXPECT_FALSE(use_colour(ColourChoice::automatic, file));
  EXPECT_FALSE(can_redraw(file));
  EXPECT_TRUE(use_colour(ColourChoice::always, file));
  std::fclose(file);
}

TEST_F(TerminalTest, NoColourCountsWhenItIsNotEmpty) {
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(coloured());
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(coloured());
  EXPECT_TRUE(can_redraw(terminal_));
  EXPECT_TRUE(use_colour(ColourChoice::always, terminal_));
}

TEST_F(TerminalTest, OwnVariableCountsToo) {
  ::setenv("GPUCHECK_NO_COLOR", "1", 1);
  EXPECT_FALSE(coloured());
}

TEST_F(TerminalTest, DumbTerminalIsNeitherColouredNorRedrawn) {
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(coloured());
  EXPECT_FALSE(can_redraw(terminal_));
}

TEST_F(TerminalTest, NeverMeansNever) { EXPECT_FALSE(use_colour(ColourChoice::never, terminal_)); }

}  // namespace
}  // namespace gpucheck::application
