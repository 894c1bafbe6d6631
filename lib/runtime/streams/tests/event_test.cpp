#include "runtime/streams/event.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/streams/tests/pytorch_facts.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"

// Texts: PyTorch 2.11, see data/.
namespace gpucheck::runtime::test {
namespace {

constexpr EventOptions timed{.timing = true};

class EventTest : public testing::Test {
 protected:
  void keep_busy(const Stream& busy, std::uint64_t nanoseconds = 50'000'000) {
    ASSERT_EQ(device::launch(machine.device(), device::kernels::Spin{nanoseconds}, 1, busy.raw()),
              device::Status::success);
  }
  std::string elapsed_error(const Event& start, const Event& end) {
    return error_of([&] { static_cast<void>(start.elapsed_ms(end)); });
  }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  Stream stream = Stream::from_pool(runtime);
};

TEST_F(EventTest, IsMadeAtItsFirstRecordAndOnce) {
  Event event;
  EXPECT_FALSE(event.is_created());
  EXPECT_EQ(to_text(event), "<torch.cuda.Event uninitialized>");
  event.record(stream);
  const device::Event raw = event.raw();
  EXPECT_EQ(to_text(event), fmt::format("<torch.cuda.Event {:#x}>", raw.value));
  event.record(stream);
  EXPECT_EQ(event.raw(), raw);
}

TEST_F(EventTest, NeverRecordedIsDoneAndHoldsNothingUp) {
  const Event event;
  EXPECT_TRUE(event.query());
  event.synchronize();
  event.wait(stream);
  EXPECT_TRUE(stream.query());
}

TEST_F(EventTest, CoversTheWorkBeforeIt) {
  keep_busy(stream);
  Event event;
  event.record(stream);
  EXPECT_FALSE(event.query());
  event.synchronize();
  EXPECT_TRUE(event.query());
  EXPECT_TRUE(stream.query());
}

TEST_F(EventTest, HoldsUpTheStreamThatWaits) {
  const Stream other = Stream::from_pool(runtime);
  keep_busy(stream);
  Event event;
  event.record(stream);
  event.wait(other);
  EXPECT_FALSE(other.query());
}

TEST_F(EventTest, TellsTheTimeBetweenTwo) {
  Event start(timed);
  Event end(timed);
  start.record(stream);
  keep_busy(stream, 20'000'000);
  end.record(stream);
  EXPECT_EQ(elapsed_error(start, end),
            pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "events")["pending"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(end, start),
            pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "events")["pending"]["text"].get<std::string>());
  end.synchronize();
  EXPECT_GE(start.elapsed_ms(end), 20.0F);
  EXPECT_LT(start.elapsed_ms(end), 40.0F);
}

TEST_F(EventTest, TellsNoTimeUnlessBothAreRecordedAndTimed) {
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "events");
  Event recorded(timed);
  recorded.record(stream);
  Event plain;
  plain.record(stream);
  stream.synchronize();
  EXPECT_EQ(elapsed_error(Event(timed), Event(timed)), facts["unrecorded, timing"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(Event(timed), recorded), facts["first unrecorded"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(recorded, Event(timed)), facts["second unrecorded"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(Event(), Event()), facts["unrecorded, no timing"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(plain, plain), facts["no timing"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(plain, recorded), facts["first without timing"]["text"].get<std::string>());
  EXPECT_EQ(elapsed_error(recorded, plain), facts["second without timing"]["text"].get<std::string>());
}

TEST_F(EventTest, IsMadeAsPyTorchMakesIt) {
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "event flags");
  for (unsigned flags = 0; flags < 16; ++flags) {
    const EventOptions options{.timing = (flags & 8U) != 0,
                               .blocking = (flags & 4U) != 0,
                               .interprocess = (flags & 2U) != 0,
                               .external = (flags & 1U) != 0};
    std::vector<std::string_view> names;
    if (options.timing) names.emplace_back("enable_timing");
    if (options.blocking) names.emplace_back("blocking");
    if (options.interprocess) names.emplace_back("interprocess");
    if (options.external) names.emplace_back("external");
    const std::string name = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
    const json& fact = facts.at("record: " + name);
    Event event(options);
    const std::string error = error_of([&] { event.record(stream); });
    if (fact.contains("raises")) {
      EXPECT_TRUE(error.starts_with(fact["text"].get<std::string>())) << name << ": " << error;
    } else {
      EXPECT_EQ(error, "no error") << name;
    }
    EXPECT_EQ(event.is_created(), !fact.contains("raises")) << name;
  }
}

TEST_F(EventTest, StaysWithTheDeviceOfItsFirstRecord) {
  const auto driver = sim::make_driver({.profile = sim::profile("h100"), .device_count = 2});
  const auto first_device = driver->open(0).value();
  const auto second_device = driver->open(1).value();
  Runtime first(*first_device);
  Runtime second(*second_device);
  Event event;
  event.record(Stream::from_pool(first));
  EXPECT_EQ(error_of([&] { event.record(Stream::from_pool(second)); }),
            "Event device 0 does not match recording stream's device 1.");
  event.wait(Stream::from_pool(second));  // waiting is possible
}

TEST_F(EventTest, MovesAndIsDestroyedOnce) {
  const auto destroyed = [this] {
    for (const auto& [name, calls] : machine.driver().api_calls().by_name) {
      if (name == "destroy_event") return calls;
    }
    return std::uint64_t{0};
  };
  {
    Event event;
    event.record(stream);
    const device::Event raw = event.raw();
    Event moved(std::move(event));
    EXPECT_EQ(moved.raw(), raw);
    Event other;
    other.record(stream);
    EXPECT_EQ(destroyed(), 0U);
    other = std::move(moved);
    EXPECT_EQ(other.raw(), raw);
    EXPECT_EQ(destroyed(), 1U);
  }
  EXPECT_EQ(destroyed(), 2U);
  { const Event never_recorded; }
  EXPECT_EQ(destroyed(), 2U);
}

class ExternalEventTest : public EventTest {
 protected:
  /// Captures `work` on the stream.
  template <typename Work>
  void capture(Work work) {
    const StreamScope guard = stream.make_current();
    graph.emplace(runtime);
    graph->capture_begin();
    work();
    graph->capture_end();
  }
  void replay() {
    const StreamScope guard = stream.make_current();
    graph->replay();
  }
  std::optional<Graph> graph;
};

TEST_F(ExternalEventTest, IsRecordedAtEachReplay) {
  Event start({.timing = true, .external = true});
  Event end({.timing = true, .external = true});
  capture([&] {
    start.record(stream);
    keep_busy(stream);
    end.record(stream);
  });
  EXPECT_TRUE(start.query());
  replay();
  EXPECT_FALSE(end.query());
  end.synchronize();
  EXPECT_GE(start.elapsed_ms(end), 50.0F);
}

TEST_F(ExternalEventTest, IsWaitedForAtEachReplay) {
  const Stream other = Stream::from_pool(runtime);
  Event event({.external = true});
  event.record(other);  // outside a capture it is an event like others
  stream.synchronize();
  capture([&] {
    event.wait(stream);
    keep_busy(stream, 1);
  });
  replay();
  stream.synchronize();
  keep_busy(other);
  event.record(other);
  replay();
  EXPECT_FALSE(stream.query());
  stream.synchronize();
  EXPECT_TRUE(other.query());
}

// What PyTorch does: it looks at the current stream, not at the one that is asked to record.
TEST_F(ExternalEventTest, IsAnErrorInAStreamThatIsNotCapturedBesideACapture) {
  const Stream other = Stream::from_pool(runtime);
  Event event({.external = true});
  capture([&] {
    EXPECT_TRUE(error_of([&] { event.record(other); }).find("the operation cannot be performed in the present state") !=
                std::string::npos);
    keep_busy(stream, 1);
  });
}

TEST_F(ExternalEventTest, APlainOneInACaptureTellsTheHostNothing) {
  Event event(timed);
  capture([&] {
    event.record(stream);
    keep_busy(stream, 1);
  });
  EXPECT_THROW(static_cast<void>(event.query()), device::DeviceError);
  EXPECT_THROW(event.synchronize(), device::DeviceError);
}

}  // namespace
}  // namespace gpucheck::runtime::test
