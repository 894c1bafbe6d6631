#include "device/values/status.hpp"

#include <fmt/format.h>

#include "device/values/error_codes.hpp"

namespace gpucheck::device {
namespace {

constexpr std::string_view unknown_code = "unrecognized error code";  // cudaGetErrorString's own words

}  // namespace

std::string_view status_name(Status status) noexcept {
  const ErrorCode* const code = find_error_code(static_cast<int>(status));
  return code == nullptr ? unknown_code : code->name;
}

std::string_view status_text(Status status) noexcept {
  const ErrorCode* const code = find_error_code(static_cast<int>(status));
  return code == nullptr ? unknown_code : code->text;
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
