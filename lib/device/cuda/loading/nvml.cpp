#include "device/cuda/loading/nvml.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/nvml/nvlink_model.hpp"
#include "base/nvml/nvml_library.hpp"
#include "device/links/peer_link.hpp"

namespace gpucheck::cuda::nvml {
namespace {

using gpucheck::nvml::Device;
using gpucheck::nvml::FieldValue;
using gpucheck::nvml::Library;
using gpucheck::nvml::PciInfo;
using gpucheck::nvml::Return;

/// What the library has to say; nothing where it cannot be loaded or initialised, or does not answer in time: a GPU
/// that has gone away can keep it for ever, and with it the thread that asks, which is left behind. It is not asked
/// again then.
template <typename Answer>
Answer ask(std::function<Answer(const Library&)> question) {
  constexpr std::chrono::seconds patience{3};
  static std::atomic<bool> hangs = false;
  if (hangs) return {};
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  std::thread([promise, question = std::move(question)] {
    try {
      promise->set_value(question(Library()));
    } catch (...) {
      promise->set_value({});
    }
  }).detach();
  if (answer.wait_for(patience) == std::future_status::ready) return answer.get();
  hangs = true;
  return {};
}

/// 0 where it is not reported.
int field_of(const Library& library, Device device, unsigned field_id, unsigned scope_id) {
  FieldValue field{};
  field.field_id = field_id;
  field.scope_id = scope_id;
  const Return code = library.call("nvmlDeviceGetFieldValues", device, 1, &field);
  if (code != Return::success || field.status != static_cast<int>(Return::success)) return 0;
  return static_cast<int>(field.value.unsigned_integer);
}

/// 10^6 bytes a second of each link that is up; 0 where it is not reported. Of Hopper's links (driver 580, H100) the
/// first field is reported and not the second, which is of generations before.
int link_mbps(const Library& library, Device device, const std::vector<device::PeerLinkEnd>& ends) {
  constexpr unsigned speed_of_link = 164;      // NVML_FI_DEV_NVLINK_GET_SPEED
  constexpr unsigned speed_of_all_links = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON
  for (std::size_t link = 0; link < ends.size(); ++link) {
    if (!ends[link].is_active) continue;
    if (const int mbps = field_of(library, device, speed_of_link, static_cast<unsigned>(link)); mbps > 0) return mbps;
  }
  return field_of(library, device, speed_of_all_links, 0);
}

device::PeerLinkEnd end_of(const Library& library, Device device, unsigned link, bool is_active) {
  constexpr int type_switch = 2;  // NVML_NVLINK_DEVICE_TYPE_SWITCH
  int type = 0;
  PciInfo remote{};
  if (!is_active) return {};
  if (library.call("nvmlDeviceGetNvLinkRemoteDeviceType", device, link, &type) != Return::success) return {};
  if (type == type_switch) return {.is_active = true, .is_switch = true};
  if (library.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link, &remote) != Return::success) return {};
  return {.is_active = true, .address = remote.bus_id};
}

/// A number that the device does not have is rejected; one link that is not reported does not end the list.
std::vector<device::PeerLinkEnd> link_ends(const Library& library, Device device) {
  constexpr unsigned most_links = 36;  // NVML_NVLINK_MAX_LINKS
  std::vector<device::PeerLinkEnd> ends;
  for (unsigned link = 0; link < most_links; ++link) {
    int is_active = 0;
    const Return code = library.call("nvmlDeviceGetNvLinkState", device, link, &is_active);
    if (code == Return::invalid_argument) break;
    if (code != Return::success) continue;
    ends.resize(link);
    ends.push_back(end_of(library, device, link, is_active != 0));
  }
  return ends;
}

std::string name_of(const Library& library, Device device) {
  std::array<char, 96> name{};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
  const Return code = library.call("nvmlDeviceGetName", device, name.data(), static_cast<unsigned>(name.size()));
  return code == Return::success ? name.data() : "";
}

std::optional<unsigned> device_count(const Library& library) {
  unsigned count = 0;
  if (library.call("nvmlDeviceGetCount_v2", &count) != Return::success) return std::nullopt;
  return count;
}

std::optional<std::string> uuid_of(const Library& library, unsigned index) {
  Device device = nullptr;
  std::array<char, 96> uuid{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
  if (library.call("nvmlDeviceGetHandleByIndex_v2", index, &device) != Return::success) return std::nullopt;
  const Return code = library.call("nvmlDeviceGetUUID", device, uuid.data(), static_cast<unsigned>(uuid.size()));
  if (code != Return::success) return std::nullopt;
  return uuid.data();
}

}  // namespace

std::string driver_version() {
  return ask<std::string>([](const Library& library) -> std::string {
    std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
    const Return code = library.call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size()));
    return code == Return::success ? text.data() : "";
  });
}

std::optional<std::vector<std::string>> device_uuids() {
  using Uuids = std::optional<std::vector<std::string>>;
  return ask<Uuids>([](const Library& library) -> Uuids {
    const std::optional<unsigned> count = device_count(library);
    if (!count) return std::nullopt;
    std::vector<std::string> uuids;
    for (unsigned i = 0; i < *count; ++i) {
      std::optional<std::string> uuid = uuid_of(library, i);
      if (!uuid) return std::nullopt;
      uuids.push_back(std::move(*uuid));
    }
    return uuids;
  });
}

device::PeerLink peer_link(const std::string& pci_bus_id) {
  return ask<device::PeerLink>([pci_bus_id](const Library& library) -> device::PeerLink {
    const std::optional<unsigned> count = device_count(library);
    Device device = nullptr;
    const Return code = library.call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device);
    if (!count || code != Return::success) return {};
    const std::vector<device::PeerLinkEnd> ends = link_ends(library, device);
    return device::least_peer_link(ends, link_mbps(library, device, ends), static_cast<int>(*count) - 1,
                                   nvlink_model(name_of(library, device)));
  });
}

}  // namespace gpucheck::cuda::nvml
