#pragma once

#include <dlfcn.h>

namespace gpucheck::cuda {

/// A function of a shared library that may be absent; null when it is. The library is loaded on first use and stays.
inline void* find_symbol(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return handle != nullptr ? dlsym(handle, name) : nullptr;
}

template <typename Function>
Function* find_function(const char* library, const char* name) {
  return reinterpret_cast<Function*>(find_symbol(library, name));
}

}  // namespace gpucheck::cuda
