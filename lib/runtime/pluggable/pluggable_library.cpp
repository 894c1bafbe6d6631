#include "runtime/pluggable/pluggable_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <string>

namespace gpucheck::runtime {
namespace {

using SetDeviceMemory = void (*)(void* (*allocate)(void*, std::size_t), void (*free)(void*, void*), int (*wait)(void*),
                                 void* context);

[[noreturn]] void reject(const std::string& path, std::string_view what) {
  const char* why = ::dlerror();
  throw EnvironmentError(
      fmt::format("allocator library {}: {}: {}", path, what, why != nullptr ? why : "no reason given"));
}

void* open(const std::string& path) {
  // Without a slash the loader would look everywhere but here.
  const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) reject(path, "cannot be loaded");
  return library;
}

void* require_symbol(void* library, const AllocatorChoice& choice, const std::string& name) {
  void* symbol = ::dlsym(library, name.c_str());
  if (symbol == nullptr)
    reject(choice.library, fmt::format("has no function {}; name its own with FILE.so:ALLOCATE,FREE", name));
  return symbol;
}

device::Device& device_of(void* context) { return *static_cast<device::Device*>(context); }

void* allocate_memory(void* context, std::size_t bytes) {
  const device::Result<void*> memory = device_of(context).allocate(bytes);
  if (memory) return *memory;
  static_cast<void>(device_of(context).last_error());
  return nullptr;
}

void free_memory(void* context, void* pointer) { static_cast<void>(device_of(context).free(pointer)); }

int wait_for_device(void* context) { return static_cast<int>(device_of(context).synchronize()); }

}  // namespace

PluggableLibrary::PluggableLibrary(device::Device& device, const AllocatorChoice& choice) : ordinal_(device.ordinal()) {
  void* library = open(choice.library);
  allocate_ = reinterpret_cast<Allocate>(require_symbol(library, choice, choice.allocate_symbol));
  free_ = reinterpret_cast<Free>(require_symbol(library, choice, choice.free_symbol));
  if (void* set = ::dlsym(library, "gpucheck_set_device_memory")) {
    reinterpret_cast<SetDeviceMemory>(set)(allocate_memory, free_memory, wait_for_device, &device);
    takes_device_memory_ = true;
  }
}

void* PluggableLibrary::allocate(std::size_t bytes, device::Stream stream) const noexcept {
  return allocate_(bytes, ordinal_, reinterpret_cast<void*>(stream.value));
}

void PluggableLibrary::free(void* pointer, std::size_t bytes, device::Stream stream) const noexcept {
  free_(pointer, bytes, ordinal_, reinterpret_cast<void*>(stream.value));
}

}  // namespace gpucheck::runtime
