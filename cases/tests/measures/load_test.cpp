#include <gtest/gtest.h>

#include "cases/shared/gemm_support.hpp"
#include "cases/shared/slowdown_support.hpp"
#include "cases/stress/support.hpp"
#include "cases/tests/run_case.hpp"
#include "device/fault/common_plans.hpp"

// What the cases of products report: times and wrong elements: under load, one type at a time, and on each
// multiprocessor.
namespace gpucheck::cases::test_of_load {
namespace {

using fault::Operation;
using std::chrono::milliseconds;

/// Matrices of 64 rows and columns, on the simulated device.
constexpr double operations = 2.0 * 64 * 64 * 64;

double tflops(double ms) { return operations / ms / 1e9; }

fault::Plan& operator+=(fault::Plan& plan, const fault::Plan& more) {
  plan.rules.insert(plan.rules.end(), more.rules.begin(), more.rules.end());
  return plan;
}

// -- products of one type -----------------------------------------------------------------------------

Seen products(const char* name, const fault::Plan& plan, std::int64_t launches = 20) {
  return run_case(case_named(name), {.parameters = {{"launches", launches}}, .plan = plan});
}

/// The first product is for its digest, the second is not timed; then 20 are.
TEST(ProductsOfAType, AreTimedByTheirMeanAndTheirTwentieths) {
  fault::Plan plan = fault::product_delayed(fault::nth_call(3), milliseconds(100));
  plan += fault::product_delayed(fault::nth_call(4), milliseconds(50));
  plan += fault::product_delayed(fault::nth_call(5), milliseconds(1));
  plan += fault::product_delayed(fault::from_call(1), milliseconds(2));
  const Seen seen = products("gemm.fp32", plan);
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_EQ(seen.number("timed_launches"), 20);
  EXPECT_NEAR(seen.real("slowest_twentieth_tflops"), tflops(50), tflops(50) * 0.13) << "the slowest one does not count";
  EXPECT_NEAR(seen.real("fastest_twentieth_tflops"), tflops(2), tflops(2) * 0.13) << "nor does the fastest";
  const double mean_ms = (100 + 50 + 1 + 17 * 2) / 20.0;
  EXPECT_NEAR(seen.real("mean_tflops"), tflops(mean_ms), tflops(mean_ms) * 0.13);
  EXPECT_EQ(seen.number("size"), 64);
  EXPECT_EQ(seen.number("distinct_digests"), 1);
}

TEST(ProductsOfAType, OfIntegersAreCountedInOtherOperations) {
  const Seen seen = products("gemm.int8", fault::product_delayed(fault::every_call, milliseconds(10)));
  EXPECT_NEAR(seen.real("mean_tops"), tflops(10), tflops(10) * 0.13);
  EXPECT_NEAR(seen.real("slowest_twentieth_tops"), tflops(10), tflops(10) * 0.13);
  EXPECT_EQ(seen.values.count("mean_tflops"), 0U);
  EXPECT_EQ(seen.values.count("not_a_number_elements"), 0U) << "which no integer is";
}

TEST(ProductsOfAType, OfWhichTheFirstAndTheLastAreNotTheSameAreDistinct) {
  EXPECT_EQ(products("gemm.bf16", fault::product_flips_low_bit(fault::nth_call(1))).number("distinct_digests"), 2);
  EXPECT_EQ(products("gemm.bf16", fault::product_flips_low_bit(fault::nth_call(22))).number("distinct_digests"), 2);
  EXPECT_EQ(products("gemm.bf16", fault::product_flips_low_bit(fault::nth_call(21))).number("distinct_digests"), 1);
}

/// Behind those is the known one.
TEST(ProductsOfAType, ThatAreKnownAreComparedElementByElement) {
  for (const char* name : {"gemm.fp64", "gemm.fp32", "gemm.tf32", "gemm.fp16", "gemm.bf16", "gemm.fp8_e4m3",
                           "gemm.fp8_e5m2", "gemm.int8"}) {
    const Seen seen = products(name, fault::product_flips_low_bit(fault::nth_call(23)));
    ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
    EXPECT_EQ(seen.number("wrong_elements"), 1) << name;
    EXPECT_EQ(seen.number("unchecked_elements"), 0) << name;
    EXPECT_EQ(seen.texts("wrong_places").size(), 2U) << name;
    EXPECT_EQ(seen.number("distinct_digests"), 1) << name;
    EXPECT_EQ(products(name, fault::product_flips_low_bit(fault::nth_call(24))).number("wrong_elements"), 0)
        << name << " has one known product at this size";
  }
}

TEST(ProductsOfAType, ThatAreNotFiniteAreCountedApart) {
  const Seen seen = products("gemm.fp16", fault::product_not_finite(fault::nth_call(23)));
  EXPECT_EQ(seen.number("wrong_elements"), 2);
  EXPECT_EQ(seen.number("not_a_number_elements"), 1);
  EXPECT_EQ(seen.number("infinite_elements"), 1);
}

TEST(ProductsOfAType, OfAnotherSizeAreOfWholeSteps) {
  const auto size = [](std::int64_t asked) {
    return run_case(case_named("gemm.int8"), {.parameters = {{"size", asked}, {"launches", std::int64_t{1}}}})
        .number("size");
  };
  EXPECT_EQ(size(32), 32);
  EXPECT_EQ(size(33), 48);
  EXPECT_EQ(size(48), 48);
}

/// What `size_of` makes of the parameter on a GPU.
Seen size_on_gpu(std::int64_t asked) {
  static const harness::Case sized = [] {
    harness::Case made;
    made.name = "test.size";
    made.parameters = {in_gemm::size_parameter()};
    made.run = [](harness::Context& context) { context.observe("size", in_gemm::size_of(context)); };
    return made;
  }();
  return run_case(sized, {.parameters = {{"size", asked}}, .as_gpu = true});
}

TEST(ProductsOfAType, OfAGpuAreLargeEnoughToBeJudged) {
  EXPECT_EQ(size_on_gpu(0).number("size"), 8192);
  EXPECT_EQ(size_on_gpu(4096).number("size"), 4096);
  EXPECT_EQ(size_on_gpu(65536).number("size"), 65536);
  EXPECT_EQ(size_on_gpu(4095).execution.status, harness::Execution::Status::error);
}

TEST(Multiprocessors, TheWrongAndTheSlowOneAreNamed) {
  const auto seen = [](const fault::Plan& plan) {
    return run_case(case_named("gemm.by_multiprocessor"), {.plan = plan});
  };
  const std::vector<std::int64_t> none;
  const std::vector<std::string> types{"fp32", "fp64", "int32"};
  for (std::uint64_t call = 1; call <= 3; ++call) {
    const Seen wrong = seen(fault::wrong_multiprocessor(fault::nth_call(call)));
    const Seen slow = seen(fault::slow_multiprocessor(fault::nth_call(call)));
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool is_it = i + 1 == call;
      EXPECT_EQ(wrong.numbers(types[i] + "_wrong_multiprocessors"), is_it ? std::vector<std::int64_t>{1} : none);
      EXPECT_EQ(wrong.number(types[i] + "_wrong_elements") > 0, is_it);
      EXPECT_EQ(wrong.number(types[i] + "_untested_multiprocessors"), 0);
      EXPECT_EQ(slow.numbers(types[i] + "_slow_multiprocessors"), is_it ? std::vector<std::int64_t>{1} : none);
      EXPECT_EQ(slow.real(types[i] + "_slowest_share") > 2, is_it) << types[i];
      EXPECT_NEAR(slow.real(types[i] + "_median_us"), 1, 0.01) << "a round of the simulated device";
    }
  }
}

/// An even number of rounds would leave nothing in the sums.
TEST(Multiprocessors, MultiplyAnOddNumberOfTimes) {
  const auto median_us = [](std::int64_t rounds) {
    const Seen seen = run_case(case_named("gemm.by_multiprocessor"), {.parameters = {{"rounds", rounds}}});
    EXPECT_EQ(seen.number("fp64_wrong_elements"), 0) << rounds;
    return seen.real("fp64_median_us");
  };
  EXPECT_NEAR(median_us(1), 1, 0.01);
  EXPECT_NEAR(median_us(2), 3, 0.01);
  EXPECT_NEAR(median_us(3), 3, 0.01);
}

// -- load ---------------------------------------------------------------------------------------------

/// Twenty-four products and what their checks found.
Seen load_of_24(const fault::Plan& plan) {
  static const harness::Case load = [] {
    harness::Case made = case_named("stress.burn");
    made.name = "test.load";
    made.run = [](harness::Context& context) {
      in_stress::Load work(context, context.runtime().current_stream());
      work.add(24);
      work.observe(context);
      context.observe("products", work.products());
      context.observe("operations", harness::Value(work.operations()));
    };
    return made;
  }();
  return run_case(load, {.plan = plan});
}

/// The first product is the one that others are compared with; of those that follow each eighth is a known one.
TEST(Load, ChecksEachProduct) {
  const Seen fine = load_of_24({});
  ASSERT_TRUE(fine.is_completed()) << fine.execution.reason;
  EXPECT_EQ(fine.number("products"), 24);
  EXPECT_EQ(fine.number("checked_products"), 24);
  EXPECT_EQ(fine.number("unchecked_products"), 0);
  EXPECT_EQ(fine.real("operations"), operations);
  for (std::uint64_t call = 2; call <= 25; ++call) {
    const Seen wrong = load_of_24(fault::product_flips_low_bit(fault::nth_call(call)));
    const bool is_known = call == 9 || call == 17 || call == 25;
    EXPECT_EQ(wrong.number("wrong_elements"), is_known ? 1 : 0) << call;
    EXPECT_EQ(wrong.number("different_products"), is_known ? 0 : 1) << call;
    EXPECT_EQ(wrong.texts("wrong_places").size(), is_known ? 2U : 0U) << call;
  }
}

TEST(Load, OfAProductThatIsWrongAtFirstAllOthersDiffer) {
  EXPECT_EQ(load_of_24(fault::product_flips_low_bit(fault::nth_call(1))).number("different_products"), 21);
}

/// Products of a millisecond each, in batches of 16: another batch is under way while one is waited for.
TEST(Burn, LastsUntilABatchEndsBeyondTheTimeAskedFor) {
  const auto seen = [](double seconds) {
    return run_case(case_named("stress.burn"), healthy_gpus(1), nullptr, {{"seconds", seconds}},
                    fault::product_delayed(fault::every_call, milliseconds(1)));
  };
  const Seen two = seen(0.02);
  ASSERT_TRUE(two.is_completed()) << two.execution.reason;
  EXPECT_NEAR(two.real("held_seconds"), 0.034, 0.003);
  EXPECT_NEAR(two.real("held_share"), two.real("held_seconds") / 0.02, 1e-9);
  EXPECT_EQ(two.number("checked_products"), 48);
  EXPECT_EQ(two.number("unchecked_products"), 0);
  EXPECT_NEAR(two.real("mean_tflops"), tflops(1), tflops(1) * 0.13);
  EXPECT_EQ(seen(0.01).number("checked_products"), 32);
  EXPECT_EQ(seen(0.055).number("checked_products"), 80) << "the fourth of them ends beyond it";
}

Seen pulse(const fault::Plan& plan) {
  return run_case(case_named("stress.pulse"),
                  {.parameters = {{"period_ms", 20.0}, {"pulses", std::int64_t{3}}}, .plan = plan});
}

TEST(Pulse, IsHalfLoadAndHalfRest) {
  const Seen seen = pulse(fault::product_delayed(fault::every_call, milliseconds(2)));
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_EQ(seen.number("pulses"), 3);
  EXPECT_EQ(seen.number("pulses_without_load"), 0);
  EXPECT_EQ(seen.number("pulses_without_rest"), 0);
  EXPECT_NEAR(seen.real("period_ms"), 21, 2);
  EXPECT_NEAR(seen.real("load_share"), 0.5, 0.04);
  EXPECT_EQ(seen.number("checked_products"), 8 + 3 * 5) << "eight by which their time is known";
}

/// Nine products are made before the first pulse, which is of ten milliseconds each half.
TEST(Pulse, WithoutHalfOfItsLoadOrRestIsNone) {
  const auto of_load = [](milliseconds each) {
    fault::Plan plan = fault::product_delayed({1, 9}, milliseconds(10));
    plan += fault::product_delayed(fault::from_call(10), each);
    return pulse(plan);
  };
  EXPECT_EQ(of_load(milliseconds(4)).number("pulses_without_load"), 3);
  EXPECT_EQ(of_load(milliseconds(4)).number("pulses"), 0);
  EXPECT_EQ(of_load(milliseconds(4)).number("pulses_without_rest"), 0);
  EXPECT_NEAR(of_load(milliseconds(4)).real("load_share"), 4.0 / 14, 0.04);
  EXPECT_EQ(of_load(milliseconds(5)).number("pulses"), 3) << "half of it";
}

// -- slowdowns ----------------------------------------------------------------------------------------

TEST(Burn, TellsHowLongTheClocksWereHeldDown) {
  telemetry::Machine machine = healthy_gpus(1);
  machine.gpus[0][telemetry::Reading::clock_event_reasons] = telemetry::clock_event::hardware_slowdown;
  const Seen seen = run_case(case_named("stress.burn"), machine, nullptr, {{"max_slowdown_percent", 40.0}});
  EXPECT_EQ(seen.real("hardware_slowdown_percent"), 100);
  EXPECT_EQ(seen.real("hardware_slowdown_over_limit_percent"), 60);
  EXPECT_EQ(seen.real("power_brake_over_limit_percent"), 0);
}

}  // namespace
}  // namespace gpucheck::cases::test_of_load
