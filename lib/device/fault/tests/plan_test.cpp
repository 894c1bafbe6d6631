#include "device/fault/plan.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/error.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/fault/faults.hpp"

namespace gpucheck::fault {
namespace {

using enum Operation;

/// Every operation but those that return no status.
std::set<Operation> returning_a_status() {
  std::set<Operation> operations;
  for (std::size_t i = 0; i < operation_count; ++i) operations.insert(static_cast<Operation>(i));
  for (const Operation other : {initialize, default_stream, error_text}) operations.erase(other);
  return operations;
}

std::set<Operation> united(std::set<Operation> a, const std::set<Operation>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// What the comments of plan.hpp promise.
std::set<Operation> taking(Effect effect) {
  const std::set<Operation> failing = returning_a_status();
  switch (effect) {
    case Effect::fail:
      return united(failing, {initialize});
    case Effect::drop:
    case Effect::report_success:
    case Effect::lose_device:
    case Effect::hide_sticky_errors:
      return failing;
    case Effect::flip_bit:
    case Effect::delay:
      return {copy, fill, launch_kernel, multiply, communicate};
    case Effect::flip_low_bit:
    case Effect::not_finite:
      return {multiply};
    case Effect::stick_bit:
    case Effect::alias_address_line:
    case Effect::alias:
    case Effect::misalign:
      return {allocate};
    case Effect::slow_multiprocessor:
    case Effect::wrong_multiprocessor:
    case Effect::run_now:
      return {launch_kernel};
    case Effect::wrong_answer:
      return {node_count,      default_stream, error_text,   memory_info,  pointer_info,       elapsed_ms, capture_info,
              can_access_peer, query_event,    query_stream, math_library, collective_library, initialize};
    case Effect::eager:
      return {initialize};
    case Effect::hang:
    case Effect::kill_process:
      return united(failing, {initialize, default_stream, error_text});
  }
  return {};
}

// Also where several threads have found it due before the first of them claims it.
TEST(ArmedRule, IsClaimedAsOftenAsItSays) {
  for (const std::uint64_t times : {1U, 3U}) {
    ArmedRule rule({.operation = fill, .effect = Effect::flip_bit, .times = times});
    for (std::uint64_t claimed = 0; claimed < times; ++claimed) {
      EXPECT_TRUE(rule.is_due(fill, 10));
      EXPECT_TRUE(rule.claim());
    }
    EXPECT_FALSE(rule.is_due(fill, 10));
    EXPECT_FALSE(rule.claim());
  }
  ArmedRule always({.operation = fill, .effect = Effect::flip_bit, .times = 0});
  for (int claim = 0; claim < 10; ++claim) EXPECT_TRUE(always.claim());
}

/// Why a plan is rejected; empty when it is not.
std::string rejection(const Rule& rule) {
  try {
    check(Plan{{rule}});
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

class EveryEffect : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryEffect, IsTakenByItsOperationsAndRejectedForAllOthers) {
  const auto effect = static_cast<Effect>(GetParam());
  const std::set<Operation> wanted = taking(effect);
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto operation = static_cast<Operation>(i);
    const std::string why = rejection({.operation = operation, .effect = effect, .delay = std::chrono::nanoseconds(1)});
    EXPECT_EQ(why.empty(), wanted.contains(operation)) << to_text(operation) << ' ' << to_text(effect);
    if (wanted.contains(operation)) continue;
    EXPECT_NE(why.find("effect " + std::string(to_text(effect)) + " on operation " + std::string(to_text(operation))),
              std::string::npos)
        << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Plan, EveryEffect, testing::Range(std::size_t{0}, effect_count), [](const auto& information) {
  return std::string(to_text(static_cast<Effect>(information.param)));
});

TEST(Plan, HasANameForEveryEffect) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < effect_count; ++i) names.insert(to_text(static_cast<Effect>(i)));
  EXPECT_EQ(names.size(), effect_count);
  EXPECT_EQ(to_text(Effect::hide_sticky_errors), "hide_sticky_errors");
}

TEST(Plan, RejectsRulesThatCouldNotWork) {
  EXPECT_NE(rejection({.operation = fill, .effect = Effect::drop, .first = 0}), "");
  EXPECT_NE(rejection({.operation = fill, .effect = Effect::fail, .status = device::Status::success}), "");
  EXPECT_NE(rejection({.operation = fill, .effect = Effect::lose_device, .status = device::Status::success}), "");
  EXPECT_NE(rejection({.operation = fill, .effect = Effect::delay}), "") << "no time";
  EXPECT_NE(rejection({.operation = fill, .effect = Effect::flip_bit, .place = {.offset = 1}}), "");
  const Place last_but_one{.from = Place::From::end, .offset = 1};
  EXPECT_EQ(rejection({.operation = fill, .effect = Effect::flip_bit, .place = last_but_one}), "");
  EXPECT_NE(rejection({.operation = static_cast<Operation>(operation_count), .effect = Effect::hang}), "");
  EXPECT_NE(rejection({.operation = fill, .effect = static_cast<Effect>(effect_count)}), "");
}

TEST(Plan, IsCheckedWhenInjected) {
  EXPECT_THROW(static_cast<void>(inject(nullptr, Plan{{{error_text, Effect::fail}}})), Error);
}

}  // namespace
}  // namespace gpucheck::fault
