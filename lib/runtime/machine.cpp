#include "runtime/machine.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/devices/device_name.hpp"

namespace gpucheck::runtime {

Runtime* Machine::find(int index) const noexcept {
  const auto place =
      std::ranges::find_if(runtimes_, [index](Runtime* runtime) { return runtime->device().ordinal() == index; });
  return place == runtimes_.end() ? nullptr : *place;
}

Runtime* Machine::runtime_at(std::string_view location) const {
  if (location == "cpu") return nullptr;
  // Like PyTorch: what begins with "cuda" is looked at as a device's name, whatever follows.
  if (!location.starts_with("cuda")) {
    throw Error(fmt::format("don't know how to restore data location of torch.storage.UntypedStorage (tagged with {})",
                            location));
  }
  const DeviceName name = parse_device_name(location);
  if (runtimes_.empty()) {
    throw Error(
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
        "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
        "the CPU.");
  }
  Runtime* const found = find(name.index.value_or(current_device()));
  if (found != nullptr) return found;
  if (!name.index) return runtimes_.front();
  throw Error(
      fmt::format("Attempting to deserialize object on CUDA device {} but torch.cuda.device_count() is {}. Please use "
                  "torch.load with map_location to map your storages to an existing device.",
                  *name.index, device_count()));
}

}  // namespace gpucheck::runtime
