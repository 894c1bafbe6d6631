#include "observe/history/history_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::observe {
namespace {

using testing::HasSubstr;
using testing::Property;
using testing::Throws;

auto rejected(const char* phrase) { return Throws<UsageError>(Property(&UsageError::what, HasSubstr(phrase))); }

TEST(HistoryOptions, TakesPyTorchsWords) {
  EXPECT_EQ(parse_recording(std::nullopt), Recording::off);
  EXPECT_EQ(parse_recording("state"), Recording::state);
  EXPECT_EQ(parse_recording("all"), Recording::all);
  EXPECT_EQ(parse_context(std::nullopt), ContextLevel::none);
  EXPECT_EQ(parse_context("state"), ContextLevel::state);
  EXPECT_EQ(parse_context("alloc"), ContextLevel::alloc);
  EXPECT_EQ(parse_context("all"), ContextLevel::all);
  EXPECT_EQ(parse_stacks("python"), StackKind::brief);
  EXPECT_EQ(parse_stacks("all"), StackKind::full);
  using enum runtime::MemoryAction;
  EXPECT_EQ(parse_skip_actions({"alloc", "oom"}), (std::vector{alloc, oom}));
}

TEST(HistoryOptions, RejectsOthersInPyTorchsWords) {
  EXPECT_THAT([] { static_cast<void>(parse_recording("none")); }, rejected("expected state to be"));
  EXPECT_THAT([] { static_cast<void>(parse_context("python")); }, rejected("expected context to be"));
  EXPECT_THAT([] { static_cast<void>(parse_stacks("")); }, rejected("expected stacks to be"));
  EXPECT_THAT([] { static_cast<void>(parse_skip_actions({"segment_map"})); }, rejected("segment_map"));
  EXPECT_THAT([] { static_cast<void>(parse_skip_actions({"snapshot"})); }, rejected("expected skip_actions to be"));
}

}  // namespace
}  // namespace gpucheck::observe
