#include <cstring>
#include <string>

#include "base/nvml/tests/fake_nvml_answers.hpp"

/// The library, and what its GPU is and measures.
namespace gpucheck::fake_nvml {
namespace {

struct Field {
  unsigned id;
  unsigned scope;
  long long timestamp;
  long long latency;
  int type;
  int status;
  unsigned long long value;
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

}  // extern "C"

}  // namespace gpucheck::fake_nvml
