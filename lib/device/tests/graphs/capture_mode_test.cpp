#include <thread>

#include "device/tests/suites.hpp"

// cudaThreadExchangeStreamCaptureMode and the modes of cudaStreamBeginCapture: which
// "potentially unsafe API calls", such as cudaMalloc, are rejected, and to whom.
namespace gpucheck::device::contract {
namespace {

/// A potentially unsafe call: allocates, and frees what it got.
Status unsafe_call(Device& device) {
  const auto pointer = device.allocate(1024);
  return pointer.has_value() ? device.free(*pointer) : pointer.error();
}

template <typename Call>
auto in_other_thread(const Call& call) {
  decltype(call()) result{};
  std::jthread([&] { result = call(); }).join();
  return result;
}

/// Ends a capture that went well and one that did not; true for the first.
bool ends_well(Device& device, Stream stream) {
  const auto graph = device.end_capture(stream);
  return graph.has_value() && device.destroy_graph(*graph) == Status::success;
}

TEST_P(CaptureModes, GlobalRejectsUnsafeCallsOfTheCapturingThread) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  EXPECT_EQ(unsafe_call(device()), Status::stream_capture_unsupported);
  EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::invalidated);
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
}

TEST_P(CaptureModes, GlobalRejectsUnsafeCallsOfOtherThreads) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  EXPECT_EQ(in_other_thread([&] { return unsafe_call(device()); }), Status::stream_capture_unsupported);
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
}

TEST_P(CaptureModes, ThreadLocalRejectsUnsafeCallsOfTheCapturingThread) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::thread_local_), "begin_capture");
  EXPECT_EQ(unsafe_call(device()), Status::stream_capture_unsupported);
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
}

// "Global: ... or if any other thread has a concurrent capture sequence initiated with
// cudaStreamCaptureModeGlobal": a thread-local capture is not a concern of other threads.
TEST_P(CaptureModes, ThreadLocalLeavesOtherThreadsAlone) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::thread_local_), "begin_capture");
  EXPECT_EQ(in_other_thread([&] { return unsafe_call(device()); }), Status::success);
  EXPECT_TRUE(ends_well(device(), stream.get()));
}

TEST_P(CaptureModes, RelaxedRejectsNobody) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(unsafe_call(device()), Status::success);
  EXPECT_EQ(in_other_thread([&] { return unsafe_call(device()); }), Status::success);
  EXPECT_TRUE(ends_well(device(), stream.get()));
}

// What a mode forbids are potentially unsafe calls: work for other streams is none.
TEST_P(CaptureModes, OtherStreamsTakeWorkInEveryMode) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    const auto capturing = make_stream();
    const auto other = make_stream();
    const auto third = make_stream();
    const auto event = make_event();
    const auto read_back = make_event();
    const auto array = make_array<std::uint8_t>(1000);
    const auto pinned = make_pinned<std::uint8_t>(1000);
    check(device().begin_capture(capturing.get(), mode), "begin_capture");
    const auto feed = [&] {
      EXPECT_EQ(device().wait(other.get(), read_back.get()), Status::success);
      EXPECT_EQ(device().fill(array.data(), 1, array.bytes(), other.get()), Status::success);
      EXPECT_EQ(device::launch(device(), kernels::AddScalar<std::uint8_t>{array.data(), array.data(), 1}, array.size(),
                               other.get()),
                Status::success);
      EXPECT_EQ(device().record(event.get(), other.get()), Status::success);
      EXPECT_EQ(device().wait(third.get(), event.get()), Status::success);
      EXPECT_EQ(device().copy(pinned.data(), array.data(), array.bytes(), CopyKind::device_to_host, third.get()),
                Status::success);
      EXPECT_EQ(device().host_callback(
                    third.get(), [](void*) {}, nullptr),
                Status::success);
      EXPECT_EQ(device().record(read_back.get(), third.get()), Status::success);
    };
    feed();
    std::jthread(feed).join();
    EXPECT_EQ(device().capture_info(capturing.get()).value().status, CaptureStatus::active);
    EXPECT_TRUE(ends_well(device(), capturing.get()));
    EXPECT_EQ(device().synchronize(), Status::success);
    EXPECT_EQ(pinned.span()[999], 2);
  }
}

TEST_P(CaptureModes, AThreadBeginsInGlobalMode) {
  const auto previous = in_other_thread([&] { return device().exchange_capture_mode(CaptureMode::relaxed).value(); });
  EXPECT_EQ(previous, CaptureMode::global);
}

TEST_P(CaptureModes, ExchangeReturnsThePreviousMode) {
  const auto modes = in_other_thread([&] {
    const CaptureMode first = device().exchange_capture_mode(CaptureMode::relaxed).value();
    const CaptureMode second = device().exchange_capture_mode(CaptureMode::thread_local_).value();
    const CaptureMode third = device().exchange_capture_mode(first).value();
    return std::vector{second, third};
  });
  EXPECT_EQ(modes, (std::vector{CaptureMode::relaxed, CaptureMode::thread_local_}));
}

TEST_P(CaptureModes, TheModeIsTheThreadsOwn) {
  check(status_of(device().exchange_capture_mode(CaptureMode::relaxed)), "exchange_capture_mode");
  const auto of_other = in_other_thread([&] { return device().exchange_capture_mode(CaptureMode::global).value(); });
  EXPECT_EQ(of_other, CaptureMode::global);
  EXPECT_EQ(device().exchange_capture_mode(CaptureMode::global).value(), CaptureMode::relaxed);
}

// "Relaxed: The local thread is not prohibited from potentially unsafe API calls."
TEST_P(CaptureModes, ARelaxedThreadMayAllocateDuringItsGlobalCapture) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  const CaptureMode previous = device().exchange_capture_mode(CaptureMode::relaxed).value();
  EXPECT_EQ(unsafe_call(device()), Status::success);
  check(status_of(device().exchange_capture_mode(previous)), "exchange_capture_mode");
  EXPECT_TRUE(ends_well(device(), stream.get()));
}

// "ThreadLocal: ... Concurrent capture sequences in other threads are ignored."
TEST_P(CaptureModes, AThreadLocalThreadIgnoresTheGlobalCapturesOfOthers) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  const Status seen = in_other_thread([&] {
    check(status_of(device().exchange_capture_mode(CaptureMode::thread_local_)), "exchange_capture_mode");
    return unsafe_call(device());
  });
  EXPECT_EQ(seen, Status::success);
  EXPECT_TRUE(ends_well(device(), stream.get()));
}

// cudaErrorStreamCaptureWrongThread: "A stream capture sequence not initiated with the
// cudaStreamCaptureModeRelaxed argument ... was passed to cudaStreamEndCapture in a
// different thread."
TEST_P(CaptureModes, OnlyTheThreadThatBeganMayEndAThreadLocalCapture) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::thread_local_), "begin_capture");
  EXPECT_EQ(in_other_thread([&] { return status_of(device().end_capture(stream.get())); }),
            Status::stream_capture_wrong_thread);
  static_cast<void>(ends_well(device(), stream.get()));
  EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::none);
}

TEST_P(CaptureModes, OnlyTheThreadThatBeganMayEndAGlobalCapture) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  EXPECT_EQ(in_other_thread([&] { return status_of(device().end_capture(stream.get())); }),
            Status::stream_capture_wrong_thread);
  static_cast<void>(ends_well(device(), stream.get()));
  EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::none);
}

TEST_P(CaptureModes, AnyThreadMayEndARelaxedCapture) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  spin(stream.get());
  EXPECT_TRUE(in_other_thread([&] { return ends_well(device(), stream.get()); }));
}

}  // namespace
}  // namespace gpucheck::device::contract
