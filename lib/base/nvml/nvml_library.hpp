#pragma once

#include <string>

/// NVIDIA's management library, libnvidia-ml.so.1, loaded at run time. No header of it is needed: its functions
/// are called by their documented prototypes, and its numbers are kept here.
namespace gpucheck::nvml {

/// nvmlReturn_t: those codes that something depends on. Every other one, unknown ones too, is a failure.
enum class Return : int {
  no_such_function = -1,  ///< not NVML's: the library that is installed does not have the function
  success = 0,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  insufficient_size = 7,
  corrupted_inforom = 14,
};

/// Whether the driver tried and failed. Named is what is not a failure: the GPU or the driver does not offer what was
/// asked, or not to this user.
constexpr bool is_failure(Return code) noexcept {
  using enum Return;
  return code != success && code != not_supported && code != no_permission && code != no_such_function;
}

/// nvmlDevice_t is a pointer to something that the library alone knows.
struct OpaqueDevice;
using Device = OpaqueDevice*;

/// The library, initialised. Its functions may be called by several threads; one of them may
/// never return, when a GPU has gone away or its driver hangs.
class Library {
 public:
  /// @throws NotInstalled where there is none, EnvironmentError where it cannot be initialised.
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Calls a function by its name; the arguments must have the very types of its prototype.
  /// `no_such_function` where this driver has none of that name.
  template <typename... Arguments>
  Return call(const char* name, Arguments... arguments) const {
    using Function = int(Arguments...);
    auto* const function = reinterpret_cast<Function*>(find(name));
    return function == nullptr ? Return::no_such_function : static_cast<Return>(function(arguments...));
  }

  /// "Not Supported": the library's own words, or the number.
  [[nodiscard]] std::string text(Return code) const;

 private:
  [[nodiscard]] void* find(const char* name) const noexcept;

  void* library_;
};

// -- structures that the library fills, as nvml.h of CUDA 12 and 13 declares them ------------

struct PciInfo {  // nvmlPciInfo_t
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_sub_system_id;
  char bus_id[32];
};

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct MemoryV2 {  // nvmlMemory_v2_t, bytes
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;  ///< by the driver and the firmware; nvmlMemory_t counts it as used
  unsigned long long free;
  unsigned long long used;
};

struct Utilization {  // nvmlUtilization_t, percent
  unsigned gpu;
  unsigned memory;
};

struct RowRemapperHistogram {  // nvmlRowRemapperHistogramValues_t, banks
  unsigned max;
  unsigned high;
  unsigned partial;
  unsigned low;
  unsigned none;
};

struct ProcessInfo {  // nvmlProcessInfo_t of the functions whose names end in _v3
  unsigned pid;
  unsigned long long used_gpu_memory;  ///< all ones: not known
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct GpuFabricInfo {  // nvmlGpuFabricInfo_t
  unsigned char cluster_uuid[16];
  int status;
  unsigned clique_id;
  unsigned char state;
};

/// The version of a structure that NVML versions: NVML_STRUCT_VERSION(type, number).
template <typename Structure>
constexpr unsigned version_of(unsigned number) noexcept {
  return static_cast<unsigned>(sizeof(Structure)) | number << 24U;
}

struct GpuFabricInfoV {  // nvmlGpuFabricInfo_v3_t; nvmlGpuFabricInfo_v2_t ends before the summary
  unsigned version;
  unsigned char cluster_uuid[16];
  int status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
  unsigned char health_summary;
};
inline constexpr unsigned fabric_info_2 = 36U | 2U << 24U;  // nvmlGpuFabricInfo_v2
inline constexpr unsigned fabric_info_3 = version_of<GpuFabricInfoV>(3);

struct EccSramErrorStatus {  // nvmlEccSramErrorStatus_v1_t
  unsigned version;
  unsigned long long aggregate_uncorrected_parity;
  unsigned long long aggregate_uncorrected_sec_ded;
  unsigned long long aggregate_corrected;
  unsigned long long volatile_uncorrected_parity;
  unsigned long long volatile_uncorrected_sec_ded;
  unsigned long long volatile_corrected;
  unsigned long long aggregate_uncorrected_by_place[5];  ///< L2, SM, PCIe, microcontroller, other
  unsigned threshold_exceeded;
};

struct MarginTemperature {  // nvmlMarginTemperature_v1_t
  unsigned version;
  int margin_celsius;
};
// As nvml.h of CUDA 13 numbers them.
static_assert(fabric_info_3 == 0x3000028 && version_of<EccSramErrorStatus>(1) == 0x1000068 &&
              version_of<MarginTemperature>(1) == 0x1000008 && version_of<MemoryV2>(2) == 0x2000028);

union FieldContent {  // nvmlValue_t
  double floating;
  unsigned unsigned_integer;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  long long signed_long_long;
  int signed_integer;
  unsigned short unsigned_short;
};

struct FieldValue {  // nvmlFieldValue_t
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency_us;
  int value_type;
  int status;
  FieldContent value;
};

struct EventData {  // nvmlEventData_t
  Device device;
  unsigned long long type;
  unsigned long long data;  ///< of a critical error: its XID
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

/// nvmlEventSet_t, likewise known to the library alone.
struct OpaqueEventSet;
using EventSet = OpaqueEventSet*;
inline constexpr unsigned long long event_xid_critical_error = 0x8;  // nvmlEventTypeXidCriticalError

}  // namespace gpucheck::nvml
