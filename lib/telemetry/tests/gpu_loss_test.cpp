#include "telemetry/machine/gpu_loss.hpp"

#include <gtest/gtest.h>

namespace gpucheck::telemetry {
namespace {

TEST(GpuLoss, IsInTheDriversWords) {
  EXPECT_EQ(loss_in("nvmlDeviceGetHandleByIndex_v2: GPU is lost"), GpuLoss::lost);
  EXPECT_EQ(loss_in("GPU has fallen off the bus"), GpuLoss::lost);
  EXPECT_EQ(loss_in("nvmlDeviceGetEccMode: GPU requires reset"), GpuLoss::reset_required);
  EXPECT_EQ(loss_in("The GPU requires a reset before it can be used again"), GpuLoss::reset_required);
  EXPECT_EQ(loss_in("nvmlDeviceGetEccMode: Unknown Error"), std::nullopt);
  EXPECT_EQ(loss_in(""), std::nullopt);
}

TEST(GpuLoss, IsOfAGpuThatFailsToAnswer) {
  Gpu gpu;
  EXPECT_EQ(loss_of(gpu), "");
  gpu[Reading::ecc_enabled] = Unavailable{.reason = "GPU is lost"};  // an answer that is only not offered
  gpu[Reading::name] = std::string("GPU is lost");
  EXPECT_EQ(loss_of(gpu), "");
  gpu[Reading::ecc_enabled] = Unavailable{.reason = "GPU is lost", .is_failure = true};
  EXPECT_EQ(loss_of(gpu), "ecc_enabled: GPU is lost");
}

TEST(GpuLoss, MayBeSaidByALinkOrTheProcesses) {
  const Unavailable lost{.reason = "nvmlDeviceGetNvLinkState: GPU is lost", .is_failure = true};
  Gpu gpu;
  gpu.links.resize(18);
  gpu.links[17][LinkReading::is_active] = lost;
  EXPECT_EQ(loss_of(gpu), "link 17: is_active: nvmlDeviceGetNvLinkState: GPU is lost");
  gpu.links.clear();
  gpu.links_problem = "GPU requires reset";
  EXPECT_EQ(loss_of(gpu), "") << "not a failure";
  gpu.links_failed = true;
  EXPECT_EQ(loss_of(gpu), "links: GPU requires reset");
  gpu.links_failed = false;
  gpu.processes_problem = "GPU is lost";
  gpu.processes_failed = true;
  EXPECT_EQ(loss_of(gpu), "processes: GPU is lost");
}

TEST(GpuLoss, IsNotSaidByWhatIsAskedForAllGpusAtOnce) {
  Gpu gpu;
  gpu.xids_problem = "nvmlEventSetWait_v2: GPU is lost";
  gpu.xids_failed = true;
  EXPECT_EQ(loss_of(gpu), "");
}

}  // namespace
}  // namespace gpucheck::telemetry
