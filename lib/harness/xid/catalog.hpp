#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// What is known of the critical errors ("XIDs") that NVIDIA's driver reports, by their numbers.
namespace gpucheck::harness {

/// Who has most likely caused it.
enum class XidCause : std::uint8_t { program, driver, hardware };
std::string_view to_text(XidCause cause) noexcept;

/// One number, or several that mean the same.
struct XidInfo {
  int first = 0;
  int last = 0;
  XidCause cause = XidCause::hardware;
  std::string_view failure;  ///< the kind of failure that it is, by its name (failure_kinds.hpp); empty: no alarm
  std::string_view name;     ///< NVIDIA's, without its prefix
  std::string_view meaning;  ///< one sentence, perhaps with what to do
};

/// All of them, by number.
[[nodiscard]] std::span<const XidInfo> xid_catalog() noexcept;

/// Null for a number that NVIDIA does not document.
[[nodiscard]] const XidInfo* find_xid(std::int64_t number) noexcept;

/// Whether that critical error is a mistake of a program, such as an assertion of a kernel, and says nothing of the
/// hardware.
[[nodiscard]] bool is_caused_by_programs(std::int64_t xid) noexcept;

}  // namespace gpucheck::harness
