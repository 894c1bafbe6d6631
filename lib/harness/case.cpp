#include "harness/case.hpp"

#include <algorithm>

namespace gpucheck::harness {
namespace {

template <typename Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) noexcept {
  const auto found = std::find_if(items.begin(), items.end(), [name](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::string_view Case::group() const noexcept { return std::string_view(name).substr(0, name.find('.')); }

const Fault* Case::find_fault(std::string_view fault_name) const noexcept { return find_named(faults, fault_name); }

const Child* Case::find_child(std::string_view child_name) const noexcept { return find_named(children, child_name); }

const Parameter* Case::find_parameter(std::string_view parameter_name) const noexcept {
  return find_named(parameters, parameter_name);
}

}  // namespace gpucheck::harness
