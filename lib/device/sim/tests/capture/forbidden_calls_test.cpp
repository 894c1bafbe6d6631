#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string_view>
#include <thread>

#include "device/sim/tests/fixture.hpp"

// What a capture forbids, to whom, and what becomes of it then: every call in every mode. The words
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

}  // namespace
}  // namespace gpucheck::sim
