#include "runtime/streams/stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/streams/event.hpp"
#include "runtime/streams/tests/pytorch_facts.hpp"
#include "runtime/tests/simulated.hpp"

// What is expected of ids, handles and texts: PyTorch 2.11, see data/.
namespace gpucheck::runtime::test {
namespace {

class StreamTest : public testing::Test {
 protected:
  void keep_busy(const Stream& stream) {
    ASSERT_EQ(device::launch(machine.device(), device::kernels::Spin{50'000'000}, 1, stream.raw()),
              device::Status::success);
  }

  Simulated machine;
  Runtime& runtime = machine.runtime();
};

TEST_F(StreamTest, OfThePoolAreHandedOutInTurn) {
  const Stream first = Stream::from_pool(runtime);
  EXPECT_EQ(first.id(), pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "streams")["first id"].get<std::int64_t>());
  for (int i = 1; i < StreamPool::streams_per_level; ++i) EXPECT_NE(Stream::from_pool(runtime), first);
  EXPECT_EQ(Stream::from_pool(runtime), first);
  EXPECT_EQ(Stream::from_pool(runtime, -1).id(), 5);
  EXPECT_EQ(Stream::from_pool(runtime, -100).priority(), -3);
}

TEST_F(StreamTest, TheDefaultOneIsCurrentAtFirstInEveryThread) {
  const Stream side = Stream::from_pool(runtime);
  {
    const StreamScope guard = side.make_current();
    EXPECT_EQ(Stream::current(runtime), side);
    std::thread([this] { EXPECT_EQ(Stream::current(runtime), Stream::default_of(runtime)); }).join();
  }
  EXPECT_EQ(Stream::current(runtime), Stream::default_of(runtime));
  EXPECT_EQ(Stream::default_of(runtime).id(), 0);
  EXPECT_EQ(Stream::default_of(runtime).raw(), device::legacy_default_stream);
}

TEST_F(StreamTest, MakeTheirDeviceCurrentToo) {
  const auto driver = sim::make_driver({.profile = sim::profile("h100"), .device_count = 2});
  const auto device = driver->open(1).value();
  Runtime other(*device);
  {
    const StreamScope scope = Stream::default_of(other).make_current();
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
}

TEST_F(StreamTest, ComeBackFromTheirHandles) {
  const auto made = device::own<device::UniqueStream>(
      machine.device(), machine.device().create_stream(device::StreamKind::non_blocking, 0));
  for (const Stream& stream : {Stream::default_of(runtime), Stream::from_pool(runtime), Stream::from_pool(runtime, -2),
                               Stream::external(runtime, made.get())}) {
    const Stream again = Stream::from_handle(runtime, stream.handle());
    EXPECT_EQ(again, stream);
    EXPECT_EQ(again.raw(), stream.raw());
  }
}

TEST_F(StreamTest, AHandleOfThePoolMakesThePool) {
  const Stream stream = Stream::from_handle(runtime, {.id = 35, .device_index = 0});
  EXPECT_NE(stream.raw(), machine.default_stream());
  static_cast<void>(runtime.streams().next());
  EXPECT_EQ(runtime.streams().next(), stream.raw());
}

TEST_F(StreamTest, HandlesOfNoStreamAreErrors) {
  const auto error_of = [this](StreamHandle handle) -> std::string {
    try {
      static_cast<void>(Stream::from_handle(runtime, handle));
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "streams");
  EXPECT_EQ(error_of({.id = 1}), facts["from handle: id 1"]["text"].get<std::string>());
  EXPECT_EQ(error_of({.id = 11}), facts["from handle: id 11"]["text"].get<std::string>());
  EXPECT_EQ(error_of({.id = 9}), "no error");  // the fourth level, the last
  EXPECT_NE(error_of({.id = 3, .device_index = 1}), "no error");
  EXPECT_TRUE(facts["from handle: type 0"]["text"].get<std::string>().starts_with(
      error_of({.id = 3, .device_type = DeviceType::cpu})));
}

// As PyTorch takes them: of the position five bits count, and level 14 stands for handles.
TEST_F(StreamTest, HandlesBeyondThePoolMeanAStreamAllTheSame) {
  EXPECT_EQ(Stream::from_handle(runtime, {.id = 1059}).raw(), Stream::from_handle(runtime, {.id = 35}).raw());
  EXPECT_EQ(Stream::from_handle(runtime, {.id = 31}).raw(), device::Stream{31});
}

TEST_F(StreamTest, AnExternalOneIsKnownByItsHandleAndNotOwned) {
  const Stream pooled = Stream::from_pool(runtime);
  {
    const Stream same = Stream::external(runtime, pooled.raw());
    EXPECT_EQ(same.id(), static_cast<std::int64_t>(pooled.raw().value));
    EXPECT_NE(same, pooled);
    EXPECT_EQ(same.raw(), pooled.raw());
    const StreamScope guard = same.make_current();
    EXPECT_EQ(Stream::current(runtime), same);
  }
  const StreamScope guard = pooled.make_current();
  EXPECT_EQ(Stream::current(runtime), pooled);
  EXPECT_TRUE(pooled.query());
}

TEST_F(StreamTest, ArePrintedAsPyTorchDoes) {
  EXPECT_EQ(to_text(Stream::default_of(runtime)), "<torch.cuda.Stream device=cuda:0 cuda_stream=0x0>");
  const Stream side = Stream::from_pool(runtime);
  EXPECT_EQ(to_text(side), fmt::format("<torch.cuda.Stream device=cuda:0 cuda_stream={:#x}>", side.raw().value));
}

TEST_F(StreamTest, AreQueriedAndWaitedFor) {
  const Stream stream = Stream::from_pool(runtime);
  EXPECT_TRUE(stream.query());
  keep_busy(stream);
  EXPECT_FALSE(stream.query());
  stream.synchronize();
  EXPECT_TRUE(stream.query());
}

TEST_F(StreamTest, WaitForWhatOthersWereGiven) {
  const Stream busy = Stream::from_pool(runtime);
  const Stream waiting = Stream::from_pool(runtime);
  const Stream free = Stream::from_pool(runtime);
  keep_busy(busy);
  waiting.wait_stream(busy);
  EXPECT_FALSE(waiting.query());
  EXPECT_TRUE(free.query());
  const Event event = busy.record_event();
  EXPECT_FALSE(event.query());
  free.wait_event(event);
  EXPECT_FALSE(free.query());
}

TEST_F(StreamTest, ADestroyedOneIsAnErrorToAsk) {
  auto made = device::own<device::UniqueStream>(machine.device(),
                                                machine.device().create_stream(device::StreamKind::non_blocking, 0));
  const Stream stream = Stream::external(runtime, made.get());
  made.reset();
  EXPECT_THROW(static_cast<void>(stream.query()), device::DeviceError);
  EXPECT_THROW(stream.synchronize(), device::DeviceError);
  EXPECT_EQ(machine.device().last_error(), device::Status::success) << "what was thrown is forgotten";
}

}  // namespace
}  // namespace gpucheck::runtime::test
