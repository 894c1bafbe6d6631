#include "device/cuda/nvml.hpp"

#include <array>

#include "device/cuda/shared_library.hpp"
#include "device/peer_link.hpp"

namespace gpucheck::cuda::nvml {
namespace {

constexpr const char* library = "libnvidia-ml.so.1";
constexpr int success = 0;  // NVML_SUCCESS

/// nvmlDevice_t is a pointer to something that the library alone knows.
struct OpaqueDevice;
using Handle = OpaqueDevice*;

/// The library, initialised for a scope where it can be.
class Scope {
 public:
  Scope() {
    auto* const initialise = find_function<int()>(library, "nvmlInit_v2");
    ready_ = initialise != nullptr && shut_down_ != nullptr && initialise() == success;
  }
  ~Scope() {
    if (ready_) shut_down_();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Calls a function by its name; the arguments must have the very types of its prototype. Whether it succeeded: not
  /// where there is no such function.
  template <typename... Arguments>
  [[nodiscard]] bool call(const char* name, Arguments... arguments) const {
    if (!ready_) return false;
    auto* const function = find_function<int(Arguments...)>(library, name);
    return function != nullptr && function(arguments...) == success;
  }

 private:
  int (*shut_down_)() = find_function<int()>(library, "nvmlShutdown");
  bool ready_ = false;
};

struct PciInfo {  // nvmlPciInfo_t
  std::array<char, 16> bus_id_legacy;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_sub_system_id;
  std::array<char, 32> bus_id;
};

struct FieldValue {  // nvmlFieldValue_t
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency_us;
  int value_type;
  int status;
  union {
    unsigned number;
    unsigned long long widest;
  } value;
};

/// 0 where it is not told.
int field_of(const Scope& scope, Handle device, unsigned field_id, unsigned scope_id) {
  FieldValue field{};
  field.field_id = field_id;
  field.scope_id = scope_id;
  if (!scope.call("nvmlDeviceGetFieldValues", device, 1, &field) || field.status != success) return 0;
  return static_cast<int>(field.value.number);
}

/// 10^6 bytes a second of each link that is up; 0 where it is not told. Of Hopper's links (driver 580, H100) the first
/// field is told and not the second, which is of generations before.
int link_mbps(const Scope& scope, Handle device, const std::vector<device::PeerLinkEnd>& ends) {
  constexpr unsigned speed_of_link = 164;      // NVML_FI_DEV_NVLINK_GET_SPEED
  constexpr unsigned speed_of_all_links = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON
  for (std::size_t link = 0; link < ends.size(); ++link) {
    if (!ends[link].is_active) continue;
    if (const int mbps = field_of(scope, device, speed_of_link, static_cast<unsigned>(link)); mbps > 0) return mbps;
  }
  return field_of(scope, device, speed_of_all_links, 0);
}

device::PeerLinkEnd end_of(const Scope& scope, Handle device, unsigned link, bool is_active) {
  constexpr int type_switch = 2;  // NVML_NVLINK_DEVICE_TYPE_SWITCH
  int type = 0;
  PciInfo remote{};
  if (!is_active || !scope.call("nvmlDeviceGetNvLinkRemoteDeviceType", device, link, &type)) return {};
  if (type == type_switch) return {.is_active = true, .is_switch = true};
  if (!scope.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link, &remote)) return {};
  return {.is_active = true, .address = remote.bus_id.data()};
}

std::vector<device::PeerLinkEnd> link_ends(const Scope& scope, Handle device) {
  constexpr unsigned most_links = 18;  // NVML_NVLINK_MAX_LINKS
  std::vector<device::PeerLinkEnd> ends;
  for (unsigned link = 0; link < most_links; ++link) {
    int is_active = 0;
    if (!scope.call("nvmlDeviceGetNvLinkState", device, link, &is_active)) break;
    ends.push_back(end_of(scope, device, link, is_active != 0));
  }
  return ends;
}

}  // namespace

std::string driver_version() {
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  const Scope scope;
  const bool known = scope.call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size()));
  return known ? text.data() : std::string{};
}

std::optional<std::vector<std::string>> device_uuids() {
  const Scope scope;
  unsigned count = 0;
  if (!scope.call("nvmlDeviceGetCount_v2", &count)) return std::nullopt;
  std::vector<std::string> uuids;
  for (unsigned i = 0; i < count; ++i) {
    Handle device = nullptr;
    std::array<char, 96> uuid{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
    if (!scope.call("nvmlDeviceGetHandleByIndex_v2", i, &device)) return std::nullopt;
    if (!scope.call("nvmlDeviceGetUUID", device, uuid.data(), static_cast<unsigned>(uuid.size()))) return std::nullopt;
    uuids.emplace_back(uuid.data());
  }
  return uuids;
}

device::PeerLink peer_link(const std::string& pci_bus_id) {
  const Scope scope;
  unsigned count = 0;
  Handle device = nullptr;
  if (!scope.call("nvmlDeviceGetCount_v2", &count)) return {};
  if (!scope.call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device)) return {};
  const std::vector<device::PeerLinkEnd> ends = link_ends(scope, device);
  return device::least_peer_link(ends, link_mbps(scope, device, ends), static_cast<int>(count) - 1);
}

}  // namespace gpucheck::cuda::nvml
