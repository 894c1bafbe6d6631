#include "device/forwarding/operations.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string_view>

#include "device/forwarding/forwarding_device.hpp"
#include "device/tests/units/recording_device.hpp"

namespace gpucheck::device {
namespace {

TEST(Operations, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < operation_count; ++i) names.insert(to_text(static_cast<Operation>(i)));
  EXPECT_EQ(names.size(), operation_count);
  EXPECT_FALSE(names.contains("(no operation)"));
}

TEST(Operations, AreNamedAsTheirEnumerators) {
  EXPECT_EQ(to_text(Operation::initialize), "initialize");
  EXPECT_EQ(to_text(Operation::copy), "copy");
  EXPECT_EQ(to_text(Operation::query_event), "query_event");
  EXPECT_EQ(to_text(Operation::error_text), "error_text");
  EXPECT_EQ(to_text(static_cast<Operation>(operation_count)), "(no operation)");
}

TEST(Operations, CoverTheMethodsThatCountAsAnother) {
  RecordingDevice device;
  static_cast<void>(device.synchronize());
  static_cast<void>(device.synchronize(Stream{}));
  static_cast<void>(device.synchronize(Event{}));
  EXPECT_EQ(device.calls(Operation::synchronize), 3U);
  static_cast<void>(device.last_error());
  static_cast<void>(device.peek_last_error());
  EXPECT_EQ(device.calls(Operation::last_error), 2U);
}

TEST(ForwardingDevice, PassesEveryCallOnAsItself) {
  for (const AnyCall& call : every_call()) {
    auto recording = std::make_unique<RecordingDevice>();
    const RecordingDevice& inner = *recording;
    inner.answer_with(Status::not_supported);
    ForwardingDevice outer(std::move(recording));
    EXPECT_EQ(call.make(outer), call.gives_status ? Status::not_supported : Status::success) << to_text(call.operation);
    EXPECT_EQ(inner.calls(call.operation), 1U) << to_text(call.operation);
    EXPECT_EQ(inner.all_calls(), 1U) << to_text(call.operation);
  }
}

}  // namespace
}  // namespace gpucheck::device
