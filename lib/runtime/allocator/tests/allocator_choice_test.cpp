#include "runtime/settings/allocator_choice.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "runtime/runtime.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using Kind = AllocatorChoice::Kind;

TEST(AllocatorChoiceText, NamesTheBackends) {
  EXPECT_EQ(parse_allocator_choice("caching").kind, Kind::caching);
  EXPECT_EQ(parse_allocator_choice("async").kind, Kind::async);
  const AllocatorChoice mine = parse_allocator_choice("./mine.so");
  EXPECT_EQ(mine.kind, Kind::library);
  EXPECT_EQ(mine.library, "./mine.so");
  EXPECT_EQ(mine.allocate_symbol, "my_malloc");
  EXPECT_EQ(mine.free_symbol, "my_free");
  const AllocatorChoice named = parse_allocator_choice("/opt/libmine.so.2:take,give");
  EXPECT_EQ(named.library, "/opt/libmine.so.2");
  EXPECT_EQ(named.allocate_symbol, "take");
  EXPECT_EQ(named.free_symbol, "give");
}

TEST(AllocatorChoiceText, ReadsBackWhatItWrites) {
  for (const char* text : {"caching", "async", "mine.so", "./dir/mine.so:a,b"}) {
    EXPECT_EQ(to_text(parse_allocator_choice(text)), text);
  }
}

TEST(AllocatorChoiceText, RejectsTheRest) {
  for (const char* text : {"", "native", "Caching", "mine", "mine.so:", "mine.so:a", "mine.so:a,", "mine.so:,b"}) {
    EXPECT_THROW(static_cast<void>(parse_allocator_choice(text)), UsageError) << text;
  }
}

TEST(AllocatorChoiceRuntime, GivesTheAllocatorThatWasChosen) {
  Simulated machine;
  EXPECT_EQ(machine.runtime().allocator().name(), "native");
  Runtime async(machine.device(), parse_allocator_choice("async"));
  EXPECT_EQ(async.allocator().name(), "cudaMallocAsync");
  EXPECT_THROW(static_cast<void>(async.caching_allocator()), UnsupportedError);
  EXPECT_THROW(static_cast<void>(async.pluggable_library()), UnsupportedError);
  EXPECT_THROW(Runtime(machine.device(), parse_allocator_choice("/nowhere/mine.so")), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::runtime::test
