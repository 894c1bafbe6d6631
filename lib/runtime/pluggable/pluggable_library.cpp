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

}  // namespace

PluggableLibrary::PluggableLibrary(device::Device& device, const AllocatorChoice& choice)
    : device_(device), path_(choice.library), ordinal_(device.ordinal()) {
  void* library = open(choice.library);
  allocate_ = reinterpret_cast<Allocate>(require_symbol(library, choice, choice.allocate_symbol));
  free_ = reinterpret_cast<Free>(require_symbol(library, choice, choice.free_symbol));
  if (void* set = ::dlsym(library, "gpucheck_set_device_memory")) {
    reinterpret_cast<SetDeviceMemory>(set)(allocate_memory, free_memory, wait_for_device, this);
    takes_device_memory_ = true;
  }
}

void PluggableLibrary::require_device_memory() const {
  if (takes_device_memory_) return;
  throw EnvironmentError(
      fmt::format("allocator library {}: it has no function gpucheck_set_device_memory, so it cannot take its memory "
                  "from a simulated device: export one, or use a GPU with --device cuda",
                  path_));
}

void* PluggableLibrary::allocate_memory(void* context, std::size_t bytes) {
  device::Device& device = static_cast<PluggableLibrary*>(context)->device_;
  const device::Result<void*> memory = device.allocate(bytes);
  if (memory) return *memory;
  static_cast<void>(device.last_error());
  return nullptr;
}

void PluggableLibrary::free_memory(void* context, void* pointer) {
  auto* const library = static_cast<PluggableLibrary*>(context);
  if (library->device_.free(pointer) == device::Status::success) return;
  static_cast<void>(library->device_.last_error());
  ++library->failed_frees_;
}

int PluggableLibrary::wait_for_device(void* context) {
  return static_cast<int>(static_cast<PluggableLibrary*>(context)->device_.synchronize());
}

void* PluggableLibrary::allocate(std::size_t bytes, device::Stream stream) const noexcept {
  return allocate_(bytes, ordinal_, reinterpret_cast<void*>(stream.value));
}

void PluggableLibrary::free(void* pointer, std::size_t bytes, device::Stream stream) const noexcept {
  free_(pointer, bytes, ordinal_, reinterpret_cast<void*>(stream.value));
}

}  // namespace gpucheck::runtime
