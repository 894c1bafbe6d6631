#include "runtime/pluggable/pluggable_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "runtime/pluggable/stopped_exceptions.hpp"

namespace gpucheck::runtime {
namespace {

[[noreturn]] void reject(const std::string& path, std::string_view what) {
  const char* why = ::dlerror();
  throw EnvironmentError(
      fmt::format("allocator library {}: {}: {}", path, what, why != nullptr ? why : "no reason given"));
}

void* open(const std::string& path) {
  // Without a slash the loader would look everywhere but here.
  const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = nullptr;  // whose objects are made now
  stop_exceptions_of([&] { library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (library == nullptr) reject(path, "cannot be loaded");
  return library;
}

void* require_symbol(void* library, const AllocatorChoice& choice, const std::string& name) {
  void* symbol = ::dlsym(library, name.c_str());
  if (symbol == nullptr)
    reject(choice.library, fmt::format("has no function {}; name its own with FILE.so:ALLOCATE,FREE", name));
  return symbol;
}

PluggableLibrary::Functions load(const AllocatorChoice& choice) {
  using Functions = PluggableLibrary::Functions;
  void* library = open(choice.library);
  Functions functions;
  functions.allocate =
      reinterpret_cast<decltype(Functions::allocate)>(require_symbol(library, choice, choice.allocate_symbol));
  functions.free = reinterpret_cast<decltype(Functions::free)>(require_symbol(library, choice, choice.free_symbol));
  functions.set_device_memory =
      reinterpret_cast<decltype(Functions::set_device_memory)>(::dlsym(library, "gpucheck_set_device_memory"));
  return functions;
}

}  // namespace

PluggableLibrary::PluggableLibrary(device::Device& device, const AllocatorChoice& choice)
    : PluggableLibrary(device, choice.library, load(choice)) {}

PluggableLibrary::PluggableLibrary(device::Device& device, std::string name, const Functions& functions)
    : device_(device), name_(std::move(name)), ordinal_(device.ordinal()), functions_(functions) {
  if (!takes_device_memory()) return;
  stop_exceptions_of([this] { functions_.set_device_memory(allocate_memory, free_memory, wait_for_device, this); });
}

void PluggableLibrary::require_device_memory() const {
  if (takes_device_memory()) return;
  throw EnvironmentError(
      fmt::format("allocator library {}: it has no function gpucheck_set_device_memory, so it cannot take its memory "
                  "from a simulated device: export one, or use a GPU with --device cuda",
                  name_));
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
  void* pointer = nullptr;
  stop_exceptions_of([&] { pointer = functions_.allocate(bytes, ordinal_, reinterpret_cast<void*>(stream.value)); });
  return pointer;
}

void PluggableLibrary::free(void* pointer, std::size_t bytes, device::Stream stream) const noexcept {
  stop_exceptions_of([&] { functions_.free(pointer, bytes, ordinal_, reinterpret_cast<void*>(stream.value)); });
}

}  // namespace gpucheck::runtime
