#include "telemetry/machine/machine.hpp"

#include <gtest/gtest.h>

namespace gpucheck::telemetry {
namespace {

Gpu gpu_of(const char* uuid, const char* address) {
  Gpu gpu;
  gpu[Reading::uuid] = uuid;
  gpu[Reading::pci_address] = address;
  return gpu;
}

TEST(Machine, AGpuIsKnownByUuidOrAddress) {
  const Gpu gpu = gpu_of("GPU-1", "00000000:3B:00.0");
  EXPECT_TRUE(is_gpu(gpu, {.uuid = "GPU-1", .pci_address = ""}));
  EXPECT_TRUE(is_gpu(gpu, {.uuid = "MIG-1", .pci_address = "0000:3b:00.0"}));
  EXPECT_FALSE(is_gpu(gpu, {.uuid = "GPU-2", .pci_address = "0000:3c:00.0"}));
  EXPECT_FALSE(is_gpu(gpu, {}));
  EXPECT_FALSE(is_gpu(gpu_of("", ""), {}));
}

TEST(Machine, FindsAGpuWhateverItsPlace) {
  Machine machine;
  machine.gpus = {gpu_of("GPU-1", "a"), gpu_of("GPU-2", "b")};
  EXPECT_EQ(find_gpu(machine, {.uuid = "GPU-2", .pci_address = ""}), &machine.gpus[1]);
  EXPECT_EQ(find_gpu(machine, {.uuid = "GPU-3", .pci_address = ""}), nullptr);
}

}  // namespace
}  // namespace gpucheck::telemetry
