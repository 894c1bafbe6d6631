#include "base/unique_handle.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace gpucheck {
namespace {

struct Recorder {
  std::vector<int> destroyed;
};

struct RecorderTraits {
  using Owner = Recorder;
  using Handle = int;
  static void destroy(Recorder& recorder, int handle) noexcept { recorder.destroyed.push_back(handle); }
};

using Owned = unique_handle<RecorderTraits>;

TEST(UniqueHandle, DestroysOnceAtTheEndOfItsScope) {
  Recorder recorder;
  { const Owned owned(recorder, 7); }
  EXPECT_EQ(recorder.destroyed, std::vector<int>{7});
}

TEST(UniqueHandle, EmptyDestroysNothing) {
  const Owned owned;
  EXPECT_FALSE(owned);
}

TEST(UniqueHandle, MoveConstructionHandsTheDutyOver) {
  Recorder recorder;
  {
    Owned first(recorder, 1);
    const Owned second(std::move(first));
    EXPECT_TRUE(second);
  }
  EXPECT_EQ(recorder.destroyed, std::vector<int>{1});
}

TEST(UniqueHandle, MoveAssignmentDestroysWhatWasHeld) {
  Recorder recorder;
  Owned first(recorder, 1);
  Owned second(recorder, 2);
  second = std::move(first);
  EXPECT_EQ(recorder.destroyed, std::vector<int>{2});
  EXPECT_EQ(second.get(), 1);
}

TEST(UniqueHandle, ReleaseGivesUpWithoutDestroying) {
  Recorder recorder;
  {
    Owned owned(recorder, 3);
    EXPECT_EQ(owned.release(), 3);
  }
  EXPECT_TRUE(recorder.destroyed.empty());
}

}  // namespace
}  // namespace gpucheck
