#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>

#include "cases/alloc/async/async_support.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "cases/pinned/host_register_support.hpp"
#include "cases/rng/support.hpp"
#include "cases/support.hpp"
#include "cases/tests/run_case.hpp"
#include "cases/thrown.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"

// Small things that cases compare and count with.
namespace gpucheck::cases::test_of_small_support {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Machine {
  explicit Machine(const fault::Plan& plan = {})
      : driver(fault::inject(sim::make_driver({.profile = sim::profile("small")}), plan)) {}
  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
};

// -- random numbers -----------------------------------------------------------------------------------

TEST(Distinct, NumbersAreSortedAndCountedOnce) {
  using Numbers = std::vector<std::uint64_t>;
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(in_rng::distinct({}), IsEmpty());
  EXPECT_THAT(in_rng::distinct({7}), ElementsAre(7));
  EXPECT_THAT(in_rng::distinct({3, 1, 3, 2, 1}), ElementsAre(1, 2, 3));
  // They differ in one digit of 16 bits each, in either order.
  const Numbers ascending{0, 1, 65'535, 65'536, std::uint64_t{1} << 32, std::uint64_t{1} << 48, greatest - 1, greatest};
  EXPECT_EQ(in_rng::distinct(ascending), ascending);
  Numbers descending(ascending.rbegin(), ascending.rend());
  descending.insert(descending.end(), ascending.begin(), ascending.end());
  EXPECT_EQ(in_rng::distinct(descending), ascending);
}

TEST(Differing, ElementsAreThoseWhoseBitsDiffer) {
  using Floats = std::vector<float>;
  const float nan = std::nanf("");
  EXPECT_EQ(in_rng::differing(Floats{1, 2, nan}, Floats{1, 2, nan}), 0);
  EXPECT_EQ(in_rng::differing(Floats{0.0F}, Floats{-0.0F}), 1);
  EXPECT_EQ(in_rng::differing(Floats{1, 2, 3}, Floats{1, 5, 4}), 2);
  EXPECT_EQ(in_rng::differing(Floats{1, 2, 3}, Floats{1}), 2) << "one that is missing differs";
  EXPECT_EQ(in_rng::differing(Floats{}, Floats{1, 2}), 2);
}

TEST(Bits, AreThoseOfTheNumbers) {
  EXPECT_THAT(in_rng::bits_of(std::vector{1.0F, -0.0F}), ElementsAre(0x3F800000U, 0x80000000U));
  EXPECT_THAT(in_rng::bits_of(std::vector{1.0}), ElementsAre(0x3FF0000000000000U));
  EXPECT_THAT(in_rng::first_of(std::vector{1.5F, 2.5F, 3.5F}, 2), ElementsAre(1.5, 2.5));
  EXPECT_THAT(in_rng::first_of(std::vector{1.5F}, 2), ElementsAre(1.5));
}

TEST(OutOfRange, AreNegativeNumbersAndThoseFromTheRangeOn) {
  EXPECT_EQ(in_rng::out_of_range({}, 3), 0);
  EXPECT_EQ(in_rng::out_of_range({0, 1, 2}, 3), 0);
  EXPECT_EQ(in_rng::out_of_range({-1, 0, 2, 3, 4}, 3), 3);
  EXPECT_EQ(in_rng::out_of_range({std::numeric_limits<std::int64_t>::min()}, 3), 1);
}

TEST(ImpossibleDraws, AreOfNoWeightOrOfNoCategory) {
  EXPECT_EQ(in_rng::impossible_draws({1, 0, 2}, {}), 0);
  EXPECT_EQ(in_rng::impossible_draws({1, 0, 2}, {0, 2, 2, 0}), 0) << "the first and the last are categories";
  EXPECT_EQ(in_rng::impossible_draws({1, 0, 2}, {0, 1, 2, 1}), 2);
  EXPECT_EQ(in_rng::impossible_draws({1, 0, 2}, {-1, 3, 4, 0}), 3);
  EXPECT_EQ(in_rng::impossible_draws({0, 1}, {0}), 1);
}

/// The numbers of the second draw are never copied: all of them are 0xA5A5... then, which is below zero.
TEST(RandomIntegers, ThatNeverArriveAreOutOfRange) {
  const harness::Case& test_case = case_named("rng.randint_large_range_no_reuse");
  const std::int64_t found =
      run_case(test_case, {.plan = fault::copy_lost(fault::nth_call(2))}).number("numbers_out_of_range");
  EXPECT_EQ(found, 1'000'000);
}

TEST(Values, AreCopiedWholeAndReadBack) {
  Machine machine;
  runtime::Runtime& runtime = machine.runtime;
  const std::vector<float> numbers{1, 2, 3, 4};
  in_rng::Buffer<float> from = in_rng::empty<float>(runtime, 4);
  in_rng::Buffer<float> to = in_rng::empty<float>(runtime, 4);
  write(runtime, from.data(), numbers, runtime.current_stream());
  in_rng::copy_values(runtime, to, from);
  EXPECT_EQ(in_rng::values_of(runtime, to), numbers);
  EXPECT_EQ(read_one(runtime, from.data() + 3, runtime.current_stream()), 4);
  EXPECT_THAT(read(runtime, from.data() + 1, 2, runtime.current_stream()), ElementsAre(2, 3));
  EXPECT_THAT(read(runtime, from.data(), 0, runtime.current_stream()), IsEmpty());
}

TEST(Read, WhatNeverArrivesIsNotMistakenForZeros) {
  Machine machine(fault::copy_lost(fault::from_call(2)));
  in_rng::Buffer<std::uint8_t> buffer = in_rng::empty<std::uint8_t>(machine.runtime, 3);
  write(machine.runtime, buffer.data(), std::vector<std::uint8_t>{1, 2, 3}, machine.runtime.current_stream());
  EXPECT_THAT(in_rng::values_of(machine.runtime, buffer), ElementsAre(0xA5, 0xA5, 0xA5));
}

// -- pinned memory ------------------------------------------------------------------------------------

TEST(CountDifferent, CountsEachElementAndWhatIsMissing) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(in_pinned::count_different(Numbers{1, 2, 3}, Numbers{1, 2, 3}), 0U);
  EXPECT_EQ(in_pinned::count_different(Numbers{1, 2, 3}, Numbers{0, 2, 4}), 2U);
  EXPECT_EQ(in_pinned::count_different(Numbers{1, 2, 3}, Numbers{1}), 2U);
  EXPECT_EQ(in_pinned::count_different(Numbers{}, Numbers{1}), 1U);
  EXPECT_EQ(in_pinned::count_different(Numbers{9}, Numbers{1, 2}), 2U);
}

TEST(IsIdle, IsAStreamWithoutWork) {
  Machine machine;
  const device::Stream stream = machine.runtime.current_stream();
  EXPECT_TRUE(in_pinned::is_idle(machine.runtime, stream));
  in_pinned::keep_busy(machine.runtime, stream);
  EXPECT_FALSE(in_pinned::is_idle(machine.runtime, stream));
  device::check(*machine.device, machine.device->synchronize(stream), "synchronize");
  EXPECT_TRUE(in_pinned::is_idle(machine.runtime, stream));
}

TEST(OnesAndAMark, AreLookedAtEach) {
  using Floats = std::vector<float>;
  EXPECT_TRUE(in_pinned::are_ones_and(Floats{1, 1, 5}, 5));
  EXPECT_TRUE(in_pinned::are_ones_and(Floats{5}, 5));
  EXPECT_TRUE(in_pinned::are_ones_and(Floats{1, 1}, 1));
  EXPECT_FALSE(in_pinned::are_ones_and(Floats{1, 1, 6}, 5)) << "another's mark";
  EXPECT_FALSE(in_pinned::are_ones_and(Floats{5, 1, 5}, 5)) << "its mark in the first place as well";
  EXPECT_FALSE(in_pinned::are_ones_and(Floats{1, 2, 5}, 5));
  EXPECT_FALSE(in_pinned::are_ones_and(Floats{1, 1}, 5));
  EXPECT_FALSE(in_pinned::are_ones_and(Floats{}, 5));
}

TEST(PinnedOnes, AreOnesAndPinnedToTheLast) {
  for (const fault::Calls unknown : {fault::Calls{9, 1}, fault::Calls{1, 1}, fault::Calls{2, 1}}) {
    Machine machine(fault::pinned_memory_unknown(unknown));
    const runtime::PinnedBuffer<float> ones = in_pinned::pinned_ones(machine.runtime, 5);
    EXPECT_THAT(ones.host_read(), ElementsAre(1, 1, 1, 1, 1));
    EXPECT_EQ(in_pinned::is_pinned_throughout(machine.runtime, ones), unknown.first == 9) << unknown.first;
  }
}

// -- streams that are held ----------------------------------------------------------------------------

TEST(HeldStream, IsDoneWhenItsWorkIs) {
  Machine machine;
  device::Device& device = *machine.device;
  const device::Stream held_one = machine.runtime.current_stream();
  const auto other =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  const in_alloc::HeldStream held(device, held_one);
  EXPECT_FALSE(held.is_done());
  EXPECT_EQ(device.last_error(), device::Status::success) << "an unfinished event leaves no error";
  in_alloc::wait_beside(device, other.get());
  EXPECT_FALSE(held.is_done()) << "2 ms of 100";
  in_alloc::order(device, held_one, other.get());
  device::check(device, device.synchronize(other.get()), "synchronize");
  EXPECT_TRUE(held.is_done()) << "the other stream came after it";
}

TEST(NotingDevice, RemembersWhereABlockWasFreedLast) {
  const std::unique_ptr<device::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  in_alloc::NotingDevice device(driver->open(0).value());
  const auto stream =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  void* const block = device.allocate_async(512, stream.get()).value();
  EXPECT_EQ(device.freed_on(block), std::nullopt);
  EXPECT_EQ(device.free_async(block, stream.get()), device::Status::success);
  EXPECT_EQ(device.freed_on(block), stream.get());
  device.fail_next_capture_mode();
  EXPECT_FALSE(device.exchange_capture_mode(device::CaptureMode::relaxed));
  EXPECT_TRUE(device.exchange_capture_mode(device::CaptureMode::relaxed)) << "once";
}

TEST(Overlaps, AreOfNeighboursThatShareBytes) {
  std::vector<std::uint8_t> memory(100);
  const auto block = [&memory](std::size_t from, std::size_t bytes) {
    return in_alloc::LibraryBlock{memory.data() + from, bytes, {}};
  };
  EXPECT_EQ(in_alloc::count_overlaps({}), 0U);
  EXPECT_EQ(in_alloc::count_overlaps({block(0, 10), block(10, 10), block(20, 5)}), 0U) << "side by side";
  EXPECT_EQ(in_alloc::count_overlaps({block(20, 10), block(0, 21)}), 1U) << "in any order";
  EXPECT_EQ(in_alloc::count_overlaps({block(0, 11), block(10, 11), block(20, 5)}), 2U);
  EXPECT_EQ(in_alloc::count_overlaps({block(5, 5), block(5, 5)}), 1U);
}

/// Bytes looked at one in `stride`, of a block of 5 bytes of which the last is wrong.
Seen tally(std::size_t stride, bool is_looked_at = true) {
  static std::size_t every = 1;
  static bool looks = true;
  every = stride;
  looks = is_looked_at;
  static const harness::Case tallied = [] {
    harness::Case made;
    made.name = "test.tally";
    made.run = [](harness::Context& context) {
      runtime::Runtime& runtime = context.runtime();
      const device::Stream stream = runtime.current_stream();
      runtime::Buffer<std::uint8_t> bytes(runtime, 5, stream);
      write(runtime, bytes.data(), std::vector<std::uint8_t>{7, 7, 7, 7, 8}, stream);
      in_alloc::ByteTally seen(runtime);
      if (looks) seen.verify({bytes.data(), 5, stream}, 7, every);
      seen.observe(context);
    };
    return made;
  }();
  return run_case(tallied);
}

TEST(ByteTally, CountsWhatItLooksAt) {
  EXPECT_EQ(tally(1).number("wrong_bytes"), 1);
  EXPECT_TRUE(tally(1).flag("every_byte_verified"));
  EXPECT_EQ(tally(4).number("wrong_bytes"), 1) << "the first and the last";
  EXPECT_TRUE(tally(4).flag("every_byte_verified"));
  EXPECT_EQ(tally(3).number("wrong_bytes"), 0) << "the first and the fourth";
  EXPECT_TRUE(tally(3).flag("every_byte_verified"));
  EXPECT_FALSE(tally(1, false).flag("every_byte_verified")) << "of nothing";
}

// -- errors -------------------------------------------------------------------------------------------

TEST(Thrown, ErrorsHaveTheirNamesInPyTorch) {
  const Thrown none = thrown_by([] {});
  EXPECT_EQ(none.type + none.text, "");
  const Thrown argument = thrown_by([] { throw UsageError("bad"); });
  EXPECT_EQ(argument.type, "ValueError");
  EXPECT_EQ(argument.text, "bad");
  EXPECT_EQ(thrown_by([] { throw Error("other"); }).type, "RuntimeError");
  EXPECT_EQ(thrown_by([] { throw EnvironmentError("other"); }).text, "other");
  EXPECT_THROW(thrown_by([] { throw std::runtime_error("not ours"); }), std::runtime_error);
  Machine machine;
  const Thrown memory = thrown_by([&machine] {
    runtime::Buffer<std::uint8_t> too_large(machine.runtime, std::size_t{1} << 40, machine.runtime.current_stream());
  });
  EXPECT_EQ(memory.type, "OutOfMemoryError");
}

TEST(ErrorText, IsOfTheExpectedExceptionAlone) {
  EXPECT_EQ(error_text<UsageError>([] {}), "");
  EXPECT_EQ(error_text<UsageError>([] { throw UsageError("bad"); }), "bad");
  EXPECT_THROW(error_text<UsageError>([] { throw EnvironmentError("other"); }), EnvironmentError);
}

TEST(Guarded, KeepsWhatWasThrown) {
  std::exception_ptr thrown;
  guarded(thrown, [] {})();
  EXPECT_EQ(thrown, nullptr);
  guarded(thrown, [] { throw Error("kept"); })();
  ASSERT_NE(thrown, nullptr);
  EXPECT_THROW(std::rethrow_exception(thrown), Error);
}

TEST(Scopes, EndWithWhatIsUsual) {
  Machine machine;
  runtime::DeviceAllocator& allocator = machine.runtime.allocator();
  const double usual = allocator.memory_fraction();
  {
    const MemoryFractionScope scope(machine.runtime, 0.25);
    EXPECT_EQ(allocator.memory_fraction(), 0.25);
  }
  EXPECT_EQ(allocator.memory_fraction(), usual);
}

Seen child_observed(const harness::ChildResult& ended) {
  static harness::ChildResult child;
  child = ended;
  static const harness::Case observed = [] {
    harness::Case made;
    made.name = "test.child";
    made.run = [](harness::Context& context) { observe_child(context, "child", child); };
    return made;
  }();
  return run_case(observed);
}

TEST(ObservedChild, IsItsExitCodeOrMinusItsSignal) {
  EXPECT_EQ(
      child_observed({.exit_code = 3, .signal = {}, .output = "", .error_output = "words"}).number("child_exit_code"),
      3);
  EXPECT_EQ(child_observed({.exit_code = {}, .signal = 6, .output = "", .error_output = ""}).number("child_exit_code"),
            -6);
  EXPECT_EQ(
      child_observed({.exit_code = 0, .signal = {}, .output = "out", .error_output = "words"}).text("child_error"),
      "words");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_small_support
