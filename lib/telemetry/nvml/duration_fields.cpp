#include "telemetry/nvml/duration_fields.hpp"

#include <array>
#include <charconv>
#include <system_error>

namespace gpucheck::telemetry::nvml {
namespace {

/// "580.65.06": the branch and what follows it; numbers that are not there are 0, and none where there is no branch.
std::optional<std::array<int, 3>> numbers_of(const std::string& driver_version) {
  std::array<int, 3> numbers{};
  const char* next = driver_version.data();
  const char* const end = next + driver_version.size();
  for (int& number : numbers) {
    const auto [stop, error] = std::from_chars(next, end, number);
    if (error != std::errc{}) break;
    next = stop == end ? end : stop + 1;
  }
  return numbers[0] > 0 ? std::optional(numbers) : std::nullopt;
}

}  // namespace

std::optional<unsigned> first_duration_field(const std::string& driver_version) {
  constexpr std::array<int, 3> introduced{575, 0, 0};
  constexpr std::array<int, 3> last_of_the_first_numbering{580, 65, 6};
  constexpr unsigned first_numbering = 251;   // nvml.h of CUDA 12.9
  constexpr unsigned second_numbering = 269;  // nvml.h of CUDA 13.0
  const auto version = numbers_of(driver_version);
  if (!version) return second_numbering;
  if (*version < introduced) return {};
  return *version <= last_of_the_first_numbering ? first_numbering : second_numbering;
}

}  // namespace gpucheck::telemetry::nvml
