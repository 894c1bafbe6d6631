#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucheck::device {

/// What a device call came back with. The numbers are those of `cudaError_t`
/// (CUDA 13 runtime API reference, "Data types used by CUDA Runtime"), so that a
/// code seen in a report can be looked up in the vendor's documentation.
enum class [[nodiscard]] Status : int{
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    initialization_error = 3,
    invalid_configuration = 9,
    invalid_memcpy_direction = 21,
    insufficient_driver = 35,
    devices_unavailable = 46,
    no_device = 100,
    invalid_device = 101,
    peer_access_unsupported = 217,
    ecc_uncorrectable = 214,
    shared_object_init_failed = 303,
    invalid_resource_handle = 400,
    illegal_state = 401,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    context_is_destroyed = 709,
    assertion = 710,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    misaligned_address = 716,
    launch_failure = 719,
    not_permitted = 800,
    not_supported = 801,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    stream_capture_merge = 902,
    stream_capture_unmatched = 903,
    stream_capture_unjoined = 904,
    stream_capture_isolation = 905,
    stream_capture_implicit = 906,
    captured_event = 907,
    stream_capture_wrong_thread = 908,
    graph_exec_update_failure = 910,
    unknown = 999,
};

/// The vendor's enumerator name, for example "cudaErrorMemoryAllocation".
std::string_view status_name(Status status) noexcept;

/// The vendor's own words for the code (`cudaGetErrorString`), for example
/// "out of memory". "unrecognized error code" for a number not in the list.
std::string_view status_text(Status status) noexcept;

/// True for errors that spoil the context: every later call on the device returns
/// the same code until the process ends (CUDA programming guide, error checking).
bool is_sticky(Status status) noexcept;

/// A device call failed. The text reads "CUDA error: <vendor's words> ...", which is
/// the form PyTorch's callers match, then the call and the vendor's enumerator name.
class DeviceError : public Error {
 public:
  DeviceError(Status status, std::string_view operation);
  DeviceError(Status status, std::string_view operation, std::string_view vendor_text);

  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  Status status_;
};

/// A value or the Status that says why there is none. `value()` throws DeviceError.
template <typename T>
using Result = boost::system::result<T, Status>;

/// Found by argument-dependent lookup from `Result<T>::value()`.
[[noreturn]] void throw_exception_from_error(const Status& status, const boost::source_location& location);

/// Silent for success. @throws DeviceError for anything else; `operation` is the
/// call that was made, for example "allocate".
void check(Status status, std::string_view operation);

}  // namespace gpucheck::device
