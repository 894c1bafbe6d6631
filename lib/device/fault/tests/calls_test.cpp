#include <thread>

#include "device/fault/tests/faulty.hpp"
#include "device/tests/units/recording_device.hpp"

// Effects that are the same for every operation: whether the call is made, what comes
// back, and which of the calls are meant.
namespace gpucheck::fault {
namespace {

constexpr Status injected = Status::launch_timeout;

/// A driver whose devices only count what reaches them.
class RecordingDriver final : public device::Driver {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "recording"; }
  [[nodiscard]] Result<int> device_count() override { return 1; }
  [[nodiscard]] Result<int> device_count_without_initialising() override { return 1; }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int) override {
    auto opened = std::make_unique<device::RecordingDevice>();
    last_opened_ = opened.get();
    return std::unique_ptr<device::Device>(std::move(opened));
  }
  [[nodiscard]] Versions versions() override { return {}; }

  [[nodiscard]] const device::RecordingDevice& last_opened() const { return *last_opened_; }

 private:
  device::RecordingDevice* last_opened_ = nullptr;
};

/// Two devices under a plan, of which the first counts what reaches it.
struct Recorded {
  explicit Recorded(const Plan& plan) {
    auto recording = std::make_unique<RecordingDriver>();
    RecordingDriver& recorder = *recording;
    driver = inject(std::move(recording), plan);
    first = driver->open(0).value();
    recorded = &recorder.last_opened();
    second = driver->open(1).value();
  }

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> first;
  std::unique_ptr<device::Device> second;
  const device::RecordingDevice* recorded = nullptr;
};

std::vector<device::AnyCall> calls_with_status() {
  std::vector<device::AnyCall> calls = device::every_call();
  std::erase_if(calls, [](const device::AnyCall& call) { return !call.gives_status; });
  return calls;
}

class EveryCall : public testing::TestWithParam<device::AnyCall> {
 protected:
  static Plan plan(Effect effect) {
    return {{{.operation = GetParam().operation, .effect = effect, .status = injected}}};
  }
  static std::uint64_t reached(const Recorded& devices) { return devices.recorded->calls(GetParam().operation); }
};

TEST_P(EveryCall, ReachesTheDeviceUnderAnEmptyPlan) {
  const Recorded devices({});
  EXPECT_EQ(GetParam().make(*devices.first), Status::success);
  EXPECT_EQ(reached(devices), 1U);
}

TEST_P(EveryCall, FailsWithoutBeingMade) {
  const Recorded devices(plan(Effect::fail));
  EXPECT_EQ(GetParam().make(*devices.first), injected);
  EXPECT_EQ(reached(devices), 0U);
}

TEST_P(EveryCall, IsDropped) {
  const Recorded devices(plan(Effect::drop));
  EXPECT_EQ(GetParam().make(*devices.first), Status::success);
  EXPECT_EQ(reached(devices), 0U);
}

TEST_P(EveryCall, IsMadeAndReportedAsSuccess) {
  const Recorded devices(plan(Effect::report_success));
  devices.recorded->answer_with(Status::invalid_value);
  EXPECT_EQ(GetParam().make(*devices.first), Status::success);
  EXPECT_EQ(reached(devices), 1U);
}

TEST_P(EveryCall, GivesTheDevicesAnswerOtherwise) {
  const Recorded devices({});
  devices.recorded->answer_with(Status::invalid_value);
  EXPECT_EQ(GetParam().make(*devices.first), Status::invalid_value);
}

TEST_P(EveryCall, LosesTheDevice) {
  const Recorded devices(plan(Effect::lose_device));
  EXPECT_EQ(GetParam().make(*devices.first), injected);
  EXPECT_EQ(reached(devices), 0U);
  EXPECT_EQ(devices.first->synchronize(), injected);
  EXPECT_EQ(devices.first->last_error(), injected);
  EXPECT_EQ(devices.first->last_error(), injected);
  EXPECT_EQ(status_of(devices.first->allocate(64)), injected);
  EXPECT_EQ(devices.second->synchronize(), injected);  // all devices
}

INSTANTIATE_TEST_SUITE_P(Calls, EveryCall, testing::ValuesIn(calls_with_status()), [](const auto& information) {
  return std::string(to_text(information.param.operation)) + "_" + std::to_string(information.index);
});

TEST(ReportSuccess, HidesAFailureAndGivesZero) {
  const Plan plan{{{Operation::free, Effect::report_success}, {Operation::allocate, Effect::report_success}}};
  const Faulty faulty(plan);
  int on_the_stack = 0;
  EXPECT_EQ(faulty.device().free(&on_the_stack), Status::success);
  EXPECT_EQ(faulty.device().free(&on_the_stack), Status::invalid_value);
  const Result<void*> impossible = faulty.device().allocate(std::size_t{1} << 60);
  ASSERT_EQ(status_of(impossible), Status::success);
  EXPECT_EQ(*impossible, nullptr);
}

TEST(Counting, MeansTheCallsFromTheFirstOn) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 2, .times = 2}}});
  std::vector<bool> failed;
  for (int i = 0; i < 5; ++i) failed.push_back(!faulty.device().memory_info());
  EXPECT_EQ(failed, (std::vector{false, true, true, false, false}));
}

TEST(Counting, MeansAllThatFollowForZeroTimes) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 3, .times = 0}}});
  std::vector<bool> failed;
  for (int i = 0; i < 5; ++i) failed.push_back(!faulty.device().memory_info());
  EXPECT_EQ(failed, (std::vector{false, false, true, true, true}));
}

TEST(Counting, IsPerOperationAndOverAllDevices) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 2}}}, 2);
  EXPECT_TRUE(faulty.device(0).memory_info());
  EXPECT_EQ(faulty.device(0).synchronize(), Status::success);
  EXPECT_FALSE(faulty.device(1).memory_info());
  EXPECT_TRUE(faulty.device(0).memory_info());
}

TEST(Counting, TakesTheFirstRuleThatApplies) {
  const Plan plan{{{.operation = Operation::synchronize, .effect = Effect::fail, .times = 1, .status = injected},
                   {.operation = Operation::synchronize, .effect = Effect::fail, .times = 2}}};
  const Faulty faulty(plan);
  EXPECT_EQ(faulty.device().synchronize(), injected);
  EXPECT_EQ(faulty.device().synchronize(), Status::unknown);
  EXPECT_EQ(faulty.device().synchronize(), Status::success);
}

TEST(Counting, IsExactWithManyThreads) {
  constexpr int threads = 8;
  constexpr int calls = 200;
  const Faulty faulty(
      Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 301, .times = 500}}});
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (int j = 0; j < calls; ++j) failures += faulty.device().memory_info() ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failures, 500);
}

TEST(EmptyPlan, ChangesNothing) {
  const auto driver = inject(sim::make_driver({.profile = sim::profile("small")}), {});
  const auto bare = sim::make_driver({.profile = sim::profile("small")});
  EXPECT_EQ(driver->kind(), bare->kind());
  EXPECT_EQ(driver->visible_devices_variable(), bare->visible_devices_variable());
  EXPECT_EQ(status_of(driver->device_count_without_initialising()), Status::initialization_error);
  EXPECT_EQ(*driver->device_count(), 1);
  EXPECT_EQ(status_of(driver->open(7)), status_of(bare->open(7)));
  const auto device = driver->open(0).value();
  EXPECT_EQ(device->ordinal(), 0);
  EXPECT_EQ(device->properties().name, sim::profile("small").properties.name);
  EXPECT_EQ(device->error_text(Status::out_of_memory), "out of memory");
  EXPECT_EQ(device->default_stream(), bare->open(0).value()->default_stream());
}

}  // namespace
}  // namespace gpucheck::fault
