#include "telemetry/machine/reading.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpucheck::telemetry {
namespace {

using enum ReadingKind;

/// In the order of Reading.
constexpr std::array<ReadingInfo, reading_count> readings{{
    {"name", identity, ReadingType::text},
    {"uuid", identity, ReadingType::text},
    {"serial", identity, ReadingType::text},
    {"pci_address", identity, ReadingType::text},
    {"vbios_version", identity, ReadingType::text},
    {"board_part_number", identity, ReadingType::text},
    {"handle", identity, ReadingType::flag},
    {"persistence_mode", state, ReadingType::flag},
    {"compute_mode", state},
    {"mig_enabled", state, ReadingType::flag},
    {"mig_pending", state, ReadingType::flag},
    {"ecc_enabled", state, ReadingType::flag},
    {"ecc_pending", state, ReadingType::flag},
    {"recovery_action", state},
    {"inforom_valid", state, ReadingType::flag},
    {"temperature_gpu_celsius", gauge, ReadingType::signed_number},
    {"temperature_memory_celsius", gauge, ReadingType::signed_number},
    {"temperature_gpu_max_celsius", state, ReadingType::signed_number},
    {"temperature_memory_max_celsius", state, ReadingType::signed_number},
    {"temperature_slowdown_celsius", state, ReadingType::signed_number},
    {"temperature_shutdown_celsius", state, ReadingType::signed_number},
    {"temperature_margin_celsius", gauge, ReadingType::signed_number},
    {"temperature_margin_slowdown_celsius", state, ReadingType::signed_number},
    {"power_draw_mw", gauge},
    {"power_limit_mw", state},
    {"power_limit_default_mw", state},
    {"power_limit_min_mw", state},
    {"power_limit_max_mw", state},
    {"clock_graphics_mhz", gauge},
    {"clock_sm_mhz", gauge},
    {"clock_memory_mhz", gauge},
    {"clock_max_graphics_mhz", state},
    {"clock_max_sm_mhz", state},
    {"clock_max_memory_mhz", state},
    {"clock_event_reasons", gauge},
    {"clock_event_power_cap_ns", counter},
    {"clock_event_sync_boost_ns", counter},
    {"clock_event_thermal_software_ns", counter},
    {"clock_event_thermal_hardware_ns", counter},
    {"clock_event_power_brake_ns", counter},
    {"memory_total_bytes", state},
    {"memory_free_bytes", gauge},
    {"memory_used_bytes", gauge},
    {"memory_graphics_bytes", gauge},
    {"utilization_gpu_percent", gauge},
    {"utilization_memory_percent", gauge},
    {"ecc_volatile_corrected", counter},
    {"ecc_volatile_uncorrected", counter},
    {"ecc_volatile_dram_corrected", counter},
    {"ecc_volatile_dram_uncorrected", counter},
    {"ecc_volatile_sram_corrected", counter},
    {"ecc_volatile_sram_uncorrected", counter},
    {"ecc_aggregate_corrected", counter},
    {"ecc_aggregate_uncorrected", counter},
    {"ecc_aggregate_dram_corrected", counter},
    {"ecc_aggregate_dram_uncorrected", counter},
    {"ecc_aggregate_sram_corrected", counter},
    {"ecc_aggregate_sram_uncorrected", counter},
    {"ecc_sram_threshold_exceeded", state, ReadingType::flag},
    {"remapped_rows_corrected", counter},
    {"remapped_rows_uncorrected", counter},
    {"remap_pending", state, ReadingType::flag},
    {"remap_failed", state, ReadingType::flag},
    {"remap_banks_max", gauge},
    {"remap_banks_high", gauge},
    {"remap_banks_partial", gauge},
    {"remap_banks_low", gauge},
    {"remap_banks_none", gauge},
    {"retired_pages_single_bit", counter},
    {"retired_pages_double_bit", counter},
    {"retired_pages_pending", state, ReadingType::flag},
    {"pcie_generation", gauge},
    {"pcie_width_lanes", gauge},
    {"pcie_generation_max", state},
    {"pcie_width_max_lanes", state},
    {"pcie_generation_device_max", state},
    {"pcie_replays", counter},
    {"fabric_state", state},
    {"fabric_status", state},
    {"fabric_health_mask", state},
    {"fabric_health_summary", state},
    {"fabric_clique", state},
    {"fabric_cluster", state, ReadingType::text},
}};

/// In the order of LinkReading.
constexpr std::array<ReadingInfo, link_reading_count> link_readings{{
    {"is_active", state, ReadingType::flag},
    {"speed_mbps", gauge},
    {"replays", counter},
    {"recoveries", counter},
    {"crc_flit_errors", counter},
    {"crc_data_errors", counter},
    {"received_errors", counter},
    {"effective_errors", counter},
    {"symbol_errors", counter},
    {"recovery_events", counter},
}};

// A table that is a line short would end with empty keys.
static_assert(!readings.back().key.empty() && !link_readings.back().key.empty());

/// The words for what a driver does not offer, or was not asked, as they stand alone or behind a function's name.
/// NVML's own ("Insufficient Permissions", "Function Not Found") are those of nvmlErrorString.
constexpr std::array words_for_not_offered{
    not_supported_text,
    not_asked,
    std::string_view("not asked when this was recorded"),
    not_recorded,
    std::string_view("no permission"),
    std::string_view("insufficient permissions"),
    std::string_view("function not found"),
    std::string_view("this driver's library has no such function"),
    std::string_view("the driver does not say how much a graphics program uses")};

template <typename Which, typename Table>
std::optional<Which> find(const Table& table, std::string_view key) noexcept {
  const auto found = std::ranges::find(table, key, &ReadingInfo::key);
  if (found == table.end()) return {};
  return static_cast<Which>(found - table.begin());
}

}  // namespace

bool says_not_offered(std::string_view reason) {
  if (const std::size_t colon = reason.rfind(": "); colon != std::string_view::npos) reason.remove_prefix(colon + 2);
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::any_of(words_for_not_offered,
                             [&](std::string_view each) { return std::ranges::equal(reason, each, {}, lower, lower); });
}

const ReadingInfo& info_of(Reading reading) noexcept { return readings[static_cast<std::size_t>(reading)]; }
const ReadingInfo& info_of(LinkReading reading) noexcept { return link_readings[static_cast<std::size_t>(reading)]; }
std::optional<Reading> find_reading(std::string_view key) noexcept { return find<Reading>(readings, key); }
std::optional<LinkReading> find_link_reading(std::string_view key) noexcept {
  return find<LinkReading>(link_readings, key);
}

}  // namespace gpucheck::telemetry
