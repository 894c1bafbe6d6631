#include "report/result_order.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace gpucheck::report {

void sort_as_selected(std::vector<harness::CaseResult>& results, const std::vector<harness::SelectedCase>& selected) {
  std::map<std::string_view, std::size_t> first_place;
  for (const harness::SelectedCase& one : selected) first_place.emplace(one.name, first_place.size());
  const auto rank = [&](const harness::CaseResult& result) {
    const auto found = first_place.find(result.name);
    return std::tuple(found == first_place.end() ? first_place.size() : found->second, result.repetition,
                      result.devices);
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const harness::CaseResult& a, const harness::CaseResult& b) { return rank(a) < rank(b); });
}

}  // namespace gpucheck::report
