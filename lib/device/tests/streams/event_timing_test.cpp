#include "device/tests/suites.hpp"

// cudaEventElapsedTime.
namespace gpucheck::device::contract {
namespace {

constexpr auto timing = EventKind::timing;

TEST_P(EventTiming, MeasuresTheWorkBetweenTwoEvents) {
  const auto stream = make_stream();
  const auto start = make_event(timing);
  const auto stop = make_event(timing);
  record(start, stream.get());
  spin(stream.get(), std::chrono::milliseconds(20));
  record(stop, stream.get());
  synchronize(stream.get());
  const float elapsed = device().elapsed_ms(start.get(), stop.get()).value();
  // The device's nanosecond clock may tick as rarely as once a microsecond.
  EXPECT_GE(elapsed, 19.99F);
  EXPECT_LT(elapsed, 200.0F);
}

TEST_P(EventTiming, AddsUp) {
  const auto stream = make_stream();
  std::vector<UniqueEvent> marks;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) spin(stream.get(), std::chrono::milliseconds(5));
    marks.push_back(make_event(timing));
    record(marks.back(), stream.get());
  }
  synchronize(stream.get());
  const auto between = [&](std::size_t from, std::size_t to) {
    return device().elapsed_ms(marks[from].get(), marks[to].get()).value();
  };
  EXPECT_NEAR(between(0, 1) + between(1, 2), between(0, 2), 0.01);
}

TEST_P(EventTiming, OfAnEventAndItselfIsZero) {
  const auto stream = make_stream();
  const auto event = make_event(timing);
  record(event, stream.get());
  synchronize(stream.get());
  EXPECT_EQ(device().elapsed_ms(event.get(), event.get()).value(), 0.0F);
}

TEST_P(EventTiming, WorksAcrossStreams) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto start = make_event(timing);
  const auto stop = make_event(timing);
  record(start, first.get());
  wait(second.get(), start);
  spin(second.get(), std::chrono::milliseconds(10));
  record(stop, second.get());
  synchronize(second.get());
  EXPECT_GE(device().elapsed_ms(start.get(), stop.get()).value(), 9.99F);
}

TEST_P(EventTiming, OfAnEventNeverRecordedIsRejected) {
  const auto stream = make_stream();
  const auto recorded = make_event(timing);
  const auto never = make_event(timing);
  record(recorded, stream.get());
  synchronize(stream.get());
  EXPECT_EQ(status_of(device().elapsed_ms(never.get(), recorded.get())), Status::invalid_resource_handle);
  EXPECT_EQ(status_of(device().elapsed_ms(recorded.get(), never.get())), Status::invalid_resource_handle);
}

TEST_P(EventTiming, BeforeCompletionIsNotReady) {
  const auto stream = make_stream();
  const auto start = make_event(timing);
  const auto stop = make_event(timing);
  record(start, stream.get());
  spin(stream.get());
  record(stop, stream.get());
  EXPECT_EQ(status_of(device().elapsed_ms(start.get(), stop.get())), Status::not_ready);
  synchronize(stream.get());
  EXPECT_EQ(status_of(device().elapsed_ms(start.get(), stop.get())), Status::success);
}

TEST_P(EventTiming, OfEventsCreatedWithoutTimingIsRejected) {
  const auto stream = make_stream();
  const auto timed = make_event(timing);
  const auto untimed = make_event(EventKind::no_timing);
  record(timed, stream.get());
  record(untimed, stream.get());
  synchronize(stream.get());
  EXPECT_EQ(status_of(device().elapsed_ms(timed.get(), untimed.get())), Status::invalid_resource_handle);
  EXPECT_EQ(status_of(device().elapsed_ms(untimed.get(), timed.get())), Status::invalid_resource_handle);
}

TEST_P(EventTiming, FollowsTheLastRecord) {
  const auto stream = make_stream();
  const auto start = make_event(timing);
  const auto stop = make_event(timing);
  record(start, stream.get());
  spin(stream.get(), std::chrono::milliseconds(20));
  record(start, stream.get());
  record(stop, stream.get());
  synchronize(stream.get());
  EXPECT_LT(device().elapsed_ms(start.get(), stop.get()).value(), 15.0F);
}

TEST_P(EventTiming, IsWithoutEffectOnTheWayToWait) {
  const auto stream = make_stream();
  const auto start = make_event(timing | EventKind::blocking);
  const auto stop = make_event(timing);
  record(start, stream.get());
  spin(stream.get(), std::chrono::milliseconds(10));
  record(stop, stream.get());
  synchronize(stream.get());
  EXPECT_GE(device().elapsed_ms(start.get(), stop.get()).value(), 9.99F);
}

TEST_P(EventTiming, IsNotToldToOtherProcesses) {
  EXPECT_EQ(status_of(device().create_event(timing | EventKind::interprocess)), Status::invalid_value);
  EXPECT_EQ(status_of(device().create_event(timing | EventKind::interprocess | EventKind::blocking)),
            Status::invalid_value);
  static_cast<void>(device().last_error());
}

}  // namespace
}  // namespace gpucheck::device::contract
