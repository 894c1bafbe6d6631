#include <cstdio>
#include <cstdlib>

/// Stands in for the vendor's driver library: says that it was loaded, in the file that
/// GPUCHECK_TEST_MARKER names, and can do nothing else.
namespace {

const bool loaded = [] {
  const char* path = std::getenv("GPUCHECK_TEST_MARKER");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file != nullptr) std::fclose(file);
  return file != nullptr;
}();

}  // namespace

extern "C" bool gpucheck_fake_driver_loaded() { return loaded; }
