#include "device/status.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gpucheck::device {
namespace {

struct Row {
  Status status;
  std::string_view name;
  std::string_view text;
};

// Names and texts: CUDA 13 runtime, cudaGetErrorName and cudaGetErrorString. The
// contract suite compares each of them with what the linked runtime says.
constexpr std::array rows{
    Row{Status::success, "cudaSuccess", "no error"},
    Row{Status::invalid_value, "cudaErrorInvalidValue", "invalid argument"},
    Row{Status::out_of_memory, "cudaErrorMemoryAllocation", "out of memory"},
    Row{Status::initialization_error, "cudaErrorInitializationError", "initialization error"},
    Row{Status::invalid_configuration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    Row{Status::invalid_memcpy_direction, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    Row{Status::insufficient_driver, "cudaErrorInsufficientDriver",
        "CUDA driver version is insufficient for CUDA runtime version"},
    Row{Status::devices_unavailable, "cudaErrorDevicesUnavailable",
        "CUDA-capable device(s) is/are busy or unavailable"},
    Row{Status::no_device, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    Row{Status::invalid_device, "cudaErrorInvalidDevice", "invalid device ordinal"},
    Row{Status::ecc_uncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    Row{Status::peer_access_unsupported, "cudaErrorPeerAccessUnsupported",
        "peer access is not supported between these two devices"},
    Row{Status::shared_object_init_failed, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
    Row{Status::invalid_resource_handle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    Row{Status::illegal_state, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    Row{Status::not_ready, "cudaErrorNotReady", "device not ready"},
    Row{Status::illegal_address, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    Row{Status::launch_out_of_resources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    Row{Status::launch_timeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    Row{Status::peer_access_already_enabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    Row{Status::peer_access_not_enabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    Row{Status::context_is_destroyed, "cudaErrorContextIsDestroyed", "context is destroyed"},
    Row{Status::assertion, "cudaErrorAssert", "device-side assert triggered"},
    Row{Status::host_memory_already_registered, "cudaErrorHostMemoryAlreadyRegistered",
        "part or all of the requested memory range is already mapped"},
    Row{Status::host_memory_not_registered, "cudaErrorHostMemoryNotRegistered",
        "pointer does not correspond to a registered memory region"},
    Row{Status::misaligned_address, "cudaErrorMisalignedAddress", "misaligned address"},
    Row{Status::launch_failure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    Row{Status::not_permitted, "cudaErrorNotPermitted", "operation not permitted"},
    Row{Status::not_supported, "cudaErrorNotSupported", "operation not supported"},
    Row{Status::stream_capture_unsupported, "cudaErrorStreamCaptureUnsupported",
        "operation not permitted when stream is capturing"},
    Row{Status::stream_capture_invalidated, "cudaErrorStreamCaptureInvalidated",
        "operation failed due to a previous error during capture"},
    Row{Status::stream_capture_merge, "cudaErrorStreamCaptureMerge",
        "operation would result in a merge of separate capture sequences"},
    Row{Status::stream_capture_unmatched, "cudaErrorStreamCaptureUnmatched",
        "capture was not ended in the same stream as it began"},
    Row{Status::stream_capture_unjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    Row{Status::stream_capture_isolation, "cudaErrorStreamCaptureIsolation",
        "dependency created on uncaptured work in another stream"},
    Row{Status::stream_capture_implicit, "cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"},
    Row{Status::captured_event, "cudaErrorCapturedEvent",
        "operation not permitted on an event last recorded in a capturing stream"},
    Row{Status::stream_capture_wrong_thread, "cudaErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread"},
    Row{Status::graph_exec_update_failure, "cudaErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints specific to "
        "instantiated graph update"},
    Row{Status::unknown, "cudaErrorUnknown", "unknown error"},
};

constexpr const Row* find(Status status) noexcept {
  const auto* row = std::find_if(rows.begin(), rows.end(), [status](const Row& r) { return r.status == status; });
  return row == rows.end() ? nullptr : row;
}

}  // namespace

std::string_view status_name(Status status) noexcept {
  const Row* row = find(status);
  return row != nullptr ? row->name : "unrecognized error code";
}

std::string_view status_text(Status status) noexcept {
  const Row* row = find(status);
  return row != nullptr ? row->text : "unrecognized error code";
}

bool is_sticky(Status status) noexcept {
  switch (status) {
    case Status::ecc_uncorrectable:
    case Status::illegal_address:
    case Status::launch_timeout:
    case Status::assertion:
    case Status::misaligned_address:
    case Status::launch_failure:
      return true;
    default:
      return false;
  }
}

DeviceError::DeviceError(Status status, std::string_view operation)
    : DeviceError(status, operation, status_text(status)) {}

DeviceError::DeviceError(Status status, std::string_view operation, std::string_view vendor_text)
    : Error(fmt::format("CUDA error: {} ({} from {})", vendor_text, status_name(status), operation)), status_(status) {}

void throw_exception_from_error(const Status& status, const boost::source_location& location) {
  throw DeviceError(status, location.function_name());
}

void check(Status status, std::string_view operation) {
  if (status != Status::success) throw DeviceError(status, operation);
}

}  // namespace gpucheck::device
