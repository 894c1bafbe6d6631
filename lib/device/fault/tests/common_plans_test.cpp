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
  for (const auto make : {allocation_fails,
                          allocation_lost,
                          memory_allocated_twice,
                          memory_misaligned,
                          free_lost,
                          memory_info_fails,
                          registration_lost,
                          registration_fails,
                          unregistration_lost,
                          pinned_memory_unknown,
                          kernel_lost,
                          address_line_aliased,
                          copy_lost,
                          copy_flips_bit,
                          replay_lost,
                          slow_multiprocessor,
                          wrong_multiprocessor,
                          product_fails,
                          product_lost,
                          product_flips_bit,
                          product_flips_low_bit,
                          product_not_finite,
                          event_completes_early,
                          event_never_recorded,
                          stream_seems_idle,
                          synchronize_returns_early}) {
    EXPECT_NO_THROW(check(make(every_call)));
  }
  EXPECT_NO_THROW(check(sticky_errors_hidden()));
  const Place last_byte{.from = Place::From::end};
  EXPECT_NO_THROW(check(kernel_flips_bit(every_call, last_byte)));
  EXPECT_NO_THROW(check(bit_stuck(every_call, last_byte)));
  EXPECT_NO_THROW(check(copy_delayed(every_call, std::chrono::milliseconds(1))));
  EXPECT_NO_THROW(check(product_delayed(every_call, std::chrono::milliseconds(1))));
}

TEST(CommonPlans, SayWhereABitIsBroken) {
  const Place ninth{.from = Place::From::start, .offset = 8};
  EXPECT_EQ(kernel_flips_bit(every_call, ninth).rules.at(0).place.offset, 8U);
  EXPECT_EQ(bit_stuck(every_call, ninth).rules.at(0).place.from, Place::From::start);
  EXPECT_EQ(kernel_flips_bit(every_call).rules.at(0).place.from, Place::From::middle);
}

}  // namespace
}  // namespace gpucheck::fault
