// The same for a GPU, as a user would write it: on the CUDA driver, found at run time, so
// that it builds anywhere. cuMemFree waits for the device itself.

#include <cstddef>
#include <dlfcn.h>
#include <mutex>

namespace {

using Context = void*;
using Address = unsigned long long;

class Driver {
 public:
  /// Null where there is no driver.
  static const Driver* get() {
    static const Driver driver;
    return driver.library_ != nullptr ? &driver : nullptr;
  }

  /// Null when there is no memory.
  [[nodiscard]] void* allocate(std::size_t bytes, int device) const {
    Address address = 0;
    if (!enter(device) || allocate_(&address, bytes) != 0) return nullptr;
    return reinterpret_cast<void*>(address);
  }
  void free(void* pointer, int device) const {
    if (enter(device)) free_(reinterpret_cast<Address>(pointer));
  }

 private:
  Driver() : library_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find("cuInit", initialise_);
    find("cuDeviceGet", device_get_);
    find("cuDevicePrimaryCtxRetain", retain_);
    find("cuCtxSetCurrent", set_current_);
    find("cuMemAlloc_v2", allocate_);
    find("cuMemFree_v2", free_);
    if (library_ != nullptr && initialise_(0) != 0) library_ = nullptr;
  }

  template <typename Function>
  void find(const char* name, Function& function) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) library_ = nullptr;
  }

  /// Makes the context that everybody in the process shares the thread's current one.
  [[nodiscard]] bool enter(int device) const {
    static std::mutex mutex;
    static Context contexts[64] = {};
    const std::scoped_lock lock(mutex);
    Context& context = contexts[device];
    int handle = 0;
    if (context == nullptr && (device_get_(&handle, device) != 0 || retain_(&context, handle) != 0)) return false;
    return set_current_(context) == 0;
  }

  void* library_;
  int (*initialise_)(unsigned) = nullptr;
  int (*device_get_)(int*, int) = nullptr;
  int (*retain_)(Context*, int) = nullptr;
  int (*set_current_)(Context) = nullptr;
  int (*allocate_)(Address*, std::size_t) = nullptr;
  int (*free_)(Address) = nullptr;
};

}  // namespace

extern "C" void* my_malloc(std::size_t bytes, int device, void* /*stream*/) {
  const Driver* driver = Driver::get();
  return bytes == 0 || driver == nullptr ? nullptr : driver->allocate(bytes, device);
}

extern "C" void my_free(void* pointer, std::size_t /*bytes*/, int device, void* /*stream*/) {
  if (const Driver* driver = Driver::get(); driver != nullptr && pointer != nullptr) driver->free(pointer, device);
}
