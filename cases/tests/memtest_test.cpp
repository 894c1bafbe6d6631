#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

#include "base/text/units.hpp"
#include "cases/memtest/support.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"

// What memory tests do besides what their cases show: memory beyond 4 GiB, and little of it.
namespace gpucheck::cases::in_memtest {
namespace {

using namespace literals;
namespace kernels = device::kernels;
using kernels::OwnAddress;
using kernels::RandomWords;
using kernels::TwoWords;

/// A simulated device with a runtime, under a plan.
struct Machine {
  explicit Machine(std::string_view profile, const fault::Plan& plan = {})
      : driver(fault::inject(sim::make_driver({.profile = sim::profile(profile)}), plan)) {}

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
};

/// Vectors of `memory` from a byte on.
TestedMemory window(const TestedMemory& memory, std::uint64_t from_byte, std::uint64_t bytes) {
  const std::uint64_t from = from_byte / sizeof(TwoWords);
  return {.data = memory.data + from, .vectors = bytes / sizeof(TwoWords), .first = memory.first + from};
}

// Memory is the host's where it is touched: at the start, around 4 GiB and at the end.
TEST(Memtest, FindsAStuckBitInTheLastByteBeyond4GiB) {
  const fault::Place last_byte{.from = fault::Place::From::end};
  Machine machine("h100", fault::bit_stuck(fault::nth_call(2), last_byte));
  Passes passes(machine.runtime, {}, 4);
  const HeldMemory held(*machine.device, 5_GiB);
  ASSERT_EQ(held.stretches().size(), 1U);
  const TestedMemory& whole = held.stretches().front();
  const std::vector windows{window(whole, 0, 64_KiB), window(whole, 4_GiB - 32_KiB, 64_KiB),
                            window(whole, 5_GiB - 64_KiB, 64_KiB)};
  passes.invert(windows, OwnAddress{});
  passes.invert(windows, RandomWords{kernels::PhiloxKeys(1)});
  const Findings findings = passes.finish();
  EXPECT_EQ(findings.compared_bytes, std::vector<std::uint64_t>(4, 3 * 64_KiB));
  EXPECT_EQ(findings.log.mismatches, 2U) << "in each pattern or its complement";
  const std::uint64_t last_word = reinterpret_cast<std::uintptr_t>(whole.data) + 5_GiB - 8;
  for (const std::size_t place : {0U, 1U}) {
    const kernels::MemoryMismatch& mismatch = findings.log.records[place];
    EXPECT_EQ(mismatch.address, last_word);
    EXPECT_EQ(mismatch.expected ^ mismatch.seen, std::uint64_t{0x40} << 56);
    EXPECT_EQ(mismatch.seen_again, mismatch.seen);
    EXPECT_NE(to_text(mismatch, held.stretches()).find("offset 0x13ffffff8,"), std::string::npos);
  }
  EXPECT_EQ(findings.log.flipped[62], 2U);
}

/// One invocation of a kernel, as if all others ran too.
template <typename Kernel>
void invoke(const Kernel& kernel, std::size_t index, std::size_t count) {
  kernel(kernels::Thread{{}, index, count});
}

// A kernel's own arithmetic: one invocation whose vectors are the last ones of 6 GiB.
TEST(Memtest, KernelsCountVectorsWith64Bits) {
  Machine machine("h100");
  const HeldMemory held(*machine.device, 6_GiB);
  const TestedMemory& whole = held.stretches().front();
  const std::size_t count = whole.vectors / kernels::memtest_loads;  // each takes one turn
  const RandomWords pattern{kernels::PhiloxKeys(2)};
  invoke(kernels::WritePattern<RandomWords>{whole, pattern}, count - 1, count);
  const auto* const last = whole.data + (whole.vectors - 1);
  const TwoWords expected = pattern.at(6_GiB / sizeof(TwoWords) - 1, 0);
  EXPECT_EQ(last->lanes[0], expected.lanes[0]);
  EXPECT_EQ(last->lanes[1], expected.lanes[1]);

  const auto log = std::make_unique<kernels::MismatchLog>();
  kernels::SpreadCounter compared;
  const kernels::VerifyPattern<RandomWords> verify{whole, pattern, as_it_is, 0, log.get(), &compared};
  invoke(verify, count - 1, count);
  EXPECT_EQ(log->mismatches, 0U);
  whole.data[whole.vectors - 1].lanes[1] ^= 1;
  invoke(verify, count - 1, count);
  EXPECT_EQ(compared.total(), 2 * kernels::memtest_loads * sizeof(TwoWords));
  EXPECT_EQ(log->mismatches, 1U);
  EXPECT_EQ(log->records[0].address, reinterpret_cast<std::uintptr_t>(last) + 8);
}

TEST(Memtest, TestedIsWhatEveryPassHasCompared) {
  EXPECT_EQ(bytes_tested(std::vector<std::uint64_t>{100, 60, 100}), 60U);
  EXPECT_EQ(bytes_tested({}), 0U);
}

TEST(Memtest, TakesMemoryInAsFewPiecesAsItGets) {
  Machine machine("small");
  EXPECT_EQ(HeldMemory(*machine.device, 100_MiB).stretches().size(), 1U);
  const std::uint64_t free_bytes = machine.device->memory_info().value().free_bytes;
  const HeldMemory all(*machine.device, free_bytes + 64_MiB);
  EXPECT_GE(all.bytes(), free_bytes - 2_MiB);
  EXPECT_LE(all.bytes(), free_bytes);
  EXPECT_LE(all.stretches().size(), 10U);
  std::uint64_t next = 0;
  for (const TestedMemory& stretch : all.stretches()) {
    EXPECT_EQ(stretch.first, next) << "one pattern goes through all pieces";
    next += stretch.vectors;
  }
  EXPECT_EQ(next * sizeof(TwoWords), all.bytes());
  EXPECT_EQ(machine.device->last_error(), device::Status::success);
}

TEST(Memtest, TakesNothingWhereThereIsNothing) {
  Machine machine("small", fault::allocation_fails(fault::every_call));
  EXPECT_EQ(HeldMemory(*machine.device, 1_MiB).bytes(), 0U);
  EXPECT_EQ(HeldMemory(*machine.device, 4_KiB - 1).bytes(), 0U);
}

TEST(Memtest, PassesOnAnErrorThatIsNoLackOfMemory) {
  using fault::Operation;
  Machine machine("small", fault::failing(Operation::allocate, device::Status::launch_failure, fault::every_call));
  EXPECT_THROW(HeldMemory(*machine.device, 1_MiB), device::DeviceError);
}

// The same wrong bit in two words that are equal when all is well.
TEST(Memtest, FindsNeighboursThatAreWrongAlike) {
  Machine machine("small");
  Passes passes(machine.runtime, {}, 1);
  const HeldMemory held(*machine.device, 64_KiB);
  passes.write(held.stretches(), kernels::NumberedBlocks{5});
  ASSERT_EQ(machine.device->synchronize(), device::Status::success);
  TwoWords& pair = held.stretches().front().data[8];
  ASSERT_EQ(pair.lanes[0], pair.lanes[1]);
  pair.lanes[0] ^= 16;
  pair.lanes[1] ^= 16;
  passes.verify(held.stretches(), kernels::NumberedBlocks{5}, as_it_is);
  EXPECT_EQ(passes.finish().log.mismatches, 2U);
}

TEST(Memtest, MeasuresWhatPassesMove) {
  Machine machine("small");
  Passes passes(machine.runtime, {}, 2);
  const HeldMemory held(*machine.device, 1_MiB);
  passes.invert(held.stretches(), kernels::RepeatedWord{1});
  const Findings findings = passes.finish();
  EXPECT_EQ(findings.write.bytes, 1_MiB);
  EXPECT_EQ(findings.verify.bytes, 1_MiB);
  EXPECT_EQ(findings.replace.bytes, 2_MiB) << "read and written";
  EXPECT_GT(findings.replace.ms, 0);
  EXPECT_DOUBLE_EQ(findings.replace.gbps(), 2 * 1048576.0 / (findings.replace.ms * 1e6));
  EXPECT_EQ(Traffic{}.gbps(), 0);
}

/// What so many passes that write the same memory move.
Traffic written(int passes_made) {
  Machine machine("small");
  Passes passes(machine.runtime, {}, 1);
  const HeldMemory held(*machine.device, 1_MiB);
  for (int i = 0; i < passes_made; ++i) passes.write(held.stretches(), kernels::RepeatedWord{1});
  return passes.finish().write;
}

TEST(Memtest, AddsUpPassesOfOneKind) {
  EXPECT_EQ(written(0).bytes, 0U);
  EXPECT_EQ(written(0).ms, 0);
  EXPECT_EQ(written(3).bytes, 3_MiB);
  EXPECT_GT(written(3).ms, 1.5 * written(1).ms) << "the simulated device varies what operations take by less";
}

// Two stretches of one piece of memory, with a gap between them: offsets count without the gap.
TEST(Memtest, TellsAMismatchInOneLine) {
  Machine machine("small");
  const HeldMemory held(*machine.device, 64_KiB);
  const TestedMemory& whole = held.stretches().front();
  const std::vector windows{window(whole, 0, 32_KiB), window(whole, 48_KiB, 16_KiB)};
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(whole.data);
  kernels::MemoryMismatch mismatch{};
  mismatch.expected = 1;
  mismatch.seen = 3;
  mismatch.seen_again = 1;
  mismatch.pass = 2;
  mismatch.multiprocessor = 7;
  const auto text = [&](std::uint64_t place) {
    mismatch.address = begin + place;
    return to_text(mismatch, windows);
  };
  const auto expected = [&](std::string_view offset, std::uint64_t place, std::string_view multiprocessor) {
    return fmt::format(
        "offset {}, address {:#x}: expected 0x0000000000000001, seen 0x0000000000000003 (differs in 0x2), then "
        "0x0000000000000001, pass 3, multiprocessor {}",
        offset, begin + place, multiprocessor);
  };
  EXPECT_EQ(text(0), expected("0x0", 0, "7"));
  EXPECT_EQ(text(32_KiB - 8), expected("0x7ff8", 32_KiB - 8, "7"));
  EXPECT_EQ(text(48_KiB), expected("0x8000", 48_KiB, "7"));
  EXPECT_EQ(text(64_KiB - 8), expected("0xbff8", 64_KiB - 8, "7"));
  mismatch.multiprocessor = kernels::Invocation::no_multiprocessor;
  EXPECT_EQ(text(8), expected("0x8", 8, "unknown"));
}

TEST(Memtest, RefusesMorePassesThanItHasCountersFor) {
  Machine machine("small");
  Passes passes(machine.runtime, {}, 1);
  const HeldMemory held(*machine.device, 64_KiB);
  passes.verify(held.stretches(), kernels::RepeatedWord{0}, as_it_is);
  EXPECT_THROW(passes.verify(held.stretches(), kernels::RepeatedWord{0}, as_it_is), Error);
}

}  // namespace
}  // namespace gpucheck::cases::in_memtest
