#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Stands in for the vendor's driver library. Says that it was loaded, in the file that GPUCHECK_TEST_MARKER names, and
/// answers every question but that of its version with the error code in GPUCHECK_TEST_CUDA (100: no device).
namespace {

const bool loaded = [] {
  const char* path = std::getenv("GPUCHECK_TEST_MARKER");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file != nullptr) std::fclose(file);
  return file != nullptr;
}();

int answer() {
  const char* code = std::getenv("GPUCHECK_TEST_CUDA");
  return code == nullptr ? 100 : std::atoi(code);
}

}  // namespace

// The signatures of cuda.h, as far as the CUDA runtime looks at what comes back.
extern "C" {

bool gpucheck_fake_driver_loaded() { return loaded; }

int cuInit(unsigned /*flags*/) { return answer(); }
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuGetExportTable(const void** /*table*/, const void* /*id*/) { return answer(); }

int cuGetProcAddress_v2(const char* symbol, void** function, int /*version*/, std::uint64_t /*flags*/, int* status) {
  const std::string_view name(symbol);
  *function = reinterpret_cast<void*>(&answer);
  if (name == "cuInit") *function = reinterpret_cast<void*>(&cuInit);
  if (name == "cuDriverGetVersion") *function = reinterpret_cast<void*>(&cuDriverGetVersion);
  if (name == "cuGetProcAddress") *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
  if (status != nullptr) *status = 0;
  return 0;
}

}  // extern "C"
