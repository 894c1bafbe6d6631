#include "harness/case/case.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/units.hpp"
#include "harness/case/case_name.hpp"

namespace gpucheck::harness {
namespace {

template <typename Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) noexcept {
  const auto found = std::find_if(items.begin(), items.end(), [name](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

std::string words_when(bool needed, const char* words) { return needed ? words : ""; }

}  // namespace

namespace need_text {

std::string devices(const int& count) { return count == 0 ? "no device" : count_text(count, "device"); }
std::string memory_bytes(const std::uint64_t& bytes) {
  return bytes == 0 ? "" : fmt::format("{} of free device memory", format_bytes(bytes));
}
std::string memory_fraction(const double& share) {
  return share == 0 ? "" : fmt::format("{:.0f}% of the memory free", share * 100);
}
std::string libraries(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }
std::string every_device(const bool& needed) { return words_when(needed, "all devices together"); }
std::string any_device(const bool& needed) { return words_when(needed, "whichever it is"); }
std::string exclusive(const bool& needed) { return words_when(needed, "the device to itself"); }
std::string idle(const bool& needed) { return words_when(needed, "an idle device"); }
std::string host_link(const bool& needed) { return words_when(needed, "the way to the host to itself"); }
std::string own_process(const bool& needed) { return words_when(needed, "a process of its own"); }
std::string caching_allocator(const bool& needed) { return words_when(needed, "the caching allocator"); }
std::string allocator_library(const bool& needed) { return words_when(needed, "an allocator library"); }
std::string default_stream(const bool& needed) { return words_when(needed, "the default stream as the current one"); }
std::string simulated_device(const bool& needed) { return words_when(needed, "a simulated device"); }
std::string several_processes(const bool& needed) { return words_when(needed, "several processes of one job"); }

}  // namespace need_text

std::string to_text(const Needs& needs) {
  std::vector<std::string> parts;
  for_each_field(needs, [&parts](const auto& row, const auto& value) {
    std::string words = row.text(value);
    if (!words.empty()) parts.push_back(std::move(words));
  });
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string_view Case::group() const noexcept { return group_of(name); }

fault::Plan Fault::plan_on(std::size_t devices) const {
  return plan_for_devices != nullptr ? plan_for_devices(devices) : plan;
}

const Fault* Case::find_fault(std::string_view fault_name) const noexcept { return find_named(faults, fault_name); }

const Child* Case::find_child(std::string_view child_name) const noexcept { return find_named(children, child_name); }

const Parameter* Case::find_parameter(std::string_view parameter_name) const noexcept {
  return find_named(parameters, parameter_name);
}

}  // namespace gpucheck::harness
