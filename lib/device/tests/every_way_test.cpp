#include <array>
#include <thread>

#include "device/tests/suites.hpp"

// The same question by stream, by event and by device, of handles that are new, idle, busy
// or done without anyone having asked. Each way alone must give the answer: nothing another
// call found out before may help it.
namespace gpucheck::device::contract {
namespace {

/// A way for the host to learn that work is done: it waits for that, or asks.
struct Way {
  std::string_view name;
  bool waits = false;
  Status (*call)(Device& device, Stream stream, Event event);
};

constexpr std::array ways{
    Way{"synchronize a stream", true, [](Device& device, Stream stream, Event) { return device.synchronize(stream); }},
    Way{"synchronize an event", true, [](Device& device, Stream, Event event) { return device.synchronize(event); }},
    Way{"synchronize the device", true, [](Device& device, Stream, Event) { return device.synchronize(); }},
    Way{"query a stream", false, [](Device& device, Stream stream, Event) { return device.query(stream); }},
    Way{"query an event", false, [](Device& device, Stream, Event event) { return device.query(event); }},
};

Status ask(Device& device, const Way& way, Stream stream, Event event) {
  return ask_until_ready([&] { return way.call(device, stream, event); });
}

/// Time for work to get done in, without a call that asks about it: real time for a GPU,
/// calls for the simulated device.
void let_time_pass(Device& device) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  constexpr int calls = 2000;
  for (int i = 0; i < calls; ++i) check(status_of(device.exchange_capture_mode(CaptureMode::global)), "exchange");
}

class EachStream {
 public:
  explicit EachStream(Device& device)
      : owned_{own<UniqueStream>(device, device.create_stream(StreamKind::non_blocking, 0)),
               own<UniqueStream>(device, device.create_stream(StreamKind::blocking, 0))} {}
  [[nodiscard]] std::array<Stream, 3> get() const { return {owned_[0].get(), owned_[1].get(), legacy_default_stream}; }

 private:
  std::array<UniqueStream, 2> owned_;
};

TEST_P(EveryWay, NewHandlesAreDone) {
  const EachStream streams(device());
  for (const Stream stream : streams.get()) {
    for (const Way& way : ways) {
      const auto event = make_event();
      EXPECT_EQ(way.call(device(), stream, event.get()), Status::success) << way.name;
      record(event, stream);
      EXPECT_EQ(ask(device(), way, stream, event.get()), Status::success) << way.name;
    }
  }
}

TEST_P(EveryWay, IdleHandlesAreDoneHoweverThatWasLearned) {
  const EachStream streams(device());
  const auto event = make_event();
  for (const Stream stream : streams.get()) {
    for (const Way& first : ways) {
      for (const Way& second : ways) {
        spin(stream, std::chrono::milliseconds(1));
        record(event, stream);
        EXPECT_EQ(ask(device(), first, stream, event.get()), Status::success) << first.name;
        EXPECT_EQ(ask(device(), second, stream, event.get()), Status::success) << first.name << ", " << second.name;
      }
    }
  }
}

TEST_P(EveryWay, BusyHandlesAreWaitedForOrNotReady) {
  const EachStream streams(device());
  const auto event = make_event();
  for (const Stream stream : streams.get()) {
    for (const Way& way : ways) {
      const auto array = make_array<std::int32_t>(1000);
      const auto landing = make_pinned<std::int32_t>(1000);
      landing.span().back() = 0;
      spin(stream);
      run(kernels::Fill<std::int32_t>{array.data(), 6}, array.size(), stream);
      check(device().copy(landing.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream), "copy");
      record(event, stream);
      const Status status = way.call(device(), stream, event.get());
      EXPECT_EQ(status, way.waits ? Status::success : Status::not_ready) << way.name;
      EXPECT_EQ(ask(device(), way, stream, event.get()), Status::success) << way.name;
      // Done means that the host may touch what the work wrote.
      EXPECT_EQ(device().host_access(reads(landing.data(), landing.bytes())), Status::success);
      EXPECT_EQ(landing.span().back(), 6) << way.name;
    }
  }
}

TEST_P(EveryWay, WorkThatIsLongDoneIsDoneForTheFirstWhoAsks) {
  const EachStream streams(device());
  const auto event = make_event();
  for (const Stream stream : streams.get()) {
    for (const Way& way : ways) {
      spin(stream, std::chrono::milliseconds(1));
      record(event, stream);
      let_time_pass(device());
      EXPECT_EQ(way.call(device(), stream, event.get()), Status::success) << way.name;
    }
  }
}

// "Records ... the contents of stream at the time of this call": later work is not the event's.
TEST_P(EveryWay, AnEventIsDoneBeforeTheWorkBehindIt) {
  const auto stream = make_stream();
  const auto event = make_event();
  for (const Way& way : ways) {
    spin(stream.get(), std::chrono::milliseconds(1));
    record(event, stream.get());
    check(device().synchronize(event.get()), "synchronize");
    spin(stream.get());
    EXPECT_EQ(device().query(event.get()), Status::success) << way.name;
    EXPECT_EQ(device().query(stream.get()), Status::not_ready) << way.name;
    EXPECT_EQ(ask(device(), way, stream.get(), event.get()), Status::success) << way.name;
    synchronize(stream.get());
  }
}

TEST_P(EveryWay, AnEventRecordedAnewIsBusyAgain) {
  const auto stream = make_stream();
  const auto event = make_event();
  for (const Way& way : ways) {
    record(event, stream.get());
    synchronize(stream.get());
    spin(stream.get());
    record(event, stream.get());
    EXPECT_EQ(device().query(event.get()), Status::not_ready) << way.name;
    EXPECT_EQ(ask(device(), way, stream.get(), event.get()), Status::success) << way.name;
    EXPECT_EQ(device().query(event.get()), Status::success) << way.name;
  }
}

/// Work that fails on the device and spoils the context.
// "Note that this function may also return error codes from previous, asynchronous
// launches", says each page; for a sticky error every call does.
TEST_P(EveryWay, MeetsAStickyErrorFirst) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
      const auto stream = make_stream();
      const auto event = make_event();
      spin(stream.get(), std::chrono::milliseconds(1));
      write_nowhere(device(), stream.get());
      record(event, stream.get());
      found.expect(ask(device(), way, stream.get(), event.get()), Status::illegal_address, way.name);
      found.expect(way.call(device(), stream.get(), event.get()), Status::illegal_address, "the same again");
      found.expect(device().last_error(), Status::illegal_address, "last_error");
    });
  }
}

// A host function in front: what fails behind it may fail only while the host asks.
TEST_P(EveryWay, MeetsAStickyErrorBehindAHostFunctionFirst) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
      const auto stream = make_stream();
      const auto event = make_event();
      check(device().host_callback(
                stream.get(), [](void*) {}, nullptr),
            "host_callback");
      write_nowhere(device(), stream.get());
      record(event, stream.get());
      let_time_pass(device());
      found.expect(ask(device(), way, stream.get(), event.get()), Status::illegal_address, way.name);
    });
  }
}

TEST_P(EveryWay, MeetsAStickyErrorOfAnotherStreamFirst) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
      const auto guilty = make_stream();
      const auto innocent = make_stream();
      const auto event = make_event();
      write_nowhere(device(), guilty.get());
      spin(innocent.get());
      record(event, innocent.get());
      found.expect(ask(device(), way, innocent.get(), event.get()), Status::illegal_address, way.name);
    });
  }
}

// cudaErrorMisalignedAddress: "a load or store instruction on a memory address which is not
// aligned. This leaves the process in an inconsistent state".
TEST_P(EveryWay, MeetsAMisalignedAddressFirst) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
      const auto stream = make_stream();
      const auto event = make_event();
      const auto array = make_array<std::byte>(64);
      auto* const misaligned = reinterpret_cast<std::int32_t*>(array.data() + 1);
      check(device::launch(device(), kernels::Fill<std::int32_t>{misaligned, 1}, 4, stream.get()), "fill");
      record(event, stream.get());
      found.expect(ask(device(), way, stream.get(), event.get()), Status::misaligned_address, way.name);
      found.expect(status_of(device().allocate(64)), Status::misaligned_address, "allocate");
    });
  }
}

// Copies and fills go by bytes.
TEST_P(EveryWay, CopiesAndFillsNeedNoAlignment) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint8_t>(64);
  const auto pinned = make_pinned<std::uint8_t>(64);
  check(device().fill(array.data(), 0, 64, stream.get()), "fill");
  EXPECT_EQ(device().fill(array.data() + 1, 5, 7, stream.get()), Status::success);
  EXPECT_EQ(device().copy(pinned.data() + 3, array.data() + 1, 7, CopyKind::device_to_host, stream.get()),
            Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
  EXPECT_EQ(pinned.span()[3], 5);
  EXPECT_EQ(pinned.span()[9], 5);
}

/// A way to ask in vain while a capture is open, and what comes back.
struct Forbidden {
  std::string_view name;
  Status expected;
  Status (*call)(Device& device, Stream stream, Event event);
};

// Programming guide, "Prohibited and unhandled operations": a stream that captures, or an
// event recorded in it, can be neither waited for nor asked about; and such a call spoils
// the capture, in every mode.
TEST_P(EveryWay, ACaptureIsSpoiltInEveryMode) {
  constexpr std::array forbidden{
      Forbidden{"synchronize the stream", Status::stream_capture_unsupported,
                [](Device& device, Stream stream, Event) { return device.synchronize(stream); }},
      Forbidden{"query the stream", Status::stream_capture_unsupported,
                [](Device& device, Stream stream, Event) { return device.query(stream); }},
      Forbidden{"synchronize the event", Status::captured_event,
                [](Device& device, Stream, Event event) { return device.synchronize(event); }},
      Forbidden{"query the event", Status::captured_event,
                [](Device& device, Stream, Event event) { return device.query(event); }},
      Forbidden{"synchronize the device", Status::stream_capture_unsupported,
                [](Device& device, Stream, Event) { return device.synchronize(); }},
  };
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    for (const Forbidden& way : forbidden) {
      const auto stream = make_stream();
      const auto event = make_event();
      check(device().begin_capture(stream.get(), mode), "begin_capture");
      record(event, stream.get());
      EXPECT_EQ(way.call(device(), stream.get(), event.get()), way.expected) << way.name;
      EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::invalidated) << way.name;
      EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated) << way.name;
      EXPECT_EQ(device().synchronize(stream.get()), Status::success) << way.name;
    }
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
