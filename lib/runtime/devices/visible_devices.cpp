#include "runtime/devices/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace gpucheck::runtime {
namespace {

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t end = list.find(',');
    items.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return items;
    list.remove_prefix(end + 1);
  }
}

/// The number that `text` begins with, as `strtoul` has it; -1 when there is none or it is negative.
long leading_number(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  long number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc::result_out_of_range) return std::numeric_limits<long>::max();
  return problem == std::errc{} && number >= 0 ? number : -1;
}

/// The only one of `installed` whose UUID begins so; -1 when there is none, or more than one.
long device_of(std::string_view uuid, const std::vector<std::string>& installed) {
  const auto begins_so = [uuid](const std::string& whole) { return whole.starts_with(uuid); };
  if (std::ranges::count_if(installed, begins_so) != 1) return -1;
  return std::ranges::find_if(installed, begins_so) - installed.begin();
}

/// Up to the first of which `is_none` holds; none at all when one comes twice.
template <typename T, typename Predicate>
std::vector<T> distinct_until(std::vector<T> items, Predicate is_none) {
  items.erase(std::ranges::find_if(items, is_none), items.end());
  std::vector<T> sorted = items;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) items.clear();
  return items;
}

bool is_negative(long number) noexcept { return number < 0; }

/// The numbers of the devices that `value` names.
std::vector<long> named_devices(std::string_view value, const std::vector<std::string>& installed) {
  constexpr std::string_view prefix = "GPU-";
  std::vector<long> devices;
  if (!value.starts_with(prefix)) {
    for (const std::string_view item : items_of(value)) devices.push_back(leading_number(item));
  } else {
    const auto is_no_uuid = [&](std::string_view item) { return !item.starts_with(prefix); };
    for (const std::string_view uuid : distinct_until(items_of(value), is_no_uuid)) {
      devices.push_back(device_of(uuid, installed));
    }
  }
  return distinct_until(std::move(devices), is_negative);
}

}  // namespace

std::optional<int> count_visible_devices(std::string_view value, const std::vector<std::string>& installed) {
  if (value.starts_with("MIG-")) return std::nullopt;
  const std::vector<long> devices = named_devices(value, installed);
  const auto missing = std::ranges::find_if(devices, [&](long device) { return device >= std::ssize(installed); });
  return static_cast<int>(missing - devices.begin());
}

}  // namespace gpucheck::runtime
