#include "runner/process/output.hpp"

#include <array>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gpucheck::runner {
namespace {

TEST(Tail, KeepsTheEnd) {
  Tail tail;
  for (int i = 0; i < 100'000; ++i) tail.append("line " + std::to_string(i) + "\n");
  const std::string kept = tail.take();
  EXPECT_EQ(kept.size(), Tail::limit);
  EXPECT_TRUE(kept.ends_with("line 99998\nline 99999\n"));
  EXPECT_EQ(tail.take(), "");
  tail.append(std::string(Tail::limit * 3, 'a') + "z");
  EXPECT_EQ(tail.take(), std::string(Tail::limit - 1, 'a') + "z");
}

TEST(ReadAvailable, TakesWhatIsThereAndSaysWhy) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  std::string seen;
  const auto take = [&seen](std::string_view bytes) { seen += bytes; };
  EXPECT_EQ(read_available(ends[0], 100, take), ReadState::open);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  EXPECT_EQ(read_available(ends[0], 100, take), ReadState::open);
  ASSERT_EQ(::write(ends[1], "defgh", 5), 5);
  EXPECT_EQ(read_available(ends[0], 5, take), ReadState::more);
  ::close(ends[1]);
  EXPECT_EQ(read_available(ends[0], 100, take), ReadState::closed);
  EXPECT_EQ(seen, "abcdefgh");
  ::close(ends[0]);
}

}  // namespace
}  // namespace gpucheck::runner
