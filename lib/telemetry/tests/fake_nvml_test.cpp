#include "fake_nvml_test.hpp"

namespace gpucheck::telemetry {

void FakeNvmlTest::SetUp() {
  library_ = ::dlopen(GPUCHECK_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library_, nullptr) << ::dlerror();
  reinterpret_cast<void (*)()>(::dlsym(library_, "fake_nvml_recovers"))();
}

}  // namespace gpucheck::telemetry
