#include "input/devices/unusable_gpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/values/error_codes.hpp"
#include "input/devices/devices.hpp"

namespace gpucheck::application {
namespace {

using device::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// CUDA that answers one thing.
class AnsweringCuda final : public device::Driver {
 public:
  explicit AnsweringCuda(device::Result<int> count) : count_(std::move(count)) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "cuda"; }
  [[nodiscard]] device::Result<int> device_count() override { return count_; }
  [[nodiscard]] device::Result<int> device_count_without_initialising() override { return count_; }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override { return "CUDA_VISIBLE_DEVICES"; }
  [[nodiscard]] device::Result<std::unique_ptr<device::Device>> open(int /*ordinal*/) override {
    return Status::no_device;
  }
  [[nodiscard]] Versions versions() override { return {}; }

 private:
  device::Result<int> count_;
};

MachineLook without_gpu() { return {}; }

MachineLook with_gpu_on_the_bus() {
  MachineLook look;
  look.driver.host.pci_gpus = {{"0000:3b:00.0", ""}, {"0000:3c:00.0", ""}};
  look.driver.signs = {"0000:3b:00.0 on the PCI bus", "0000:3c:00.0 on the PCI bus"};
  look.gpus = {{.name = "", .uuid = "", .pci_bus_id = "0000:3b:00.0"},
               {.name = "", .uuid = "", .pci_bus_id = "0000:3c:00.0"}};
  return look;
}

/// A whole driver, as far as can be seen.
MachineLook with_whole_driver() {
  MachineLook look;
  look.driver.host.pci_gpus = {{"0000:3b:00.0", "nvidia"}, {"0000:3c:00.0", "nvidia"}};
  look.driver.host.kernel_module_version = "580.159.04";
  look.driver.has_module = true;
  look.driver.signs = {"0000:3b:00.0 on the PCI bus"};
  look.gpus = {{.name = "NVIDIA H100", .uuid = "GPU-aa11", .pci_bus_id = "0000:3b:00.0"},
               {.name = "NVIDIA H100", .uuid = "GPU-bb22", .pci_bus_id = "0000:3c:00.0"}};
  return look;
}

runner::OpenedDriver open_with(device::Result<int> count, MachineLook (*look)()) {
  return open_automatic(std::make_unique<AnsweringCuda>(std::move(count)), look, 1);
}

Status status(int code) { return static_cast<Status>(code); }

TEST(Automatic, TakesTheSimulatorOnlyWhereNothingShowsAGpu) {
  for (const int code : {100, 35}) EXPECT_EQ(open_with(status(code), without_gpu).driver->kind(), "sim") << code;
  EXPECT_EQ(open_with(0, without_gpu).driver->kind(), "sim");
  EXPECT_EQ(open_automatic(nullptr, without_gpu, 1).driver->kind(), "sim");
}

TEST(Automatic, AGpuWithoutALoadedDriverIsNoMachineWithoutAGpu) {
  for (const int code : {100, 35, 999}) {
    const runner::OpenedDriver opened = open_with(status(code), with_gpu_on_the_bus);
    EXPECT_EQ(opened.driver->kind(), "cuda");
    EXPECT_THAT(opened.problem, HasSubstr("the driver is not loaded: GPU at 0000:3b:00.0, 0000:3c:00.0"));
    EXPECT_EQ(opened.ordinals, (std::vector{0, 1}));
    ASSERT_EQ(opened.known.size(), 2U);
    EXPECT_EQ(opened.known[1].pci_bus_id, "0000:3c:00.0");
    EXPECT_THAT(opened.note, HasSubstr("--device sim"));
  }
}

TEST(Automatic, ABinaryWithoutCudaDoesNotPassAMachineThatHasAGpu) {
  const runner::OpenedDriver opened = open_automatic(nullptr, with_whole_driver, 1);
  EXPECT_EQ(opened.driver->kind(), "cuda");
  EXPECT_THAT(opened.problem, Not(IsEmpty()));
}

TEST(Automatic, EveryOtherAnswerOfCudaIsADriversAndSoAGpus) {
  for (const device::ErrorCode& code : device::error_codes()) {
    if (code.code == 0 || code.code == 100 || code.code == 35) continue;
    const runner::OpenedDriver opened = open_with(status(code.code), without_gpu);
    EXPECT_EQ(opened.driver->kind(), "cuda") << code.code;
    EXPECT_EQ(opened.ordinals, std::vector{0}) << "one device that nobody knows";
    EXPECT_THAT(opened.known, IsEmpty());
  }
}

TEST(CudaProblem, HasTheDriversOwnWordsAndTheNextStep) {
  if (make_cuda_driver() == nullptr) GTEST_SKIP() << "built without CUDA: that is the problem then";
  EXPECT_THAT(cuda_problem(with_whole_driver(), status(802), nullptr),
              AllOf(HasSubstr("CUDA does not start: system not yet initialized (cudaErrorSystemNotReady, 802)"),
                    HasSubstr("fabric manager"), Not(HasSubstr("CUDA_VISIBLE_DEVICES is"))));
  EXPECT_THAT(cuda_problem(with_whole_driver(), status(100), ""), HasSubstr("CUDA_VISIBLE_DEVICES is \"\""));
  EXPECT_THAT(cuda_problem(with_gpu_on_the_bus(), status(100), nullptr), HasSubstr("(cudaErrorNoDevice, 100)"));
}

TEST(CudaProblem, OfADriverThatAnswersIsNotThatItIsNotLoaded) {
  if (make_cuda_driver() == nullptr) GTEST_SKIP() << "built without CUDA: that is the problem then";
  for (const int code : {46, 216, 802, 803, 804, 805, 810}) {
    EXPECT_THAT(cuda_problem(with_gpu_on_the_bus(), status(code), nullptr),
                AllOf(HasSubstr(std::to_string(code)), Not(HasSubstr("the driver is not loaded"))));
  }
  for (const int code : {3, 35, 100, 101, 999}) {
    EXPECT_THAT(cuda_problem(with_gpu_on_the_bus(), status(code), nullptr), HasSubstr("the driver is not loaded"));
  }
}

TEST(VisibleGpus, AreThoseThatTheVariableNames) {
  const std::vector<device::DeviceProperties> all = with_whole_driver().gpus;
  const auto uuids = [&all](const char* variable) {
    std::vector<std::string> found;
    for (const device::DeviceProperties& gpu : visible_gpus(all, variable)) found.push_back(gpu.uuid);
    return found;
  };
  using Uuids = std::vector<std::string>;
  EXPECT_EQ(uuids(nullptr), (Uuids{"GPU-aa11", "GPU-bb22"}));
  EXPECT_EQ(uuids("1"), Uuids{"GPU-bb22"});
  EXPECT_EQ(uuids("1,0"), (Uuids{"GPU-bb22", "GPU-aa11"}));
  EXPECT_EQ(uuids("gpu-bb"), Uuids{"GPU-bb22"});
  EXPECT_EQ(uuids("1,7,0"), Uuids{"GPU-bb22"}) << "the first that is none hides all behind it";
  EXPECT_EQ(uuids(""), (Uuids{"GPU-aa11", "GPU-bb22"})) << "hidden all: these are what cannot be used";
  EXPECT_EQ(uuids("-1"), (Uuids{"GPU-aa11", "GPU-bb22"}));
}

TEST(NamedCuda, IsLookedForOnlyWhenTheDevicesAreAskedWhatTheyAre) {
  const runner::OpenedDriver opened = open_driver("cuda:0,3", 1);
  EXPECT_EQ(opened.ordinals, (std::vector{0, 3}));
  EXPECT_EQ(opened.problem, "");
  EXPECT_TRUE(opened.look_for_problem);
}

}  // namespace
}  // namespace gpucheck::application
