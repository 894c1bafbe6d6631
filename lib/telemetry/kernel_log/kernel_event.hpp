#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpucheck::telemetry {

/// What a line of the kernel's log says about NVIDIA's devices.
enum class KernelEventKind : std::uint8_t {
  xid,             ///< an error of a GPU, by its number
  switch_error,    ///< an error of an NVSwitch ("SXid"), by its number
  off_the_bus,     ///< a GPU no longer answers; said without an XID
  init_failed,     ///< a GPU could not be started
  reset_required,  ///< the driver wants a reset; said without an XID
  gpu_reset,       ///< a GPU was reset, or found on the bus anew
  driver_load,     ///< the driver was loaded
  boot,            ///< the machine was started: in logs that are kept
};
inline constexpr std::size_t kernel_event_kinds = static_cast<std::size_t>(KernelEventKind::boot) + 1;

/// "xid", "switch_error" and so on: in files.
[[nodiscard]] std::string_view to_text(KernelEventKind kind) noexcept;
[[nodiscard]] std::optional<KernelEventKind> find_kernel_event_kind(std::string_view text) noexcept;

/// Lines of the log that say the same about the same device, with no reset of it in between.
struct KernelEvent {
  KernelEventKind kind = KernelEventKind::xid;
  std::string pci_address;  ///< of the GPU or switch, as Linux writes it; empty where the line names none
  std::int64_t xid = 0;     ///< the number; 0 where the line has none
  std::string text;         ///< the last of the lines
  std::int64_t count = 1;   ///< of the lines
  /// When the first and the last was written, seconds since 1970 UTC; nothing where the log does not say.
  std::optional<std::int64_t> first_time_s = {};
  std::optional<std::int64_t> last_time_s = {};
  bool operator==(const KernelEvent&) const = default;
};

/// "2026-11-25T10:32:31Z".
[[nodiscard]] std::string utc_text(std::int64_t seconds);
/// Reads that, also "2026-11-25" (its beginning) and other offsets from UTC; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> parse_utc(std::string_view text);

// -- what a line says beyond its number -----------------------------------------------------------

/// "Fatal" or "Nonfatal" in an NVLink error (XID 144 to 150) or an NVSwitch's: whether the fatal one stands there;
/// nothing where neither does.
[[nodiscard]] std::optional<bool> is_fatal(std::string_view text);

/// What XID 154 asks for: the numbers of NVML's nvmlDeviceGpuRecoveryAction_t.
enum class RecoveryAction : std::uint8_t { none, gpu_reset, node_reboot, drain_p2p, drain_and_reset, recover_imex };
/// The one that it changed to; nothing where the text names none that is known.
[[nodiscard]] std::optional<RecoveryAction> recovery_action(std::string_view text);

/// Where in the GPU a program's error (XID 13, 31) came up: "GPC 2, TPC 1, SM 0", "GPC2 GPCCLIENT_T1_8"; empty where
/// the text does not say.
[[nodiscard]] std::string place_in_gpu(std::string_view text);

}  // namespace gpucheck::telemetry
