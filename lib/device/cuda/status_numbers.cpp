#include <algorithm>
#include <array>
#include <driver_types.h>

#include "device/values/status.hpp"

// `device::Status` promises the vendor's numbers; calls are translated by number
// alone. A toolkit that renumbers an error stops the build here.
namespace gpucheck::cuda {
namespace {

using device::Status;

struct Pair {
  Status status;
  cudaError error;
};

constexpr std::array pairs{
    Pair{Status::success, cudaSuccess},
    Pair{Status::invalid_value, cudaErrorInvalidValue},
    Pair{Status::out_of_memory, cudaErrorMemoryAllocation},
    Pair{Status::initialization_error, cudaErrorInitializationError},
    Pair{Status::invalid_configuration, cudaErrorInvalidConfiguration},
    Pair{Status::invalid_memcpy_direction, cudaErrorInvalidMemcpyDirection},
    Pair{Status::insufficient_driver, cudaErrorInsufficientDriver},
    Pair{Status::devices_unavailable, cudaErrorDevicesUnavailable},
    Pair{Status::no_device, cudaErrorNoDevice},
    Pair{Status::invalid_device, cudaErrorInvalidDevice},
    Pair{Status::peer_access_unsupported, cudaErrorPeerAccessUnsupported},
    Pair{Status::ecc_uncorrectable, cudaErrorECCUncorrectable},
    Pair{Status::shared_object_init_failed, cudaErrorSharedObjectInitFailed},
    Pair{Status::invalid_resource_handle, cudaErrorInvalidResourceHandle},
    Pair{Status::illegal_state, cudaErrorIllegalState},
    Pair{Status::not_ready, cudaErrorNotReady},
    Pair{Status::illegal_address, cudaErrorIllegalAddress},
    Pair{Status::launch_out_of_resources, cudaErrorLaunchOutOfResources},
    Pair{Status::launch_timeout, cudaErrorLaunchTimeout},
    Pair{Status::peer_access_already_enabled, cudaErrorPeerAccessAlreadyEnabled},
    Pair{Status::peer_access_not_enabled, cudaErrorPeerAccessNotEnabled},
    Pair{Status::context_is_destroyed, cudaErrorContextIsDestroyed},
    Pair{Status::assertion, cudaErrorAssert},
    Pair{Status::host_memory_already_registered, cudaErrorHostMemoryAlreadyRegistered},
    Pair{Status::host_memory_not_registered, cudaErrorHostMemoryNotRegistered},
    Pair{Status::misaligned_address, cudaErrorMisalignedAddress},
    Pair{Status::launch_failure, cudaErrorLaunchFailure},
    Pair{Status::not_permitted, cudaErrorNotPermitted},
    Pair{Status::not_supported, cudaErrorNotSupported},
    Pair{Status::stream_capture_unsupported, cudaErrorStreamCaptureUnsupported},
    Pair{Status::stream_capture_invalidated, cudaErrorStreamCaptureInvalidated},
    Pair{Status::stream_capture_merge, cudaErrorStreamCaptureMerge},
    Pair{Status::stream_capture_unmatched, cudaErrorStreamCaptureUnmatched},
    Pair{Status::stream_capture_unjoined, cudaErrorStreamCaptureUnjoined},
    Pair{Status::stream_capture_isolation, cudaErrorStreamCaptureIsolation},
    Pair{Status::stream_capture_implicit, cudaErrorStreamCaptureImplicit},
    Pair{Status::captured_event, cudaErrorCapturedEvent},
    Pair{Status::stream_capture_wrong_thread, cudaErrorStreamCaptureWrongThread},
    Pair{Status::graph_exec_update_failure, cudaErrorGraphExecUpdateFailure},
    Pair{Status::unknown, cudaErrorUnknown},
};

static_assert(std::ranges::all_of(pairs, [](const Pair& pair) {
  return static_cast<int>(pair.status) == static_cast<int>(pair.error);
}));

}  // namespace
}  // namespace gpucheck::cuda
