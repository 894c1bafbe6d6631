#include "device/fault/common_plans.hpp"

#include <gtest/gtest.h>

namespace gpucheck::fault {
namespace {

TEST(CommonPlans, NameTheCallsTheyBreak) {
  const Plan second = kernel_lost(nth_call(2));
  ASSERT_EQ(second.rules.size(), 1U);
  EXPECT_EQ(second.rules[0].operation, Operation::launch_kernel);
  EXPECT_EQ(second.rules[0].effect, Effect::drop);
  EXPECT_EQ(second.rules[0].first, 2U);
  EXPECT_EQ(second.rules[0].times, 1U);

  const Plan from_third = copy_flips_bit(from_call(3));
  EXPECT_EQ(from_third.rules.at(0).first, 3U);
  EXPECT_EQ(from_third.rules.at(0).times, 0U);  // all that follow

  EXPECT_EQ(free_lost(every_call).rules.at(0).first, 1U);
  EXPECT_EQ(free_lost(every_call).rules.at(0).times, 0U);
}

TEST(CommonPlans, FailWithTheStatusThatFits) {
  EXPECT_EQ(allocation_fails(every_call).rules.at(0).status, device::Status::out_of_memory);
  EXPECT_EQ(failing(Operation::copy, device::Status::invalid_value, every_call).rules.at(0).status,
            device::Status::invalid_value);
}

TEST(CommonPlans, CanAllBeCarriedOut) {
  for (const auto make : {allocation_fails, allocation_lost, memory_allocated_twice, memory_misaligned, free_lost,
                          memory_info_fails, registration_lost, registration_fails, unregistration_lost,
                          pinned_memory_unknown, kernel_lost, kernel_flips_bit, copy_lost, copy_flips_bit, replay_lost,
                          event_completes_early, event_never_recorded, stream_seems_idle, synchronize_returns_early}) {
    EXPECT_NO_THROW(check(make(every_call)));
  }
  EXPECT_NO_THROW(check(sticky_errors_hidden()));
}

}  // namespace
}  // namespace gpucheck::fault
