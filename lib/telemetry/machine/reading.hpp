#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// What a driver reports of its GPUs: identity, sensors, counters of errors.
namespace gpucheck::telemetry {

/// Why there is no value: the driver's own words, or the reader's.
struct Unavailable {
  std::string reason;
  bool is_failure = false;  ///< the driver tried and failed ("GPU is lost"); else it does not offer this
  bool operator==(const Unavailable&) const = default;
};

/// The reason of what a question did not ask for, and of what a driver does not offer.
inline constexpr std::string_view not_asked = "not asked";
inline constexpr std::string_view not_supported_text = "not supported";
/// The reason of what a recording leaves out.
inline constexpr std::string_view not_recorded = "not in the recording";

/// Whether a recording's reason says that something is not offered, or was not asked. Recordings call failures
/// "unavailable" too, where the gpucheck that wrote them knew no better: every other reason is one.
[[nodiscard]] bool says_not_offered(std::string_view reason);

/// What one question was answered with.
using Value = std::variant<Unavailable, bool, std::int64_t, std::string>;

/// What a value is, and what a change of it means.
enum class ReadingKind : std::uint8_t {
  identity,  ///< text that stays the same while the driver is loaded
  state,     ///< text, flag or number that is set by somebody
  gauge,     ///< a number that goes up and down
  counter,   ///< a number that only grows, until the driver is loaded anew or for ever
};

/// The questions that a GPU is asked. Units are in the keys of `info_of`.
enum class Reading : std::uint8_t {
  name,
  uuid,
  serial,
  pci_address,
  vbios_version,
  board_part_number,
  handle,
  // -- settings ------------------------------------------------------------------------
  persistence_mode,
  compute_mode,
  mig_enabled,
  mig_pending,
  ecc_enabled,
  ecc_pending,
  // -- the driver's own verdict ----------------------------------------------------------
  recovery_action,
  inforom_valid,
  // -- temperature and power -----------------------------------------------------------
  temperature_gpu,
  temperature_memory,
  temperature_gpu_max,
  temperature_memory_max,
  temperature_slowdown,
  temperature_shutdown,
  temperature_margin,
  temperature_margin_slowdown,
  power_draw,
  power_limit,
  power_limit_default,
  power_limit_min,
  power_limit_max,
  // -- clocks --------------------------------------------------------------------------
  clock_graphics,
  clock_sm,
  clock_memory,
  clock_max_graphics,
  clock_max_sm,
  clock_max_memory,
  clock_event_reasons,
  clock_event_power_cap,
  clock_event_sync_boost,
  clock_event_thermal_software,
  clock_event_thermal_hardware,
  clock_event_power_brake,
  // -- memory and load -----------------------------------------------------------------
  memory_total,
  memory_free,
  memory_used,
  memory_graphics,
  utilization_gpu,
  utilization_memory,
  // -- errors of memory ----------------------------------------------------------------
  ecc_volatile_corrected,
  ecc_volatile_uncorrected,
  ecc_volatile_dram_corrected,
  ecc_volatile_dram_uncorrected,
  ecc_volatile_sram_corrected,
  ecc_volatile_sram_uncorrected,
  ecc_aggregate_corrected,
  ecc_aggregate_uncorrected,
  ecc_aggregate_dram_corrected,
  ecc_aggregate_dram_uncorrected,
  ecc_aggregate_sram_corrected,
  ecc_aggregate_sram_uncorrected,
  ecc_sram_threshold_exceeded,
  remapped_rows_corrected,
  remapped_rows_uncorrected,
  remap_pending,
  remap_failed,
  remap_banks_max,
  remap_banks_high,
  remap_banks_partial,
  remap_banks_low,
  remap_banks_none,
  retired_pages_single_bit,
  retired_pages_double_bit,
  retired_pages_pending,
  // -- links ---------------------------------------------------------------------------
  pcie_generation,
  pcie_width,
  pcie_generation_max,
  pcie_width_max,
  pcie_generation_device_max,
  pcie_replays,
  fabric_state,
  fabric_status,
  fabric_health_mask,
  fabric_health_summary,
  fabric_clique,
  fabric_cluster,
};
inline constexpr std::size_t reading_count = static_cast<std::size_t>(Reading::fabric_cluster) + 1;

/// The same for each NVLink. Replays, recoveries and CRC errors are counted up to the fourth generation (Hopper), what
/// follows them from the fifth (Blackwell) on.
enum class LinkReading : std::uint8_t {
  is_active,
  speed,
  replays,
  recoveries,
  crc_flit_errors,
  crc_data_errors,
  received_errors,
  effective_errors,
  symbol_errors,
  recovery_events,
};
inline constexpr std::size_t link_reading_count = static_cast<std::size_t>(LinkReading::recovery_events) + 1;

/// The type of a value, where there is one.
enum class ReadingType : std::uint8_t {
  number,         ///< whole, and not negative
  signed_number,  ///< whole
  flag,
  text,
};

struct ReadingInfo {
  std::string_view key;  ///< in files and reports, with its unit: "power_draw_mw"
  ReadingKind kind = ReadingKind::gauge;
  ReadingType type = ReadingType::number;
};

[[nodiscard]] const ReadingInfo& info_of(Reading reading) noexcept;
[[nodiscard]] const ReadingInfo& info_of(LinkReading reading) noexcept;
/// The reading with that key, if any.
[[nodiscard]] std::optional<Reading> find_reading(std::string_view key) noexcept;
[[nodiscard]] std::optional<LinkReading> find_link_reading(std::string_view key) noexcept;

/// What is read of a GPU again and again while something runs on it: a few calls, each of them quick.
inline constexpr std::array sampled_gauges{
    Reading::temperature_gpu, Reading::temperature_memory, Reading::power_draw,          Reading::clock_sm,
    Reading::clock_memory,    Reading::utilization_gpu,    Reading::clock_event_reasons, Reading::pcie_generation,
    Reading::pcie_width,
};
/// What is read before and after something ran on it: what may grow, or change for the worse.
inline constexpr std::array watched_counters{
    Reading::ecc_volatile_corrected,
    Reading::ecc_volatile_uncorrected,
    Reading::remapped_rows_corrected,
    Reading::remapped_rows_uncorrected,
    Reading::remap_pending,
    Reading::remap_failed,
    Reading::retired_pages_pending,
    Reading::pcie_replays,
    Reading::recovery_action,
    Reading::clock_event_power_cap,
    Reading::clock_event_sync_boost,
    Reading::clock_event_thermal_software,
    Reading::clock_event_thermal_hardware,
    Reading::clock_event_power_brake,
};

/// Why the clocks are lower than they could be: bits of `clock_event_reasons` (NVML's
/// nvmlClocksEventReason...).
namespace clock_event {
inline constexpr std::int64_t idle = 0x1;
inline constexpr std::int64_t applications_clocks_setting = 0x2;
inline constexpr std::int64_t software_power_cap = 0x4;
inline constexpr std::int64_t hardware_slowdown = 0x8;
inline constexpr std::int64_t sync_boost = 0x10;
inline constexpr std::int64_t software_thermal_slowdown = 0x20;
inline constexpr std::int64_t hardware_thermal_slowdown = 0x40;
inline constexpr std::int64_t hardware_power_brake = 0x80;
inline constexpr std::int64_t display_clock_setting = 0x100;
}  // namespace clock_event

/// What the driver wants done with a GPU: `recovery_action` (nvmlDeviceGpuRecoveryAction_t; NVML's change log has the
/// last two: 595 and 615).
namespace recovery {
inline constexpr std::int64_t none = 0;
inline constexpr std::int64_t gpu_reset = 1;
inline constexpr std::int64_t node_reboot = 2;
inline constexpr std::int64_t drain_peers = 3;
inline constexpr std::int64_t drain_and_reset = 4;
inline constexpr std::int64_t recover_imex_domain = 5;
}  // namespace recovery

}  // namespace gpucheck::telemetry
