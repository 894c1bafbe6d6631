#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string_view>
#include <thread>

#include "device/sim/tests/fixture.hpp"

// What a capture forbids, to whom, and what becomes of it: every call in every mode. The words
// of cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode and the programming guide,
// "Prohibited and unhandled operations".
namespace gpucheck::sim {
namespace {

using device::CaptureMode;
using device::CaptureStatus;
using device::Device;
using device::Event;
using device::Status;
using device::Stream;
using device::StreamKind;

constexpr Stream legacy = device::legacy_default_stream;
constexpr std::array modes{CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed};

/// What calls may be about while `capturing` captures: none of it takes part.
struct Bystanders {
  explicit Bystanders(const Fixture& fixture) : capturing(fixture.stream()), other(fixture.stream()) {
    Device& device = fixture.device();
    memory = device.allocate(64).value();
    pooled = device.allocate_async(64, other).value();
    pinned = device.allocate_pinned(64).value();
    check(device.register_host(registered.get(), 64), "register_host");
    event = fixture.event();
    fixture.record(event, other);
    check(device.begin_capture(other, CaptureMode::relaxed), "begin_capture");
    graph = device.end_capture(other).value();
    check(device.synchronize(), "synchronize");
  }

  Stream capturing;
  Stream other;
  void* memory = nullptr;
  void* pooled = nullptr;
  void* pinned = nullptr;
  std::unique_ptr<std::byte[]> registered = std::make_unique<std::byte[]>(64);
  std::unique_ptr<std::byte[]> pageable = std::make_unique<std::byte[]>(64);
  Event event;
  device::Graph graph;
};

struct Call {
  std::string_view name;
  Status (*make)(Device& device, const Bystanders& things);
};

/// "Potentially unsafe API calls": they may wait or allocate.
constexpr std::array unsafe_calls{
    Call{"allocate", [](Device& device, const Bystanders&) { return status_of(device.allocate(64)); }},
    Call{"free", [](Device& device, const Bystanders& things) { return device.free(things.memory); }},
    Call{"allocate_async",
         [](Device& device, const Bystanders& things) { return status_of(device.allocate_async(64, things.other)); }},
    Call{"free_async",
         [](Device& device, const Bystanders& things) { return device.free_async(things.pooled, things.other); }},
    Call{"allocate_pinned", [](Device& device, const Bystanders&) { return status_of(device.allocate_pinned(64)); }},
    Call{"free_pinned", [](Device& device, const Bystanders& things) { return device.free_pinned(things.pinned); }},
    Call{"register_host",
         [](Device& device, const Bystanders& things) { return device.register_host(things.pageable.get(), 64); }},
    Call{"unregister_host",
         [](Device& device, const Bystanders& things) { return device.unregister_host(things.registered.get()); }},
    Call{"query a stream", [](Device& device, const Bystanders& things) { return device.query(things.other); }},
    Call{"synchronize a stream",
         [](Device& device, const Bystanders& things) { return device.synchronize(things.other); }},
    Call{"query an event", [](Device& device, const Bystanders& things) { return device.query(things.event); }},
    Call{"synchronize an event",
         [](Device& device, const Bystanders& things) { return device.synchronize(things.event); }},
    Call{"instantiate",
         [](Device& device, const Bystanders& things) { return status_of(device.instantiate(things.graph)); }},
};

/// "Global: ... the local thread is prohibited from potentially unsafe API calls if it has an
/// ongoing capture sequence that was not initiated with Relaxed, or if any other thread has a
/// concurrent capture sequence initiated with Global. ThreadLocal: ... Concurrent capture
/// sequences in other threads are ignored. Relaxed: ... not prohibited."
bool forbids(CaptureMode capture, bool own_thread, CaptureMode thread) {
  if (thread == CaptureMode::relaxed) return false;
  if (own_thread) return capture != CaptureMode::relaxed;
  return thread == CaptureMode::global && capture == CaptureMode::global;
}

TEST(CaptureRules, ForbidEachUnsafeCallToWhomEachModeSays) {
  for (const CaptureMode capture : modes) {
    for (const CaptureMode thread : modes) {
      for (const bool own_thread : {true, false}) {
        for (const Call& call : unsafe_calls) {
          SCOPED_TRACE(testing::Message()
                       << call.name << ", capture mode " << static_cast<int>(capture) << ", thread mode "
                       << static_cast<int>(thread) << (own_thread ? ", own thread" : ", another thread"));
          const Fixture fixture;
          const Bystanders things(fixture);
          Device& device = fixture.device();
          check(device.begin_capture(things.capturing, capture), "begin_capture");
          Status status = Status::unknown;
          const auto make = [&] {
            const CaptureMode before = device.exchange_capture_mode(thread).value();
            status = call.make(device, things);
            static_cast<void>(device.exchange_capture_mode(before));
          };
          if (own_thread) {
            make();
          } else {
            std::jthread(make).join();
          }
          const bool forbidden = forbids(capture, own_thread, thread);
          EXPECT_EQ(status, forbidden ? Status::stream_capture_unsupported : Status::success);
          EXPECT_EQ(device.capture_info(things.capturing).value().status,
                    forbidden ? CaptureStatus::invalidated : CaptureStatus::active);
          EXPECT_EQ(status_of(device.end_capture(things.capturing)),
                    forbidden ? Status::stream_capture_invalidated : Status::success);
          if (forbidden) {
            EXPECT_EQ(call.make(device, things), Status::success) << "now that it has ended";
          }
        }
      }
    }
  }
}

// "When any stream in the same context is being captured, and it was not created with
// cudaStreamNonBlocking, any attempted use of the legacy stream is invalid."
TEST(CaptureRules, ForbidTheDefaultStreamBesideABlockingStream) {
  struct Use {
    std::string_view name;
    Status (*call)(Device& device, Event event);
  };
  constexpr std::array uses{
      Use{"launch", [](Device& device, Event) { return device::launch(device, device::kernels::Spin{1}, 1, legacy); }},
      Use{"query", [](Device& device, Event) { return device.query(legacy); }},
      Use{"synchronize", [](Device& device, Event) { return device.synchronize(legacy); }},
      Use{"record", [](Device& device, Event event) { return device.record(event, legacy); }},
      Use{"wait", [](Device& device, Event event) { return device.wait(legacy, event); }},
      Use{"begin_capture", [](Device& device, Event) { return device.begin_capture(legacy, CaptureMode::relaxed); }},
  };
  for (const CaptureMode mode : modes) {
    for (const Use& use : uses) {
      SCOPED_TRACE(use.name);
      const Fixture fixture;
      Device& device = fixture.device();
      const Event event = fixture.event();
      const Stream blocking = fixture.stream(StreamKind::blocking);
      check(device.begin_capture(blocking, mode), "begin_capture");
      EXPECT_EQ(use.call(device, event), Status::stream_capture_implicit);
      EXPECT_EQ(device.capture_info(blocking).value().status, CaptureStatus::invalidated);
      EXPECT_EQ(status_of(device.end_capture(blocking)), Status::stream_capture_invalidated);
      // Beside a non-blocking stream it may do all of that, but for what the mode forbids.
      const Stream non_blocking = fixture.stream();
      check(device.begin_capture(non_blocking, CaptureMode::relaxed), "begin_capture");
      const Status expected = use.name == "begin_capture" ? Status::stream_capture_unsupported : Status::success;
      EXPECT_EQ(use.call(device, event), expected);
      EXPECT_EQ(status_of(device.end_capture(non_blocking)), Status::success);
    }
  }
}

TEST(CaptureRules, KnowThreeModes) {
  const Fixture fixture;
  const Stream stream = fixture.stream();
  for (const int mode : {-1, 3, 17}) {
    EXPECT_EQ(fixture.device().begin_capture(stream, static_cast<CaptureMode>(mode)), Status::invalid_value);
    EXPECT_EQ(fixture.device().capture_info(stream).value().status, CaptureStatus::none);
  }
}

// "When an invalid operation is attempted during stream capture, any associated capture graphs
// are invalidated."
TEST(CaptureRules, SpoilACaptureInWhichAGraphIsLaunched) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const device::GraphExec executable = fixture.captured(stream, [] {});
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device.launch(executable, stream), Status::stream_capture_unsupported);
  EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::invalidated);
}

TEST(CaptureRules, SpoilEveryCaptureThatForbidsACall) {
  const Fixture fixture;
  Device& device = fixture.device();
  const std::array streams{fixture.stream(), fixture.stream(), fixture.stream()};
  check(device.begin_capture(streams[0], CaptureMode::global), "begin_capture");
  check(device.begin_capture(streams[1], CaptureMode::relaxed), "begin_capture");
  check(device.begin_capture(streams[2], CaptureMode::thread_local_), "begin_capture");
  EXPECT_EQ(status_of(device.allocate(64)), Status::stream_capture_unsupported);
  EXPECT_EQ(device.capture_info(streams[0]).value().status, CaptureStatus::invalidated);
  EXPECT_EQ(device.capture_info(streams[1]).value().status, CaptureStatus::active);
  EXPECT_EQ(device.capture_info(streams[2]).value().status, CaptureStatus::invalidated);
}

/// An event that was recorded in a capture, which has ended.
Event event_of_an_ended_capture(const Fixture& fixture) {
  const Stream stream = fixture.stream();
  const Event event = fixture.device().create_event(device::EventKind::timing).value();
  check(fixture.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(event, stream);
  static_cast<void>(fixture.device().end_capture(stream).value());
  return event;
}

TEST(CaptureRules, LeaveNothingToAskOfTheEventOfACaptureThatHasEnded) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Event event = event_of_an_ended_capture(fixture);
  const Event other = device.create_event(device::EventKind::timing).value();
  fixture.record(other, stream);
  EXPECT_EQ(device.query(event), Status::invalid_value);
  EXPECT_EQ(device.synchronize(event), Status::invalid_value);
  EXPECT_EQ(status_of(device.elapsed_ms(event, other)), Status::invalid_value);
  EXPECT_EQ(status_of(device.elapsed_ms(other, event)), Status::invalid_value);
  EXPECT_EQ(device.wait(stream, event), Status::invalid_value);
  EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::none) << "nothing was joined";
  fixture.record(event, stream);
  EXPECT_EQ(device.synchronize(event), Status::success) << "recorded anew, outside a capture";
}

// "A stream in capture mode may not wait for an event from outside its capture", one that has
// ended included.
TEST(CaptureRules, SpoilACaptureThatWaitsForOneThatHasEnded) {
  const Fixture fixture;
  const Event event = event_of_an_ended_capture(fixture);
  const Stream stream = fixture.stream();
  check(fixture.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(fixture.device().wait(stream, event), Status::invalid_value);
  EXPECT_EQ(fixture.device().capture_info(stream).value().status, CaptureStatus::invalidated);
}

// cudaErrorCapturedEvent: "The operation is not permitted on an event which was last recorded
// in a capturing stream."
TEST(CaptureRules, TellNoTimeOfACapturedEvent) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Event captured = device.create_event(device::EventKind::timing).value();
  const Event other = device.create_event(device::EventKind::timing).value();
  for (const Event event : {captured, other}) fixture.record(event, stream);
  check(device.synchronize(), "synchronize");
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(captured, stream);
  EXPECT_EQ(status_of(device.elapsed_ms(captured, other)), Status::captured_event);
  EXPECT_EQ(status_of(device.elapsed_ms(other, captured)), Status::captured_event);
}

TEST(CaptureRules, SpoilTheCaptureForWhoeverCannotJoinIt) {
  for (const bool by_default_stream : {false, true}) {
    const Fixture fixture;
    Device& device = fixture.device();
    const Stream stream = fixture.stream();
    const Stream other = fixture.stream();
    const Event event = fixture.event();
    check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
    fixture.record(event, stream);
    if (by_default_stream) {
      EXPECT_EQ(device.wait(device::legacy_default_stream, event), Status::stream_capture_implicit);
    } else {  // cudaErrorStreamCaptureMerge: "a merge of two separate capture sequences"
      check(device.begin_capture(other, CaptureMode::relaxed), "begin_capture");
      EXPECT_EQ(device.wait(other, event), Status::stream_capture_merge);
      EXPECT_EQ(device.capture_info(other).value().status, CaptureStatus::invalidated);
    }
    EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::invalidated);
  }
}

TEST(CaptureRules, LetNobodyJoinASpoiltCapture) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream other = fixture.stream();
  const Event event = fixture.event();
  auto* const memory = fixture.memory(10);
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(event, stream);
  EXPECT_EQ(device.query(stream), Status::stream_capture_unsupported);
  EXPECT_EQ(device.wait(other, event), Status::stream_capture_invalidated);
  EXPECT_EQ(device.capture_info(other).value().status, CaptureStatus::none);
  EXPECT_EQ(device.fill(memory, 1, 4, stream), Status::stream_capture_invalidated);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_invalidated);
}

// cudaErrorStreamCaptureUnmatched: "The capture was not initiated in this stream."
TEST(CaptureRules, SpoilACaptureThatIsToEndOnItsFork) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.order(stream, branch);
  EXPECT_EQ(status_of(device.end_capture(branch)), Status::stream_capture_unmatched);
  for (const Stream one : {stream, branch}) {
    EXPECT_EQ(device.capture_info(one).value().status, CaptureStatus::invalidated);
  }
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_invalidated);
}

// A capture ends with the call that was to end it, also where that says that it went badly.
TEST(CaptureRules, EndACaptureThatEndsBadly) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  auto* const memory = fixture.memory(10);
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  fixture.order(stream, branch);
  fixture.iota(memory, 10, branch);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_unjoined);
  for (const Stream one : {stream, branch}) {
    EXPECT_EQ(device.capture_info(one).value().status, CaptureStatus::none);
    EXPECT_EQ(device.fill(memory, 1, 4, one), Status::success);
    EXPECT_EQ(device.synchronize(one), Status::success);
  }
  EXPECT_EQ(status_of(device.allocate(64)), Status::success);
}

TEST(CaptureRules, WantEveryForkJoined) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream joined = fixture.stream();
  const Stream left = fixture.stream();
  auto* const memory = fixture.memory(30);
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  for (const Stream branch : {joined, left}) fixture.order(stream, branch);
  fixture.iota(memory, 10, joined);
  fixture.iota(memory + 10, 10, left);
  fixture.order(joined, stream);
  fixture.iota(memory + 20, 10, stream);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_unjoined) << "one of two is";
}

TEST(CaptureRules, NameADependencyOnceHoweverOftenItIsWaitedFor) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  auto* const memory = fixture.memory(20);
  const Event forked = fixture.event();
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  fixture.iota(memory, 10, stream);
  fixture.record(forked, stream);
  for (int i = 0; i < 3; ++i) fixture.wait(branch, forked);
  EXPECT_EQ(device.capture_dependencies(branch).value().size(), 1U);
  fixture.iota(memory + 10, 10, branch);
  for (int i = 0; i < 3; ++i) fixture.order(branch, stream);
  EXPECT_EQ(device.capture_dependencies(stream).value().size(), 2U);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::success);
}

TEST(CaptureRules, LetMemoryOfACaptureBeFreedInItOnce) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  void* const memory = device.allocate_async(64, stream).value();
  EXPECT_EQ(device.free_async(memory, stream), Status::success);
  EXPECT_EQ(device.free_async(memory, stream), Status::invalid_value);
  const device::Graph graph = device.end_capture(stream).value();
  EXPECT_EQ(device.node_count(graph).value(), 2U);
}

}  // namespace
}  // namespace gpucheck::sim
