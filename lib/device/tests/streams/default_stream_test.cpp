#include "device/tests/suites.hpp"

// The legacy default stream; runtime API reference, "Stream synchronization behavior":
// it waits for all blocking streams, and all blocking streams wait for it.
namespace gpucheck::device::contract {
namespace {

TEST_P(DefaultStream, RunsWork) {
  const auto array = make_array<std::int32_t>(large_size);
  run(kernels::Fill<std::int32_t>{array.data(), 4}, large_size, device().default_stream());
  EXPECT_EQ(read(array, device().default_stream()), std::vector<std::int32_t>(large_size, 4));
}

TEST_P(DefaultStream, WaitsForBlockingStreams) {
  const auto blocking = make_stream(StreamKind::blocking);
  const auto event = make_event();
  spin(blocking.get());
  spin(legacy_default_stream, std::chrono::milliseconds(1));
  record(event, legacy_default_stream);
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
  EXPECT_EQ(device().query(blocking.get()), Status::success);
}

TEST_P(DefaultStream, IsWaitedForByBlockingStreams) {
  const auto blocking = make_stream(StreamKind::blocking);
  const auto event = make_event();
  spin(legacy_default_stream);
  record(event, legacy_default_stream);
  spin(blocking.get(), std::chrono::milliseconds(1));
  EXPECT_EQ(device().synchronize(blocking.get()), Status::success);
  EXPECT_EQ(device().query(event.get()), Status::success);
}

TEST_P(DefaultStream, DoesNotWaitForNonBlockingStreams) {
  const auto non_blocking = make_stream(StreamKind::non_blocking);
  spin(non_blocking.get());
  spin(legacy_default_stream, std::chrono::milliseconds(1));
  EXPECT_EQ(device().synchronize(legacy_default_stream), Status::success);
  EXPECT_EQ(device().query(non_blocking.get()), Status::not_ready);
  synchronize(non_blocking.get());
}

TEST_P(DefaultStream, IsNotWaitedForByNonBlockingStreams) {
  const auto non_blocking = make_stream(StreamKind::non_blocking);
  const auto event = make_event();
  spin(legacy_default_stream);
  record(event, legacy_default_stream);
  spin(non_blocking.get(), std::chrono::milliseconds(1));
  EXPECT_EQ(device().synchronize(non_blocking.get()), Status::success);
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  synchronize(legacy_default_stream);
}

TEST_P(DefaultStream, JoinsTwoBlockingStreamsWithoutAnEvent) {
  const auto first = make_stream(StreamKind::blocking);
  const auto second = make_stream(StreamKind::blocking);
  const auto array = make_array<std::int32_t>(large_size);
  spin(first.get());
  run(kernels::Fill<std::int32_t>{array.data(), 1}, large_size, first.get());
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 10}, large_size, legacy_default_stream);
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 100}, large_size, second.get());
  EXPECT_EQ(read(array, second.get()), std::vector<std::int32_t>(large_size, 111));
}

TEST_P(DefaultStream, LeavesTwoBlockingStreamsUnorderedOtherwise) {
  const auto slow = make_stream(StreamKind::blocking);
  const auto quick = make_stream(StreamKind::blocking);
  spin(slow.get());
  spin(quick.get(), std::chrono::milliseconds(1));
  EXPECT_EQ(device().synchronize(quick.get()), Status::success);
  EXPECT_EQ(device().query(slow.get()), Status::not_ready);
  synchronize(slow.get());
}

// cudaEventRecord, note on the default stream: what is captured includes the work of
// blocking streams that came before.
TEST_P(DefaultStream, AnEventRecordedInItCoversBlockingStreams) {
  const auto blocking = make_stream(StreamKind::blocking);
  const auto event = make_event();
  spin(blocking.get());
  record(event, legacy_default_stream);
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
  EXPECT_EQ(device().query(blocking.get()), Status::success);
}

TEST_P(DefaultStream, CanWaitForANonBlockingStreamByEvent) {
  const auto non_blocking = make_stream();
  const auto filled = make_event();
  const auto array = make_array<std::int32_t>(large_size);
  spin(non_blocking.get());
  run(kernels::Fill<std::int32_t>{array.data(), 6}, large_size, non_blocking.get());
  record(filled, non_blocking.get());
  wait(legacy_default_stream, filled);
  EXPECT_EQ(read(array, legacy_default_stream), std::vector<std::int32_t>(large_size, 6));
}

}  // namespace
}  // namespace gpucheck::device::contract
