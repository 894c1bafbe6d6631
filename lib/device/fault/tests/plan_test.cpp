#include "device/fault/plan.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/error.hpp"
#include "device/fault/fault_driver.hpp"

namespace gpucheck::fault {
namespace {

using enum Operation;

const std::set<Operation> returning_status{free,
                                           free_async,
                                           reset_async_pool_peaks,
                                           set_async_pool_threshold,
                                           trim_async_pool,
                                           free_pinned,
                                           register_host,
                                           unregister_host,
                                           release_addresses,
                                           map_memory,
                                           unmap_memory,
                                           destroy_stream,
                                           query_stream,
                                           wait,
                                           destroy_event,
                                           record,
                                           query_event,
                                           synchronize,
                                           copy,
                                           fill,
                                           launch_kernel,
                                           host_callback,
                                           begin_capture,
                                           launch_graph,
                                           update_graph,
                                           destroy_graph,
                                           destroy_executable,
                                           last_error,
                                           enable_peer_access};
const std::set<Operation> returning_value_or_status{
    allocate,        allocate_async,       async_pool_usage,      allocate_pinned, reserve_addresses,
    memory_info,     pointer_info,         create_stream,         create_event,    elapsed_ms,
    end_capture,     capture_info,         exchange_capture_mode, node_count,      instantiate,
    can_access_peer, capture_dependencies, node_dependencies};

std::set<Operation> united(std::set<Operation> a, const std::set<Operation>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// What the comments of plan.hpp promise.
std::set<Operation> taking(Effect effect) {
  const std::set<Operation> failing = united(returning_status, returning_value_or_status);
  switch (effect) {
    case Effect::fail:
      return united(failing, {initialize});
    case Effect::drop:
    case Effect::report_success:
    case Effect::lose_device:
    case Effect::hide_sticky_errors:
      return failing;
    case Effect::flip_bit:
      return {copy, fill, launch_kernel};
    case Effect::alias:
      return {allocate};
    case Effect::run_now:
      return {launch_kernel};
    case Effect::wrong_answer:
      return {node_count, default_stream, error_text,      memory_info, pointer_info,
              elapsed_ms, capture_info,   can_access_peer, query_event, query_stream};
    case Effect::eager:
      return {initialize};
    case Effect::hang:
    case Effect::kill_process:
      return united(failing, {initialize, default_stream, error_text});
  }
  return {};
}

/// Why a plan is refused; empty when it is not.
std::string refusal(const Rule& rule) {
  try {
    check(Plan{{rule}});
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

class EveryEffect : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryEffect, IsTakenByItsOperationsAndRefusedForAllOthers) {
  const auto effect = static_cast<Effect>(GetParam());
  const std::set<Operation> wanted = taking(effect);
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto operation = static_cast<Operation>(i);
    const std::string why = refusal({.operation = operation, .effect = effect});
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

TEST(Plan, HasANameForEverything) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < operation_count; ++i) names.insert(to_text(static_cast<Operation>(i)));
  EXPECT_EQ(names.size(), operation_count);
  EXPECT_EQ(to_text(Operation::initialize), "initialize");
  EXPECT_EQ(to_text(Operation::copy), "copy");
  EXPECT_EQ(to_text(Operation::end_capture), "end_capture");
  EXPECT_EQ(to_text(Operation::error_text), "error_text");
  EXPECT_EQ(to_text(Effect::hide_sticky_errors), "hide_sticky_errors");
  EXPECT_EQ(to_text(static_cast<Operation>(operation_count)), "(no operation)");
}

TEST(Plan, RefusesRulesThatCouldNotWork) {
  EXPECT_NE(refusal({.operation = fill, .effect = Effect::drop, .first = 0}), "");
  EXPECT_NE(refusal({.operation = fill, .effect = Effect::fail, .status = device::Status::success}), "");
  EXPECT_NE(refusal({.operation = fill, .effect = Effect::lose_device, .status = device::Status::success}), "");
  EXPECT_NE(refusal({.operation = static_cast<Operation>(operation_count), .effect = Effect::hang}), "");
  EXPECT_NE(refusal({.operation = fill, .effect = static_cast<Effect>(effect_count)}), "");
}

TEST(Plan, IsCheckedWhenInjected) {
  EXPECT_THROW(static_cast<void>(inject(nullptr, Plan{{{error_text, Effect::fail}}})), Error);
}

}  // namespace
}  // namespace gpucheck::fault
