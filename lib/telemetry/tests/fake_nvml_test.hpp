#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "telemetry/source.hpp"

namespace gpucheck::telemetry {

/// The stand-in is loaded first; whoever then asks for its name gets it.
class FakeNvmlTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void answer(const char* function, int code) {
    reinterpret_cast<void (*)(const char*, int)>(::dlsym(library_, "fake_nvml_answers"))(function, code);
  }
  void be_of_driver(const char* version) {
    reinterpret_cast<void (*)(const char*)>(::dlsym(library_, "fake_nvml_is_of"))(version);
  }
  /// Calls of the library since this was last asked.
  [[nodiscard]] int calls() { return reinterpret_cast<int (*)()>(::dlsym(library_, "fake_nvml_calls"))(); }
  [[nodiscard]] static Gpu read_gpu() { return open_nvml()->read().gpus.at(0); }

  void* library_ = nullptr;
};

}  // namespace gpucheck::telemetry
