#include "base/text/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "base/error.hpp"

namespace gpucheck {

using namespace literals;

std::string format_bytes(std::uint64_t bytes) {
  const auto in = [bytes](std::uint64_t unit) { return static_cast<double>(bytes) / static_cast<double>(unit); };
  if (bytes <= 1_KiB) return fmt::format("{} bytes", bytes);
  if (bytes <= 1_MiB) return fmt::format("{:.2f} KiB", in(1_KiB));
  if (bytes <= 1_GiB) return fmt::format("{:.2f} MiB", in(1_MiB));
  return fmt::format("{:.2f} GiB", in(1_GiB));
}

std::string format_share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

namespace {

[[noreturn]] void reject_bytes(std::string_view text, const char* why) {
  throw UsageError(
      fmt::format("\"{}\" is not a size in bytes ({}): write a number, with KiB, MiB, GiB or TiB after it if you like "
                  "(powers of 1024), or kB, MB, GB or TB (powers of 1000), for example 512MiB or 79.18GiB",
                  text, why));
}

/// Units are written in whatever case: what is meant is clear.
std::uint64_t bytes_of_unit(std::string_view unit, std::string_view text) {
  struct Suffix {
    std::string_view text;
    std::uint64_t bytes;
  };
  static constexpr std::array<Suffix, 10> suffixes{{{"", 1},
                                                    {"b", 1},
                                                    {"kib", 1_KiB},
                                                    {"mib", 1_MiB},
                                                    {"gib", 1_GiB},
                                                    {"tib", 1024_GiB},
                                                    {"kb", 1'000},
                                                    {"mb", 1'000'000},
                                                    {"gb", 1'000'000'000},
                                                    {"tb", 1'000'000'000'000}}};
  for (const Suffix& suffix : suffixes) {
    const bool is_it = std::ranges::equal(suffix.text, unit, [](char known, char given) {
      return known == (given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given);
    });
    if (is_it) return suffix.bytes;
  }
  reject_bytes(text, "unknown unit");
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end_of_text = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), end_of_text, number);
  if (problem == std::errc::result_out_of_range) reject_bytes(text, "it does not fit 64 bits");
  if (problem != std::errc{}) reject_bytes(text, "it does not start with a number");
  const char* at = end;
  if (at != end_of_text && *at == '.') ++at;
  const char* const end_of_fraction = std::find_if_not(at, end_of_text, [](char c) { return c >= '0' && c <= '9'; });
  const std::string_view fraction(at, static_cast<std::size_t>(end_of_fraction - at));
  if (at != end && fraction.empty()) reject_bytes(text, "no digit follows the point");
  std::string_view unit(end_of_fraction, static_cast<std::size_t>(end_of_text - end_of_fraction));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const std::uint64_t bytes = bytes_of_unit(unit, text);
  if (at != end && bytes == 1) reject_bytes(text, "a part of a byte");
  if (number > std::numeric_limits<std::uint64_t>::max() / bytes) reject_bytes(text, "it does not fit 64 bits");
  double part = 0;
  double place = 1;
  for (const char digit : fraction) part += (digit - '0') * (place /= 10);
  const auto more = static_cast<std::uint64_t>(part * static_cast<double>(bytes) + 0.5);
  if (number * bytes > std::numeric_limits<std::uint64_t>::max() - more) reject_bytes(text, "it does not fit 64 bits");
  return number * bytes + more;
}

}  // namespace gpucheck
