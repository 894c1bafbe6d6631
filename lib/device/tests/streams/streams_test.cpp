#include <set>
#include <thread>

#include "device/tests/suites.hpp"

// Streams: order within, waits across, queries, priorities, life time.
namespace gpucheck::device::contract {
namespace {

TEST_P(Streams, WorkInOneStreamRunsInOrder) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(large_size);
  run(kernels::Fill<std::int32_t>{array.data(), 0}, large_size, stream.get());
  for (std::int32_t i = 0; i < 50; ++i) {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, large_size, stream.get());
  }
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(large_size, 50));
}

TEST_P(Streams, AnIdleStreamIsReady) {
  const auto stream = make_stream();
  EXPECT_EQ(device().query(stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(Streams, ABusyStreamIsNotReadyUntilSynchronized) {
  const auto stream = make_stream();
  spin(stream.get());
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::success);
}

TEST_P(Streams, PollingSeesTheEnd) {
  const auto stream = make_stream();
  spin(stream.get(), std::chrono::milliseconds(5));
  EXPECT_EQ(ask_until_ready([&] { return device().query(stream.get()); }), Status::success);
}

TEST_P(Streams, SynchronizingOneDoesNotWaitForAnother) {
  const auto slow = make_stream();
  const auto quick = make_stream();
  spin(slow.get());
  spin(quick.get(), std::chrono::milliseconds(1));
  EXPECT_EQ(device().synchronize(quick.get()), Status::success);
  EXPECT_EQ(device().query(slow.get()), Status::not_ready);
  synchronize(slow.get());
}

TEST_P(Streams, SynchronizingTheDeviceWaitsForAll) {
  const auto blocking = make_stream(StreamKind::blocking);
  const auto non_blocking = make_stream();
  spin(blocking.get());
  spin(non_blocking.get());
  EXPECT_EQ(device().synchronize(), Status::success);
  EXPECT_EQ(device().query(blocking.get()), Status::success);
  EXPECT_EQ(device().query(non_blocking.get()), Status::success);
}

TEST_P(Streams, AWaitOrdersWorkBehindAnotherStream) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto filled = make_event();
  const auto array = make_array<std::int32_t>(large_size);
  spin(first.get());
  run(kernels::Fill<std::int32_t>{array.data(), 7}, large_size, first.get());
  record(filled, first.get());
  wait(second.get(), filled);
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, large_size, second.get());
  EXPECT_EQ(read(array, second.get()), std::vector<std::int32_t>(large_size, 8));
}

TEST_P(Streams, AWaitDoesNotHoldTheHost) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto event = make_event();
  spin(first.get());
  record(event, first.get());
  wait(second.get(), event);
  EXPECT_EQ(device().query(second.get()), Status::not_ready);
  EXPECT_EQ(device().query(first.get()), Status::not_ready);
  synchronize(second.get());
  EXPECT_EQ(device().query(first.get()), Status::success);
}

TEST_P(Streams, WorkGivenBeforeAWaitIsNotHeldByIt) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto end_of_first = make_event();
  const auto before_the_wait = make_event();
  spin(first.get());
  record(end_of_first, first.get());
  spin(second.get(), std::chrono::milliseconds(1));
  record(before_the_wait, second.get());
  wait(second.get(), end_of_first);
  EXPECT_EQ(device().synchronize(before_the_wait.get()), Status::success);
  EXPECT_EQ(device().query(first.get()), Status::not_ready);
  synchronize(second.get());
}

// cudaEventRecord: before the first record an event is an empty set of work.
TEST_P(Streams, AWaitForAnEventNeverRecordedIsANoOp) {
  const auto stream = make_stream();
  const auto event = make_event();
  EXPECT_EQ(device().wait(stream.get(), event.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

// cudaStreamWaitEvent uses the state captured last at the time of the call and is not
// affected by later records.
TEST_P(Streams, AWaitIsForTheRecordBeforeIt) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto event = make_event();
  spin(first.get(), std::chrono::milliseconds(1));
  record(event, first.get());
  wait(second.get(), event);
  spin(first.get());
  record(event, first.get());
  EXPECT_EQ(device().synchronize(second.get()), Status::success);
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  synchronize(first.get());
}

TEST_P(Streams, AWaitInItsOwnStreamChangesNothing) {
  const auto stream = make_stream();
  const auto event = make_event();
  const auto array = make_array<std::int32_t>(large_size);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, large_size, stream.get());
  record(event, stream.get());
  wait(stream.get(), event);
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, large_size, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(large_size, 2));
}

// cudaStreamDestroy returns immediately; the work is still done.
TEST_P(Streams, DestroyingABusyStreamNeitherWaitsNorDropsWork) {
  const auto array = make_array<std::int32_t>(large_size);
  const auto filled = make_event();
  auto stream = make_stream();
  spin(stream.get());
  run(kernels::Fill<std::int32_t>{array.data(), 3}, large_size, stream.get());
  record(filled, stream.get());
  EXPECT_EQ(device().destroy_stream(stream.release()), Status::success);
  EXPECT_EQ(device().query(filled.get()), Status::not_ready);
  const auto other = make_stream();
  wait(other.get(), filled);
  EXPECT_EQ(read(array, other.get()), std::vector<std::int32_t>(large_size, 3));
}

TEST_P(Streams, EachHasItsOwnHandleAndNoneIsTheDefault) {
  std::vector<UniqueStream> streams;
  std::set<Stream> handles;
  for (int i = 0; i < 64; ++i) {
    streams.push_back(make_stream());
    handles.insert(streams.back().get());
  }
  EXPECT_EQ(handles.size(), 64U);
  EXPECT_FALSE(handles.contains(legacy_default_stream));
}

// cudaStreamCreateWithPriority clamps a priority outside the range.
TEST_P(Streams, PrioritiesOutsideTheRangeAreClamped) {
  const int greatest = device().properties().greatest_priority;
  for (const int priority : {greatest - 100, greatest, 0, 100}) {
    const auto stream = make_stream(StreamKind::non_blocking, priority);
    const auto array = make_array<std::int32_t>(large_size);
    run(kernels::Fill<std::int32_t>{array.data(), priority}, large_size, stream.get());
    EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(large_size, priority));
  }
}

TEST_P(Streams, SeveralThreadsMayFeedOneStream) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(large_size);
  run(kernels::Fill<std::int32_t>{array.data(), 0}, large_size, stream.get());
  const auto feed = [&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(device::launch(device(), kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, large_size,
                               stream.get()),
                Status::success);
    }
  };
  std::vector<std::jthread> threads(4);
  for (std::jthread& thread : threads) thread = std::jthread(feed);
  threads.clear();
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(large_size, 80));
}

TEST_P(Streams, AnotherThreadMaySynchronize) {
  const auto stream = make_stream();
  spin(stream.get());
  std::jthread([&] { EXPECT_EQ(device().synchronize(stream.get()), Status::success); }).join();
  EXPECT_EQ(device().query(stream.get()), Status::success);
}

}  // namespace
}  // namespace gpucheck::device::contract
