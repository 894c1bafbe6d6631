#include "runner/limits/start_fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gpucheck::runner {
namespace {

/// What the words of an error have to contain, all of them; the first row that fits counts.
struct StartSign {
  std::array<std::string_view, 2> words;
  std::string_view failure;
};

constexpr std::array start_signs{
    // telemetry::missing_part
    StartSign{{"the driver is not loaded: "}, "driver_not_loaded"},
    StartSign{{"the driver is loaded, but /dev/", "Operation not permitted"}, "device_access_denied"},
    StartSign{{"the driver is loaded, but /dev/"}, "device_files_unusable"},
    StartSign{{"the driver is loaded (", "cannot be loaded ("}, "driver_unfit"},
    StartSign{{"the driver is loaded (", "no GPU is on the PCI bus"}, "missing_gpu"},
    StartSign{{"the driver is loaded, but ", " is bound to "}, "driver_not_loaded"},
    // nvml::Library, with the words of nvmlErrorString
    StartSign{{"nvmlInit_v2: ", "Driver Not Loaded"}, "driver_not_loaded"},
    StartSign{{"nvmlInit_v2: ", "Insufficient Permissions"}, "device_access_denied"},
    // also of what a running driver answers
    StartSign{{"nvml", "GPU access blocked by the operating system"}, "device_access_denied"},
    StartSign{{"nvml", "version mismatch"}, "driver_unfit"},
    // telemetry::no_answer_text
    StartSign{{"the driver did not answer within "}, "hang"},
    // identity_from
    StartSign{{"CUDA does not start: no answer within "}, "hang"},
    StartSign{{"CUDA does not start: the worker that asked it ended"}, "crash"},
    StartSign{{"CUDA has no device to offer"}, "no_visible_device"},
    StartSign{{"cannot be used: this binary was built without a CUDA toolkit"}, "cuda_does_not_start"},
};

/// What speaks of a device that could not be opened, and not of work that failed on it.
constexpr std::array<std::string_view, 5> beginnings{
    "CUDA does not start: ", "cannot be used: ", "opening the device: ", "making a context on the device: ",
    "counting the devices: "};

struct OfCode {
  int first;
  int last;
  std::string_view failure;
};

/// Codes of the CUDA runtime (cudaError_t in driver_types.h of CUDA 13).
constexpr std::array of_codes{
    OfCode{2, 2, "device_taken"},                    // cudaErrorMemoryAllocation
    OfCode{34, 34, "libcuda_mismatch"},              // cudaErrorStubLibrary
    OfCode{35, 36, "driver_too_old"},                // cudaErrorInsufficientDriver, cudaErrorCallRequiresNewerDriver
    OfCode{46, 46, "device_taken"},                  // cudaErrorDevicesUnavailable
    OfCode{100, 101, "no_visible_device"},           // cudaErrorNoDevice, cudaErrorInvalidDevice
    OfCode{214, 214, "uncorrectable_memory_error"},  // cudaErrorECCUncorrectable
    OfCode{216, 216, "device_taken"},                // cudaErrorDeviceAlreadyInUse
    OfCode{220, 220, "nvlink_errors"},               // cudaErrorNvlinkUncorrectable
    OfCode{222, 222, "driver_too_old"},              // cudaErrorUnsupportedPtxVersion
    OfCode{226, 226, "hardware_error_reported"},     // cudaErrorContained
    OfCode{304, 304, "device_files_unusable"},       // cudaErrorOperatingSystem
    OfCode{714, 714, "hardware_error_reported"},     // cudaErrorHardwareStackError
    OfCode{800, 800, "device_access_denied"},        // cudaErrorNotPermitted
    OfCode{802, 802, "system_not_ready"},            // cudaErrorSystemNotReady
    OfCode{803, 804, "libcuda_mismatch"},  // cudaErrorSystemDriverMismatch, cudaErrorCompatNotSupportedOnDevice
    OfCode{805, 810, "mps_unusable"},      // cudaErrorMpsConnectionFailed … cudaErrorMpsClientTerminated
};

/// The number of "(cudaErrorSystemNotReady, 802)", or of "unrecognized error code 4711"; 0 where there is none.
int code_in(std::string_view words) {
  std::size_t at = words.find("(cudaError");
  if (at != words.npos) at = words.find(", ", at);
  constexpr std::string_view unknown = "unrecognized error code ";
  const bool has_name = at != words.npos;
  if (!has_name) at = words.find(unknown);
  if (at == words.npos) return 0;
  words.remove_prefix(at + (has_name ? 2 : unknown.size()));
  int code = 0;
  std::from_chars(words.data(), words.data() + words.size(), code);
  return code;
}

}  // namespace

std::optional<std::string_view> start_fault_in_words(std::string_view words) {
  const auto has = [words](std::string_view part) { return words.find(part) != words.npos; };
  for (const StartSign& sign : start_signs) {
    if (std::ranges::all_of(sign.words, has)) return sign.failure;
  }
  if (std::ranges::none_of(beginnings, has)) return std::nullopt;
  const int code = code_in(words);
  if (code == 0) return std::nullopt;
  const auto* const row =
      std::ranges::find_if(of_codes, [code](const OfCode& each) { return each.first <= code && code <= each.last; });
  return row == of_codes.end() ? "cuda_does_not_start" : row->failure;
}

}  // namespace gpucheck::runner
