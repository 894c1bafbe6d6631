#include "telemetry/kernel_log/kernel_event.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <fmt/format.h>

#include "base/text/utc.hpp"

namespace gpucheck::telemetry {
namespace {

constexpr std::array<std::string_view, kernel_event_kinds> kind_texts{
    "xid", "switch_error", "off_the_bus", "init_failed", "reset_required", "gpu_reset", "driver_load", "boot"};

/// So many digits at the place, and nothing but.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return {};
  unsigned value = 0;
  const char* const end = text.data() + at + count;
  const auto [rest, problem] = std::from_chars(text.data() + at, end, value);
  return problem == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// "Z", "+02:00", "+0200" or nothing: seconds to take off.
std::optional<std::int64_t> offset_seconds(std::string_view zone) {
  if (zone.empty() || zone == "Z") return 0;
  if (zone[0] != '+' && zone[0] != '-') return {};
  const std::size_t minutes_at = zone.size() == 6 && zone[3] == ':' ? 4 : 3;
  const auto hours = digits(zone, 1, 2);
  const auto minutes = digits(zone, minutes_at, 2);
  if (!hours || !minutes || zone.size() != minutes_at + 2) return {};
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return zone[0] == '+' ? seconds : -seconds;
}

/// The digits of a fraction of a second, which are dropped.
std::string_view without_fraction(std::string_view text) {
  if (text.empty() || (text[0] != '.' && text[0] != ',')) return text;
  const std::size_t end = text.find_first_not_of("0123456789", 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(end);
}

/// Where "0x" and a number stand behind `mark`.
std::optional<unsigned> hexadecimal_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  unsigned value = 0;
  const char* const begin = text.data() + at + mark.size();
  const auto [rest, problem] = std::from_chars(begin, text.data() + text.size(), value, 16);
  return problem == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view to_text(KernelEventKind kind) noexcept { return kind_texts[static_cast<std::size_t>(kind)]; }

std::optional<KernelEventKind> find_kernel_event_kind(std::string_view text) noexcept {
  const auto* const found = std::ranges::find(kind_texts, text);
  if (found == kind_texts.end()) return {};
  return static_cast<KernelEventKind>(found - kind_texts.begin());
}

std::string utc_text(std::int64_t seconds) {
  return utc_seconds(std::chrono::sys_seconds(std::chrono::seconds(seconds))) + 'Z';
}

std::optional<std::int64_t> parse_utc(std::string_view text) {
  using namespace std::chrono;
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return {};
  const year_month_day date(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                            std::chrono::day(*day));
  if (!date.ok()) return {};
  const std::int64_t midnight = duration_cast<seconds>(sys_days(date).time_since_epoch()).count();
  if (text.size() == 10) return midnight;
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!hour || !minute || !second || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':') {
    return {};
  }
  const auto offset = offset_seconds(without_fraction(text.substr(19)));
  if (*hour > 23 || *minute > 59 || *second > 60 || !offset) return {};
  return midnight + *hour * 3600 + *minute * 60 + *second - *offset;
}

std::optional<bool> is_fatal(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // A message can name both when it was cut off and joined: the fatal one counts.
  for (std::size_t at = lower.find("fatal"); at != std::string::npos; at = lower.find("fatal", at + 1)) {
    const std::string_view before = std::string_view(lower).substr(0, at);
    if (!before.ends_with("non") && !before.ends_with("non-")) return true;
  }
  return lower.find("fatal") == std::string::npos ? std::nullopt : std::optional(false);
}

std::optional<RecoveryAction> recovery_action(std::string_view text) {
  // "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)". Newer drivers have other words for the
  // same numbers ("PF FLR", "OS Reboot").
  const auto number = hexadecimal_behind(text, " to 0x");
  if (!number || *number > static_cast<unsigned>(RecoveryAction::recover_imex)) return {};
  return static_cast<RecoveryAction>(*number);
}

std::string place_in_gpu(std::string_view text) {
  // "Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range Address"; older ones name no SM.
  if (const std::size_t begin = text.find("(GPC "); begin != std::string_view::npos) {
    const std::size_t end = text.find(')', begin);
    constexpr std::size_t longest = 40;
    if (end != std::string_view::npos && end - begin < longest)
      return std::string(text.substr(begin + 1, end - begin - 1));
  }
  // "MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_7 faulted @ 0x2b57_b3000000"; older ones name no GPC.
  constexpr std::string_view engine = "ENGINE GRAPHICS ";
  if (const std::size_t begin = text.find(engine); begin != std::string_view::npos) {
    const std::size_t end = text.find(" faulted", begin);
    if (end != std::string_view::npos)
      return std::string(text.substr(begin + engine.size(), end - begin - engine.size()));
  }
  return {};
}

}  // namespace gpucheck::telemetry
