#include "base/nvml/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::nvml {

Library::Library() : library_(::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    const char* const reason = ::dlerror();
    throw NotInstalled(fmt::format("NVML cannot be loaded: {}", reason == nullptr ? "no reason given" : reason));
  }
  if (const Return code = call("nvmlInit_v2"); code != Return::success) {
    throw EnvironmentError(fmt::format("nvmlInit_v2: {}", text(code)));
  }
}

// The library itself stays loaded: it keeps memory and exit handlers of its own.
Library::~Library() { static_cast<void>(call("nvmlShutdown")); }

void* Library::find(const char* name) const noexcept { return ::dlsym(library_, name); }

std::string Library::text(Return code) const {
  if (code == Return::no_such_function) return "this driver's library has no such function";
  using ErrorString = const char*(int);
  auto* const error_string = reinterpret_cast<ErrorString*>(find("nvmlErrorString"));
  const char* const words = error_string == nullptr ? nullptr : error_string(static_cast<int>(code));
  return words == nullptr ? fmt::format("NVML's error {}", static_cast<int>(code)) : words;
}

}  // namespace gpucheck::nvml
