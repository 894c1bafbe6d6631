#include <cstring>
#include <string>

#include "base/nvml/tests/fake_nvml_answers.hpp"

/// The links of the GPU, the processes that use it, and the errors that it reports.
namespace gpucheck::fake_nvml {
namespace {

struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct Fabric {
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};
struct VersionedFabric {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
  unsigned mask;
  unsigned char summary;
};
struct Event {
  void* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

extern "C" {

int nvmlDeviceGetCurrPcieLinkGeneration(Device*, unsigned* to) {
  return fill("nvmlDeviceGetCurrPcieLinkGeneration", to, 4U);
}
int nvmlDeviceGetCurrPcieLinkWidth(Device*, unsigned* to) { return fill("nvmlDeviceGetCurrPcieLinkWidth", to, 8U); }
int nvmlDeviceGetMaxPcieLinkGeneration(Device*, unsigned* to) {
  return fill("nvmlDeviceGetMaxPcieLinkGeneration", to, 5U);
}
int nvmlDeviceGetMaxPcieLinkWidth(Device*, unsigned* to) { return fill("nvmlDeviceGetMaxPcieLinkWidth", to, 16U); }
int nvmlDeviceGetGpuMaxPcieLinkGeneration(Device*, unsigned* to) {
  return fill("nvmlDeviceGetGpuMaxPcieLinkGeneration", to, 6U);
}
int nvmlDeviceGetPcieReplayCounter(Device*, unsigned* to) { return fill("nvmlDeviceGetPcieReplayCounter", to, 77U); }
int nvmlDeviceGetGpuFabricInfo(Device*, Fabric* to) {
  to->state = 3;
  to->status = 1;
  return code_of("nvmlDeviceGetGpuFabricInfo");
}
/// Knows the versions 2 and 3, which nvml.h numbers so.
int nvmlDeviceGetGpuFabricInfoV(Device*, VersionedFabric* to) {
  const bool is_third = to->version == 0x3000028;
  if (!is_third && to->version != 0x2000024) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  if (is_third && code_of("fabric 3") != 0) return code_of("fabric 3");
  to->state = 3;
  to->status = 1;
  to->clique = 32;
  std::memset(to->cluster, 0xab, sizeof to->cluster);
  to->mask = 0x1aa;
  if (is_third) to->summary = 2;
  return code_of("nvmlDeviceGetGpuFabricInfoV");
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(Device*, unsigned* count, Process* processes) {
  *count = 2;
  processes[0] = {4720, 300, 0, 0};
  processes[1] = {4721, code_of("graphics memory unknown") != 0 ? ~0ULL : 33, 0, 0};
  return code_of("nvmlDeviceGetGraphicsRunningProcesses_v3");
}
int nvmlDeviceGetNvLinkState(Device*, unsigned link, int* active) {
  *active = link != 2;
  const auto own = codes().find("link " + std::to_string(link));
  if (own != codes().end()) return own->second;
  return link < 6 ? code_of("nvmlDeviceGetNvLinkState") : 2;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device*, unsigned, int* type) {
  return fill("nvmlDeviceGetNvLinkRemoteDeviceType", type, codes().contains("direct links") ? 0 : 2);
}
/// The first two links lead to one device, the others to another.
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device*, unsigned link, Pci* to) {
  fill_address(to, link < 2 ? "00000000:00:07.0" : "00000000:00:08.0");
  return code_of("nvmlDeviceGetNvLinkRemotePciInfo_v2");
}
int nvmlDeviceGetNvLinkErrorCounter(Device*, unsigned link, int counter, unsigned long long* to) {
  return fill("nvmlDeviceGetNvLinkErrorCounter", to, 10ULL * link + static_cast<unsigned>(counter));
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device*, unsigned* count, Process* processes) {
  const unsigned room = *count;
  *count = code_of("many processes") != 0 ? 100 : 2;
  if (room < *count) return 7;
  for (unsigned i = 0; i < *count; ++i) processes[i] = {4711 + i, i == 0 ? 5ULL << 20U : ~0ULL, 0, 0};
  return code_of("nvmlDeviceGetComputeRunningProcesses_v3");
}
int nvmlEventSetCreate(int** to) {
  *to = &the_device;
  return code_of("nvmlEventSetCreate");
}
int nvmlEventSetFree(int*) { return 0; }
int nvmlDeviceRegisterEvents(Device*, unsigned long long types, int*) {
  return types == 8 ? code_of("nvmlDeviceRegisterEvents") : 2;
}
/// The error that it was given, once; no more came in time then.
int nvmlEventSetWait_v2(int*, Event* to, unsigned) {
  const int xid = code_of("xid");
  if (xid == 0) return codes().contains("nvmlEventSetWait_v2") ? codes()["nvmlEventSetWait_v2"] : 10;
  *to = {&the_device, 8, static_cast<unsigned long long>(xid), ~0U, ~0U};
  codes().erase("xid");
  return 0;
}

}  // extern "C"

}  // namespace gpucheck::fake_nvml
