#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

/// Stands in for libnvidia-ml.so.1 of a machine whose driver is slow, or hangs. GPUCHECK_TEST_NVML says how:
/// "gpus=3 hang=nvmlDeviceGetTemperature@1 sleep_ms=200": three GPUs, of which the second never answers that question,
/// and 200 ms for each call. "init=17": it cannot be initialised, and 17 is the code that it gives.
namespace {

std::string word_of(std::string_view name) {
  const char* const all = std::getenv("GPUCHECK_TEST_NVML");
  std::string_view text = all == nullptr ? "" : all;
  const std::size_t begin = text.find(name);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + name.size());
  return std::string(text.substr(0, text.find(' ')));
}

struct Device {
  char mark;
};
Device devices[16];

void answer(const char* function, const Device* device = nullptr) {
  const std::string hanging = word_of("hang=");
  const std::string place = device == nullptr ? "" : "@" + std::to_string(device - devices);
  if (hanging == function || (!place.empty() && hanging == function + place)) {
    while (true) ::pause();
  }
  if (const std::string time = word_of("sleep_ms="); !time.empty()) {
    ::usleep(static_cast<useconds_t>(std::atoi(time.c_str()) * 1000));
  }
}

void fill(char* to, const std::string& text) { std::memcpy(to, text.c_str(), text.size() + 1); }

struct Pci {
  char legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  answer("nvmlInit_v2");
  return std::atoi(word_of("init=").c_str());
}
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  return code == 17 ? "GPU access blocked by the operating system" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char* to, unsigned) {
  answer("nvmlSystemGetDriverVersion");
  fill(to, "580.1");
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* to) {
  answer("nvmlDeviceGetCount_v2");
  *to = static_cast<unsigned>(std::atoi(word_of("gpus=").c_str()));
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** to) {
  answer("nvmlDeviceGetHandleByIndex_v2", &devices[index]);
  *to = &devices[index];
  return 0;
}
int nvmlDeviceGetUUID(const Device* device, char* to, unsigned) {
  answer("nvmlDeviceGetUUID", device);
  fill(to, "GPU-" + std::to_string(device - devices));
  return 0;
}
int nvmlDeviceGetPciInfo_v3(const Device* device, Pci* to) {
  answer("nvmlDeviceGetPciInfo_v3", device);
  fill(to->bus_id, "00000000:0" + std::to_string(device - devices) + ":00.0");
  return 0;
}
int nvmlDeviceGetTemperature(const Device* device, int, unsigned* to) {
  answer("nvmlDeviceGetTemperature", device);
  *to = 40;
  return 0;
}
int nvmlDeviceGetPcieReplayCounter(const Device* device, unsigned* to) {
  answer("nvmlDeviceGetPcieReplayCounter", device);
  *to = 5;
  return 0;
}
int nvmlDeviceGetComputeMode(const Device* device, int* to) {
  answer("nvmlDeviceGetComputeMode", device);
  *to = 0;
  return 0;
}
int nvmlDeviceGetMigMode(const Device* device, unsigned* now, unsigned* pending) {
  answer("nvmlDeviceGetMigMode", device);
  *now = *pending = 0;
  return 0;
}
int nvmlDeviceValidateInforom(const Device* device) {
  answer("nvmlDeviceValidateInforom", device);
  return 0;
}
int nvmlDeviceGetPersistenceMode(const Device* device, int* to) {
  answer("nvmlDeviceGetPersistenceMode", device);
  *to = 1;
  return 0;
}

}  // extern "C"
