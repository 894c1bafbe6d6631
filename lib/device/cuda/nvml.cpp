#include "device/cuda/nvml.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/nvml_library.hpp"
#include "device/peer_link.hpp"

namespace gpucheck::cuda::nvml {
namespace {

using gpucheck::nvml::Device;
using gpucheck::nvml::FieldValue;
using gpucheck::nvml::Library;
using gpucheck::nvml::PciInfo;
using gpucheck::nvml::Return;

/// What the library has to say; nothing where it cannot be loaded or initialised.
template <typename Ask>
auto ask(Ask question) -> decltype(question(std::declval<const Library&>())) {
  try {
    return question(Library());
  } catch (const EnvironmentError&) {
    return {};
  }
}

/// 0 where it is not told.
int field_of(const Library& library, Device device, unsigned field_id, unsigned scope_id) {
  FieldValue field{};
  field.field_id = field_id;
  field.scope_id = scope_id;
  const Return code = library.call("nvmlDeviceGetFieldValues", device, 1, &field);
  if (code != Return::success || field.status != static_cast<int>(Return::success)) return 0;
  return static_cast<int>(field.value.unsigned_integer);
}

/// 10^6 bytes a second of each link that is up; 0 where it is not told. Of Hopper's links (driver 580, H100) the first
/// field is told and not the second, which is of generations before.
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

std::vector<device::PeerLinkEnd> link_ends(const Library& library, Device device) {
  constexpr unsigned most_links = 18;  // NVML_NVLINK_MAX_LINKS
  std::vector<device::PeerLinkEnd> ends;
  for (unsigned link = 0; link < most_links; ++link) {
    int is_active = 0;
    if (library.call("nvmlDeviceGetNvLinkState", device, link, &is_active) != Return::success) break;
    ends.push_back(end_of(library, device, link, is_active != 0));
  }
  return ends;
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
  return ask([](const Library& library) -> std::string {
    std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
    const Return code = library.call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size()));
    return code == Return::success ? text.data() : "";
  });
}

std::optional<std::vector<std::string>> device_uuids() {
  return ask([](const Library& library) -> std::optional<std::vector<std::string>> {
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
  return ask([&](const Library& library) -> device::PeerLink {
    const std::optional<unsigned> count = device_count(library);
    Device device = nullptr;
    const Return code = library.call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device);
    if (!count || code != Return::success) return {};
    const std::vector<device::PeerLinkEnd> ends = link_ends(library, device);
    return device::least_peer_link(ends, link_mbps(library, device, ends), static_cast<int>(*count) - 1);
  });
}

}  // namespace gpucheck::cuda::nvml
