#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <string>

namespace gpucheck::cuda {

/// Finds functions of a library that was loaded, until one is missing.
struct FunctionFinder {
  void* library = nullptr;
  const char* library_name = nullptr;
  std::string problem = {};  ///< what is missing

  template <typename Function>
  void find(Function& function, const char* name) {
    if (!problem.empty()) return;
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) problem = fmt::format("{} has no function {}", library_name, name);
  }
};

}  // namespace gpucheck::cuda
