#include "device/tests/suites.hpp"

// cudaEventRecordWithFlags with cudaEventRecordExternal, cudaStreamWaitEvent with
// cudaEventWaitExternal: an event is captured "as an external event node".
namespace gpucheck::device::contract {
namespace {

TEST_P(ExternalEvents, AreRecordedByEachLaunchAndNotByTheCapture) {
  const auto stream = make_stream();
  const auto event = make_event();
  const auto executable = instantiate(capture(stream.get(), [&] {
    spin(stream.get());
    check(device().record_external(event.get(), stream.get()), "record_external");
  }));
  EXPECT_EQ(device().query(event.get()), Status::success) << "it was never recorded";
  for (int i = 0; i < 2; ++i) {
    launch(executable, stream.get());
    EXPECT_EQ(device().query(event.get()), Status::not_ready);
    EXPECT_EQ(device().synchronize(event.get()), Status::success);
    EXPECT_EQ(device().query(event.get()), Status::success);
  }
  synchronize(stream.get());
}

TEST_P(ExternalEvents, TimeWhatALaunchDoes) {
  const auto stream = make_stream();
  const auto start = make_event(EventKind::timing);
  const auto stop = make_event(EventKind::timing);
  const auto executable = instantiate(capture(stream.get(), [&] {
    check(device().record_external(start.get(), stream.get()), "record_external");
    spin(stream.get(), std::chrono::milliseconds(20));
    check(device().record_external(stop.get(), stream.get()), "record_external");
  }));
  EXPECT_EQ(status_of(device().elapsed_ms(start.get(), stop.get())), Status::invalid_resource_handle);
  launch(executable, stream.get());
  synchronize(stream.get());
  const float elapsed = device().elapsed_ms(start.get(), stop.get()).value();
  EXPECT_GE(elapsed, 19.99F);
  EXPECT_LT(elapsed, 200.0F);
}

TEST_P(ExternalEvents, ALaunchWaitsForWhatTheEventCoversThen) {
  constexpr std::size_t size = 100000;
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto event = make_event();
  const auto array = make_array<std::int32_t>(size);
  const auto executable = instantiate(capture(stream.get(), [&] {
    check(device().wait_external(stream.get(), event.get()), "wait_external");
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, size, stream.get());
  }));
  for (const int value : {1, 5}) {
    spin(other.get());
    run(kernels::Fill<std::int32_t>{array.data(), value}, size, other.get());
    record(event, other.get());
    launch(executable, stream.get());
    EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(size, value + 1));
  }
}

TEST_P(ExternalEvents, AStreamOutsideTheGraphWaitsForOneRecordedInIt) {
  constexpr std::size_t size = 100000;
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto event = make_event();
  const auto array = make_array<std::int32_t>(size);
  const auto executable = instantiate(capture(stream.get(), [&] {
    spin(stream.get());
    run(kernels::Fill<std::int32_t>{array.data(), 1}, size, stream.get());
    check(device().record_external(event.get(), stream.get()), "record_external");
  }));
  launch(executable, stream.get());
  wait(other.get(), event);
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, size, other.get());
  EXPECT_EQ(read(array, other.get()), std::vector<std::int32_t>(size, 2));
}

TEST_P(ExternalEvents, TieNoOtherStreamToTheCapture) {
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto event = make_event();
  static_cast<void>(capture(stream.get(), [&] {
    check(device().record_external(event.get(), stream.get()), "record_external");
    EXPECT_EQ(device().wait(other.get(), event.get()), Status::success);
    EXPECT_EQ(device().capture_info(other.get()).value().status, CaptureStatus::none);
  }));
}

TEST_P(ExternalEvents, AreNodes) {
  const auto stream = make_stream();
  const auto event = make_event();
  const auto graph = capture(stream.get(), [&] {
    check(device().record_external(event.get(), stream.get()), "record_external");
    check(device().wait_external(stream.get(), event.get()), "wait_external");
  });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].kind, NodeKind::event_record);
  EXPECT_EQ(nodes[1].kind, NodeKind::event_wait);
  EXPECT_EQ(nodes[1].dependencies, std::vector<std::size_t>{0});
  launch(instantiate(graph), stream.get());
  synchronize(stream.get());
}

TEST_P(ExternalEvents, OutsideACaptureAreRejected) {
  const auto stream = make_stream();
  const auto event = make_event();
  EXPECT_EQ(device().record_external(event.get(), stream.get()), Status::illegal_state);
  EXPECT_EQ(device().wait_external(stream.get(), event.get()), Status::illegal_state);
  static_cast<void>(device().last_error());
}

}  // namespace
}  // namespace gpucheck::device::contract
