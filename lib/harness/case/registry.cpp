#include "harness/case/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/error.hpp"
#include "harness/case/case_name.hpp"
#include "harness/values/edit_distance.hpp"

namespace gpucheck::harness {
namespace {

[[noreturn]] void reject(const Case& test_case, std::string_view problem) {
  throw Error(fmt::format("case \"{}\" cannot be registered: {}", test_case.name, problem));
}

template <typename Item>
void check_names(const Case& test_case, const std::vector<Item>& items, std::string_view kind) {
  std::set<std::string_view> seen;
  for (const Item& item : items) {
    if (!is_word(item.name)) {
      reject(test_case, fmt::format("{} \"{}\" is not named with a-z, 0-9 and _", kind, item.name));
    }
    if (!seen.insert(item.name).second) reject(test_case, fmt::format("{} \"{}\" is declared twice", kind, item.name));
  }
}

void check_parameter(const Case& test_case, const Parameter& parameter) {
  try {
    static_cast<void>(parameter.parse(to_text(parameter.default_value)));
  } catch (const UsageError& error) {
    reject(test_case, fmt::format("a default that is rejected: {}", error.what()));
  }
}

void check_fault(const Case& test_case, const Fault& fault) {
  const fault::Plan plan = fault.plan_on(static_cast<std::size_t>(std::max(test_case.needs.devices, 1)));
  // A program breaks what it checks itself.
  if (plan.empty() && fault.telemetry.empty() && !test_case.program)
    reject(test_case, fmt::format("fault \"{}\" breaks nothing", fault.name));
  try {
    fault::check(plan);
    telemetry::check(fault.telemetry);
  } catch (const Error& error) {
    reject(test_case, fmt::format("fault \"{}\": {}", fault.name, error.what()));
  }
}

void check_needs(const Case& test_case) {
  if (test_case.needs.devices < 0) reject(test_case, "it needs a negative number of devices");
  const double fraction = test_case.needs.memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) reject(test_case, "the share of memory it needs is not from 0 to 1");
}

void check(const Case& test_case) {
  if (!is_case_name(test_case.name)) reject(test_case, "the name is not \"group.case\" written with a-z, 0-9 and _");
  if (test_case.run == nullptr) reject(test_case, "it has no function to run");
  if (test_case.deadline.count() <= 0) reject(test_case, "its deadline is not positive");
  check_needs(test_case);
  check_names(test_case, test_case.parameters, "parameter");
  check_names(test_case, test_case.faults, "fault");
  check_names(test_case, test_case.children, "child");
  for (const Parameter& parameter : test_case.parameters) check_parameter(test_case, parameter);
  for (const Fault& fault : test_case.faults) check_fault(test_case, fault);
  for (const Child& child : test_case.children) {
    if (child.run == nullptr) reject(test_case, fmt::format("child \"{}\" has no function to run", child.name));
  }
}

bool has_wildcard(std::string_view word) { return word.find_first_of("*?") != std::string_view::npos; }

/// How far `typed` is from `name`: things that begin as typed first, then by edits. A
/// word without a dot is also held against the part after the dot.
std::pair<bool, std::size_t> distance(std::string_view typed, std::string_view name) {
  const std::string_view tail = name.substr(name.find('.') + 1);
  const bool whole = typed.find('.') != std::string_view::npos;
  const bool begins = name.starts_with(typed) || (!whole && tail.starts_with(typed));
  std::size_t edits = edit_distance(typed, name);
  if (!whole) edits = std::min(edits, edit_distance(typed, tail));
  return {!begins, edits};
}

}  // namespace

Registry::Registry(std::vector<Case> cases) : cases_(std::move(cases)) {
  for (const Case& test_case : cases_) check(test_case);
  std::sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  const auto twin =
      std::adjacent_find(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) { return a.name == b.name; });
  if (twin != cases_.end()) {
    reject(*twin, fmt::format("the name is taken twice, by \"{}\" and \"{}\"", twin->source, std::next(twin)->source));
  }
}

const Case* Registry::find(std::string_view name) const noexcept {
  const auto found =
      std::lower_bound(cases_.begin(), cases_.end(), name,
                       [](const Case& test_case, std::string_view wanted) { return test_case.name < wanted; });
  return found != cases_.end() && found->name == name ? &*found : nullptr;
}

const Case& Registry::require(std::string_view name) const {
  if (const Case* found = find(name)) return *found;
  throw UsageError(fmt::format("there is no case named \"{}\"; the nearest: {} (\"gpucheck list\" names all)", name,
                               fmt::join(nearest(name), ", ")));
}

std::vector<const Case*> Registry::select(std::span<const std::string> globs) const {
  std::vector<bool> chosen(cases_.size(), globs.empty());
  for (const std::string& glob : globs) {
    bool matched = has_wildcard(glob);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!selects(glob, cases_[i].name)) continue;
      matched = chosen[i] = true;
    }
    if (!matched) static_cast<void>(require(glob));
  }
  std::vector<const Case*> selected;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (chosen[i]) selected.push_back(&cases_[i]);
  }
  return selected;
}

std::vector<std::string> Registry::nearest(std::string_view name, std::size_t limit) const {
  constexpr std::size_t longest_worth_comparing = 100;
  name = name.substr(0, longest_worth_comparing);
  using Candidate = std::pair<std::pair<bool, std::size_t>, std::string_view>;
  std::vector<Candidate> candidates;
  for (const Case& test_case : cases_) candidates.emplace_back(distance(name, test_case.name), test_case.name);
  const std::size_t count = std::min(limit, candidates.size());
  const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(candidates.begin(), middle, candidates.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(candidates[i].second);
  return names;
}

bool selects(std::string_view word, std::string_view case_name) noexcept {
  return word == group_of(case_name) || matches_glob(word, case_name);
}

bool matches_glob(std::string_view glob, std::string_view text) noexcept {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last `*` met, and the text it was met at
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;  // let that `*` take one character more
      t = ++star_text;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace gpucheck::harness
