#include <cstring>
#include <map>
#include <string>

/// Stands in for libnvidia-ml.so.1: one GPU with six links, of which each answer is a number
/// that no other has. A function can be made to fail.
namespace {

std::map<std::string, int>& codes() {
  static std::map<std::string, int> the_codes;
  return the_codes;
}

/// Functions called since this was cleared.
int& calls() {
  static int count = 0;
  return count;
}

int code_of(const char* function) {
  ++calls();
  const auto found = codes().find(function);
  return found == codes().end() ? 0 : found->second;
}

std::string& driver_version() {
  static std::string version = "580.159.04";
  return version;
}

template <typename Number>
int fill(const char* function, Number* to, Number value) {
  *to = value;
  return code_of(function);
}

int fill_text(const char* function, char* to, unsigned length, const char* text) {
  if (length <= std::strlen(text)) return 7;
  std::memcpy(to, text, std::strlen(text) + 1);
  return code_of(function);
}

struct Pci {
  char legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};
/// @param address of 16 characters.
void fill_address(Pci* to, const char (&address)[17]) { std::memcpy(to->bus_id, address, sizeof address); }

struct Field {
  unsigned id;
  unsigned scope;
  long long timestamp;
  long long latency;
  int type;
  int status;
  unsigned long long value;
};
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
struct Sram {
  unsigned version;
  unsigned long long counts[11];
  unsigned threshold;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
struct Margin {
  unsigned version;
  int celsius;
};
struct Event {
  void* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct Device;

int the_device = 0;

}  // namespace

extern "C" {

void fake_nvml_answers(const char* function, int code) { codes()[function] = code; }
void fake_nvml_recovers() {
  codes().clear();
  driver_version() = "580.159.04";
}
void fake_nvml_is_of(const char* version) { driver_version() = version; }
int fake_nvml_calls() {
  const int count = calls();
  calls() = 0;
  return count;
}

int nvmlInit_v2() { return code_of("nvmlInit_v2"); }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  return code == 15 ? "GPU is lost" : code == 3 ? "Not Supported" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char* to, unsigned length) {
  return fill_text("nvmlSystemGetDriverVersion", to, length, driver_version().c_str());
}
int nvmlSystemGetNVMLVersion(char* to, unsigned length) {
  return fill_text("nvmlSystemGetNVMLVersion", to, length, "13.580.1");
}
int nvmlSystemGetCudaDriverVersion_v2(int* to) { return fill("nvmlSystemGetCudaDriverVersion_v2", to, 13010); }
int nvmlDeviceGetCount_v2(unsigned* to) {
  const auto asked = codes().find("devices");
  return fill("nvmlDeviceGetCount_v2", to, asked == codes().end() ? 1U : static_cast<unsigned>(asked->second));
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device** to) {
  if (std::strcmp(address, "0000:00:06.0") != 0) return 6;
  return fill("nvmlDeviceGetHandleByPciBusId_v2", to, reinterpret_cast<Device*>(&the_device));
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, Device** to) {
  return fill("nvmlDeviceGetHandleByIndex_v2", to, reinterpret_cast<Device*>(&the_device));
}
int nvmlDeviceGetName(Device*, char* to, unsigned length) { return fill_text("nvmlDeviceGetName", to, length, "Fake"); }
int nvmlDeviceGetUUID(Device*, char* to, unsigned length) {
  return fill_text("nvmlDeviceGetUUID", to, length, "GPU-1");
}
int nvmlDeviceGetSerial(Device*, char* to, unsigned length) {
  return fill_text("nvmlDeviceGetSerial", to, length, "1650");
}
int nvmlDeviceGetVbiosVersion(Device*, char* to, unsigned length) {
  return fill_text("nvmlDeviceGetVbiosVersion", to, length, "96.00");
}
int nvmlDeviceGetPciInfo_v3(Device*, Pci* to) {
  fill_address(to, "00000000:00:06.0");
  return code_of("nvmlDeviceGetPciInfo_v3");
}
int nvmlDeviceGetPersistenceMode(Device*, int* to) { return fill("nvmlDeviceGetPersistenceMode", to, 1); }
int nvmlDeviceGetComputeMode(Device*, int* to) { return fill("nvmlDeviceGetComputeMode", to, 3); }
int nvmlDeviceGetMigMode(Device*, unsigned* now, unsigned* pending) {
  *pending = 1;
  return fill("nvmlDeviceGetMigMode", now, 0U);
}
int nvmlDeviceGetEccMode(Device*, int* now, int* pending) {
  *pending = 0;
  return fill("nvmlDeviceGetEccMode", now, 1);
}
int nvmlDeviceGetTemperature(Device*, int sensor, unsigned* to) {
  return fill("nvmlDeviceGetTemperature", to, 41U + static_cast<unsigned>(sensor));
}
int nvmlDeviceGetTemperatureThreshold(Device*, int which, unsigned* to) {
  return fill("nvmlDeviceGetTemperatureThreshold", to, 90U + static_cast<unsigned>(which));
}
int nvmlDeviceGetPowerUsage(Device*, unsigned* to) { return fill("nvmlDeviceGetPowerUsage", to, 82260U); }
int nvmlDeviceGetEnforcedPowerLimit(Device*, unsigned* to) {
  return fill("nvmlDeviceGetEnforcedPowerLimit", to, 650000U);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device*, unsigned* to) {
  return fill("nvmlDeviceGetPowerManagementDefaultLimit", to, 700000U);
}
int nvmlDeviceGetPowerManagementLimitConstraints(Device*, unsigned* least, unsigned* most) {
  *most = 710000;
  return fill("nvmlDeviceGetPowerManagementLimitConstraints", least, 200000U);
}
int nvmlDeviceGetClockInfo(Device*, int type, unsigned* to) {
  return fill("nvmlDeviceGetClockInfo", to, 300U + static_cast<unsigned>(type));
}
int nvmlDeviceGetMaxClockInfo(Device*, int type, unsigned* to) {
  return fill("nvmlDeviceGetMaxClockInfo", to, 1900U + static_cast<unsigned>(type));
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device*, unsigned long long* to) {
  return fill("nvmlDeviceGetCurrentClocksThrottleReasons", to, 0x44ULL);
}
int nvmlDeviceGetFieldValues(Device*, int count, Field* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].type = 3;
    const auto status = codes().find("field " + std::to_string(fields[i].id));
    fields[i].status = status != codes().end() ? status->second : fields[i].id == 76 ? 3 : 0;
    fields[i].value = 1000ULL + fields[i].id + 10'000ULL * fields[i].scope;
  }
  return code_of("nvmlDeviceGetFieldValues");
}
int nvmlDeviceGetMemoryInfo(Device*, unsigned long long* to) {
  to[0] = 150ULL << 30U;
  to[1] = 140ULL << 30U;
  to[2] = 10ULL << 30U;
  return code_of("nvmlDeviceGetMemoryInfo");
}
int nvmlDeviceGetMemoryInfo_v2(Device*, MemoryV2* to) {
  if (to->version != 0x2000028) return 25;
  *to = {to->version, 160ULL << 30U, 1ULL << 30U, 150ULL << 30U, 9ULL << 30U};
  return code_of("nvmlDeviceGetMemoryInfo_v2");
}
int nvmlDeviceGetUtilizationRates(Device*, unsigned* to) {
  to[0] = 7;
  to[1] = 8;
  return code_of("nvmlDeviceGetUtilizationRates");
}
int nvmlDeviceGetTotalEccErrors(Device*, int type, int counter, unsigned long long* to) {
  if (codes().contains("all bits of ECC counters")) return fill("nvmlDeviceGetTotalEccErrors", to, ~0ULL);
  return fill("nvmlDeviceGetTotalEccErrors", to, 100ULL + static_cast<unsigned>(10 * type + counter));
}
int nvmlDeviceGetMemoryErrorCounter(Device*, int type, int counter, int place, unsigned long long* to) {
  return fill("nvmlDeviceGetMemoryErrorCounter", to,
              1000ULL * static_cast<unsigned>(place) + static_cast<unsigned>(10 * type + counter));
}
int nvmlDeviceGetRemappedRows(Device*, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed) {
  *uncorrected = 22;
  *pending = 1;
  *failed = 0;
  return fill("nvmlDeviceGetRemappedRows", corrected, 21U);
}
int nvmlDeviceGetRowRemapperHistogram(Device*, unsigned* to) {
  for (unsigned i = 0; i < 5; ++i) to[i] = 50 + i;
  return code_of("nvmlDeviceGetRowRemapperHistogram");
}
int nvmlDeviceGetRetiredPages(Device*, int cause, unsigned* count, unsigned long long*) {
  *count = 31U + static_cast<unsigned>(cause);
  return 7;  // there was no room for the addresses
}
int nvmlDeviceGetRetiredPagesPendingStatus(Device*, int*) { return 3; }
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
int nvmlDeviceGetSramEccErrorStatus(Device*, Sram* to) {
  if (to->version != 0x1000068) return 25;
  to->threshold = 1;
  return code_of("nvmlDeviceGetSramEccErrorStatus");
}
int nvmlDeviceGetMarginTemperature(Device*, Margin* to) {
  if (to->version != 0x1000008) return 25;
  to->celsius = -3;
  return code_of("nvmlDeviceGetMarginTemperature");
}
int nvmlDeviceValidateInforom(Device*) { return code_of("nvmlDeviceValidateInforom"); }
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
