#include "device/fault/tests/faulty.hpp"

// Calls that answer wrongly, each in the way that its operation allows.
namespace gpucheck::fault {
namespace {

using device::CaptureMode;
using device::CopyKind;
using device::Stream;
namespace kernels = device::kernels;

TEST(WrongAnswer, MiscountsNodes) {
  const Faulty faulty(Plan{{{.operation = Operation::node_count, .effect = Effect::wrong_answer, .times = 0}}});
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  const auto empty = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(*device.node_count(empty.get()), 1U);
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  faulty.spin(stream.get());
  const auto one = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(*device.node_count(one.get()), 0U);
}

TEST(WrongAnswer, GivesADefaultStreamThatEveryCallRejects) {
  const Faulty faulty(once(Operation::default_stream, Effect::wrong_answer));
  device::Device& device = faulty.device();
  const Stream wrong = device.default_stream();
  EXPECT_NE(wrong, device.default_stream());  // only once
  const auto memory = faulty.make_memory(memory_bytes);
  const auto event = faulty.make_event();
  const std::uint64_t calls = faulty.calls();
  constexpr Status rejected = Status::invalid_resource_handle;
  EXPECT_EQ(status_of(device.allocate_async(memory_bytes, wrong)), rejected);
  EXPECT_EQ(device.free_async(memory.get(), wrong), rejected);
  EXPECT_EQ(device.destroy_stream(wrong), rejected);
  EXPECT_EQ(device.query(wrong), rejected);
  EXPECT_EQ(device.synchronize(wrong), rejected);
  EXPECT_EQ(device.wait(wrong, event.get()), rejected);
  EXPECT_EQ(device.record(event.get(), wrong), rejected);
  EXPECT_EQ(device.copy(memory.get(), memory.get(), 1, CopyKind::device_to_device, wrong), rejected);
  EXPECT_EQ(device.fill(memory.get(), 0, memory_bytes, wrong), rejected);
  EXPECT_EQ(device::launch(device, kernels::Spin{1}, 1, wrong), rejected);
  EXPECT_EQ(device.host_callback(
                wrong, [](void*) {}, nullptr),
            rejected);
  EXPECT_EQ(device.begin_capture(wrong, CaptureMode::global), rejected);
  EXPECT_EQ(status_of(device.end_capture(wrong)), rejected);
  EXPECT_EQ(status_of(device.capture_info(wrong)), rejected);
  EXPECT_EQ(device.launch(device::GraphExec{1}, wrong), rejected);
  EXPECT_EQ(faulty.calls(), calls);
}

TEST(WrongAnswer, LiesAboutProperties) {
  const Faulty faulty({{{Operation::error_text, Effect::wrong_answer},
                        {Operation::memory_info, Effect::wrong_answer},
                        {Operation::pointer_info, Effect::wrong_answer},
                        {Operation::elapsed_ms, Effect::wrong_answer},
                        {Operation::capture_info, Effect::wrong_answer},
                        {Operation::can_access_peer, Effect::wrong_answer}}},
                      2);
  device::Device& device = faulty.device();
  EXPECT_EQ(device.error_text(Status::out_of_memory), "unknown error");
  EXPECT_EQ(device.error_text(Status::out_of_memory), "out of memory");

  const auto memory = faulty.make_memory(1 << 20);
  EXPECT_EQ(device.memory_info()->free_bytes, device.properties().total_memory_bytes);
  EXPECT_LT(device.memory_info()->free_bytes, device.properties().total_memory_bytes);
  EXPECT_EQ(device.pointer_info(memory.get())->kind, device::MemoryKind::unregistered);
  EXPECT_EQ(device.pointer_info(memory.get())->kind, device::MemoryKind::device);

  const auto start = faulty.make_event();
  const auto stop = faulty.make_event();
  ASSERT_EQ(device.record(start.get(), {}), Status::success);
  faulty.spin({});
  ASSERT_EQ(device.record(stop.get(), {}), Status::success);
  ASSERT_EQ(device.synchronize(stop.get()), Status::success);
  EXPECT_EQ(*device.elapsed_ms(start.get(), stop.get()), 0.0F);
  EXPECT_GT(*device.elapsed_ms(start.get(), stop.get()), 1.0F);

  const bool wrong = *device.can_access_peer(1);
  EXPECT_NE(*device.can_access_peer(1), wrong);

  const auto stream = faulty.make_stream();
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  EXPECT_EQ(device.capture_info(stream.get())->status, device::CaptureStatus::none);
  EXPECT_EQ(device.capture_info(stream.get())->status, device::CaptureStatus::active);
  static_cast<void>(device::own<device::UniqueGraph>(device, device.end_capture(stream.get())));
}

TEST(WrongAnswer, TakesUnfinishedWorkForFinished) {
  const Faulty faulty(
      {{{Operation::query_event, Effect::wrong_answer}, {Operation::query_stream, Effect::wrong_answer}}});
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto event = faulty.make_event();
  EXPECT_EQ(device.query(event.get()), Status::success);  // rightly so: the rules wait
  EXPECT_EQ(device.query(stream.get()), Status::success);
  faulty.spin(stream.get());
  ASSERT_EQ(device.record(event.get(), stream.get()), Status::success);
  EXPECT_EQ(device.query(event.get()), Status::success);
  EXPECT_EQ(device.query(event.get()), Status::not_ready);
  EXPECT_EQ(device.query(stream.get()), Status::success);
  EXPECT_EQ(device.query(stream.get()), Status::not_ready);
}

}  // namespace
}  // namespace gpucheck::fault
