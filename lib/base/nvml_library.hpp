#pragma once

#include <string>

/// NVIDIA's management library, libnvidia-ml.so.1, loaded at run time. No header of it is needed: its functions
/// are called by their documented prototypes, and its numbers are kept here.
namespace gpucheck::nvml {

/// nvmlReturn_t.
enum class Return : int {
  success = 0,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  timeout = 10,
  irq_issue = 11,
  function_not_found = 13,
  corrupted_inforom = 14,
  gpu_is_lost = 15,
  reset_required = 16,
  unknown = 999,
};

/// Whether the GPU or its driver is broken; else it only does not offer what was asked.
constexpr bool is_failure(Return code) noexcept {
  using enum Return;
  return code == timeout || code == irq_issue || code == corrupted_inforom || code == gpu_is_lost ||
         code == reset_required || code == unknown;
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
  /// `function_not_found` where this driver has no such function.
  template <typename... Arguments>
  Return call(const char* name, Arguments... arguments) const {
    using Function = int(Arguments...);
    auto* const function = reinterpret_cast<Function*>(find(name));
    return function == nullptr ? Return::function_not_found : static_cast<Return>(function(arguments...));
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
