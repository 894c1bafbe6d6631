#include <stdexcept>

#include "device/tests/suites.hpp"

// NVTX: nvtxMarkA, nvtxRangePushA, nvtxRangePop, nvtxRangeStartA, nvtxRangeEnd.
namespace gpucheck::device::contract {
namespace {

using Kind = RangeEvent::Kind;

TEST_P(Ranges, AreHeardInTheirOrder) {
  const auto heard = driver().hear_ranges([&] {
    driver().begin_range("outer");
    driver().begin_range("inner");
    driver().mark("now");
    driver().end_range();
    driver().end_range();
  });
  if (!heard) GTEST_SKIP() << "no tool of this process can listen";
  EXPECT_EQ(*heard, (std::vector<RangeEvent>{{.kind = Kind::push, .name = "outer"},
                                             {.kind = Kind::push, .name = "inner"},
                                             {.kind = Kind::mark, .name = "now"},
                                             {.kind = Kind::pop},
                                             {.kind = Kind::pop}}));
}

TEST_P(Ranges, ThatAnyThreadEndsAreKnownByNumber) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const auto heard = driver().hear_ranges([&] {
    first = driver().start_range("first");
    second = driver().start_range("second");
    driver().finish_range(first);
    driver().finish_range(second);
  });
  if (!heard) GTEST_SKIP() << "no tool of this process can listen";
  EXPECT_NE(first, second);
  EXPECT_EQ(*heard, (std::vector<RangeEvent>{{.kind = Kind::start, .name = "first", .range = first},
                                             {.kind = Kind::start, .name = "second", .range = second},
                                             {.kind = Kind::end, .range = first},
                                             {.kind = Kind::end, .range = second}}));
}

TEST_P(Ranges, AreHeardOnlyMeanwhile) {
  driver().mark("before");
  EXPECT_THROW(static_cast<void>(driver().hear_ranges([&] {
                 driver().mark("lost");
                 throw std::runtime_error("in the middle");
               })),
               std::runtime_error);
  driver().mark("between");
  const auto heard = driver().hear_ranges([&] { driver().mark("meanwhile"); });
  if (!heard) GTEST_SKIP() << "no tool of this process can listen";
  EXPECT_EQ(*heard, (std::vector<RangeEvent>{{.kind = Kind::mark, .name = "meanwhile"}}));
}

}  // namespace
}  // namespace gpucheck::device::contract
