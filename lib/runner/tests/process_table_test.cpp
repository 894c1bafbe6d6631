#include "runner/process/process_table.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <stop_token>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpucheck::runner {
namespace {

TEST(ProcessTable, HoldsThisProcess) {
  const std::vector<ProcessEntry> all = processes();
  const auto self = std::ranges::find(all, ::getpid(), &ProcessEntry::id);
  ASSERT_NE(self, all.end());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_EQ(self->group, ::getpgrp());
}

TEST(ProcessTable, LeavesOutWhatEndsMeanwhile) {
  const std::jthread others([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(0);
      ::waitpid(child, nullptr, 0);
    }
  });
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(processes().empty());
}

TEST(ProcessTable, NobodyHasWaitedWhoIsNotThere) {
  EXPECT_EQ(waited_for_processor(-1).count(), 0);
  EXPECT_GE(waited_for_processor(::getpid()).count(), 0);
}

}  // namespace
}  // namespace gpucheck::runner
