#include "base/units.hpp"

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

std::uint64_t parse_bytes(std::string_view text) {
  const auto reject = [text](const char* why) -> std::uint64_t {
    throw UsageError(
        fmt::format("\"{}\" is not a size in bytes ({}): write a whole number, with KiB, MiB or GiB "
                    "after it if you like, for example 512MiB",
                    text, why));
  };
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc::result_out_of_range) return reject("it does not fit 64 bits");
  if (problem != std::errc{}) return reject("it does not start with a number");
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));

  struct Suffix {
    std::string_view text;
    std::uint64_t bytes;
  };
  static constexpr std::array<Suffix, 6> suffixes{
      {{"", 1}, {"B", 1}, {"KiB", 1_KiB}, {"MiB", 1_MiB}, {"GiB", 1_GiB}, {"TiB", 1024_GiB}}};
  for (const Suffix& suffix : suffixes) {
    if (suffix.text != unit) continue;
    if (number > std::numeric_limits<std::uint64_t>::max() / suffix.bytes) return reject("it does not fit 64 bits");
    return number * suffix.bytes;
  }
  return reject("unknown unit");
}

}  // namespace gpucheck
