#include <thread>

#include "device/tests/suites.hpp"

// cudaEventRecord, cudaEventQuery, cudaEventSynchronize, cudaEventDestroy.
namespace gpucheck::device::contract {
namespace {

// cudaEventRecord: before the first call an event is an empty set of work, so
// cudaEventQuery returns cudaSuccess.
TEST_P(Events, NeverRecordedAreComplete) {
  const auto event = make_event();
  EXPECT_EQ(device().query(event.get()), Status::success);
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
}

TEST_P(Events, AreNotReadyBeforeTheWorkAndReadyAfterIt) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  synchronize(stream.get());
  EXPECT_EQ(device().query(event.get()), Status::success);
}

TEST_P(Events, SynchronizingWaitsForTheWork) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
  EXPECT_EQ(device().query(event.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::success);
}

TEST_P(Events, InAnIdleStreamCompleteByThemselves) {
  const auto stream = make_stream();
  const auto event = make_event();
  record(event, stream.get());
  EXPECT_EQ(ask_until_ready([&] { return device().query(event.get()); }), Status::success);
}

TEST_P(Events, CoverOnlyTheWorkBeforeTheRecord) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get(), std::chrono::milliseconds(1));
  record(event, stream.get());
  spin(stream.get());
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  synchronize(stream.get());
}

TEST_P(Events, RecordedAgainForgetTheFirstRecord) {
  const auto stream = make_stream();
  const auto event = make_event();
  record(event, stream.get());
  synchronize(stream.get());
  ASSERT_EQ(device().query(event.get()), Status::success);
  spin(stream.get());
  record(event, stream.get());
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  synchronize(stream.get());
}

TEST_P(Events, RecordedInAnotherStreamFollowThatOne) {
  const auto slow = make_stream();
  const auto idle = make_stream();
  const auto event = make_event();
  spin(slow.get());
  record(event, slow.get());
  record(event, idle.get());
  EXPECT_EQ(device().synchronize(event.get()), Status::success);
  EXPECT_EQ(device().query(slow.get()), Status::not_ready);
  synchronize(slow.get());
}

// cudaEventDestroy: an event may be destroyed before it is complete; the call does not
// block.
TEST_P(Events, DestroyedBeforeCompletionDoNotBlock) {
  const auto stream = make_stream();
  auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  EXPECT_EQ(device().destroy_event(event.release()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  synchronize(stream.get());
}

TEST_P(Events, DestroyedAfterAWaitStillHoldTheWaiter) {
  constexpr std::size_t size = 100000;
  const auto first = make_stream();
  const auto second = make_stream();
  auto event = make_event();
  const auto array = make_array<std::int32_t>(size);
  spin(first.get());
  run(kernels::Fill<std::int32_t>{array.data(), 1}, size, first.get());
  record(event, first.get());
  wait(second.get(), event);
  event.reset();
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, size, second.get());
  EXPECT_EQ(read(array, second.get()), std::vector<std::int32_t>(size, 2));
}

TEST_P(Events, SeveralStreamsMayWaitForOne) {
  const auto source = make_stream();
  const auto event = make_event();
  std::vector<UniqueStream> waiters;
  waiters.reserve(4);
  for (int i = 0; i < 4; ++i) waiters.push_back(make_stream());
  spin(source.get());
  record(event, source.get());
  for (const UniqueStream& waiter : waiters) wait(waiter.get(), event);
  for (const UniqueStream& waiter : waiters) EXPECT_EQ(device().query(waiter.get()), Status::not_ready);
  synchronize(source.get());
  for (const UniqueStream& waiter : waiters) EXPECT_EQ(device().synchronize(waiter.get()), Status::success);
}

TEST_P(Events, AnotherThreadMaySynchronize) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  std::jthread([&] { EXPECT_EQ(device().synchronize(event.get()), Status::success); }).join();
  EXPECT_EQ(device().query(event.get()), Status::success);
}

TEST_P(Events, OfEveryKindCoverWorkAndAreWaitedFor) {
  const auto stream = make_stream();
  for (const EventKind kind :
       {EventKind::blocking, EventKind::blocking | EventKind::no_timing, EventKind::interprocess | EventKind::no_timing,
        EventKind::interprocess | EventKind::no_timing | EventKind::blocking}) {
    const auto event = make_event(kind);
    spin(stream.get());
    record(event, stream.get());
    EXPECT_EQ(device().query(event.get()), Status::not_ready);
    EXPECT_EQ(device().synchronize(event.get()), Status::success);
    EXPECT_EQ(device().query(event.get()), Status::success);
    EXPECT_EQ(device().query(stream.get()), Status::success);
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
