#include "replay/targets/player.hpp"

#include <gtest/gtest.h>

#include "scripted_target.hpp"

namespace gpucheck::replay {
namespace {

Trace late_free() {
  Trace trace;
  trace.allocation_count = 2;
  trace.events = {{10, 0, 0, Action::allocate, false},
                  {0, 0, 4, Action::free_later, false},
                  {20, 1, 0, Action::allocate, false},
                  {0, 0, 4, Action::end_of_uses, false},
                  {0, 0, 4, Action::end_of_uses, false}};
  return trace;
}

TEST(Player, AnAllocatorThatKnowsNoUsesFreesAtTheirEnd) {
  ScriptedTarget target;
  const Trace trace = late_free();
  Player player(trace, target);
  player.play_all([](std::size_t, const Player::Step&) {});
  player.free_all();
  EXPECT_EQ(target.calls, (std::vector<std::string>{"allocate 10 on 0", "allocate 20 on 0", "free 10", "free 20"}));
}

TEST(Player, WhatWasNeverAllocatedIsNotFreedLater) {
  ScriptedTarget target(5);
  const Trace trace = late_free();
  Player(trace, target).play_all([](std::size_t, const Player::Step&) {});
  EXPECT_EQ(target.calls, (std::vector<std::string>{"allocate 10 on 0", "allocate 20 on 0"}));
}

}  // namespace
}  // namespace gpucheck::replay
