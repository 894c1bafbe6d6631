#include "harness/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/error.hpp"
#include "harness/case_name.hpp"
#include "harness/edit_distance.hpp"

namespace gpucheck::harness {
namespace {

[[noreturn]] void refuse(const Case& which, std::string_view problem) {
  throw Error(fmt::format("case \"{}\" cannot be registered: {}", which.name, problem));
}

template <typename Item>
void check_names(const Case& which, const std::vector<Item>& items, std::string_view kind) {
  std::set<std::string_view> seen;
  for (const Item& item : items) {
    if (!is_word(item.name)) {
      refuse(which, fmt::format("{} \"{}\" is not named with a-z, 0-9 and _", kind, item.name));
    }
    if (!seen.insert(item.name).second) refuse(which, fmt::format("{} \"{}\" is declared twice", kind, item.name));
  }
}

void check_parameter(const Case& which, const Parameter& parameter) {
  try {
    static_cast<void>(parameter.parse(to_text(parameter.default_value)));
  } catch (const UsageError& error) {
    refuse(which, fmt::format("a default that is refused: {}", error.what()));
  }
}

void check_fault(const Case& which, const Fault& fault) {
  if (fault.plan.empty()) refuse(which, fmt::format("fault \"{}\" breaks nothing", fault.name));
  try {
    fault::check(fault.plan);
  } catch (const Error& error) {
    refuse(which, fmt::format("fault \"{}\": {}", fault.name, error.what()));
  }
}

void check_needs(const Case& which) {
  if (which.needs.devices < 0) refuse(which, "it needs a negative number of devices");
  const double fraction = which.needs.memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) refuse(which, "the share of memory it needs is not from 0 to 1");
}

void check(const Case& which) {
  if (!is_case_name(which.name)) refuse(which, "the name is not \"group.case\" written with a-z, 0-9 and _");
  if (which.run == nullptr) refuse(which, "it has no function to run");
  if (which.deadline.count() <= 0) refuse(which, "its deadline is not positive");
  check_needs(which);
  check_names(which, which.parameters, "parameter");
  check_names(which, which.faults, "fault");
  check_names(which, which.children, "child");
  for (const Parameter& parameter : which.parameters) check_parameter(which, parameter);
  for (const Fault& fault : which.faults) check_fault(which, fault);
  for (const Child& child : which.children) {
    if (child.run == nullptr) refuse(which, fmt::format("child \"{}\" has no function to run", child.name));
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
  for (const Case& which : cases_) check(which);
  std::sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  const auto twin =
      std::adjacent_find(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) { return a.name == b.name; });
  if (twin != cases_.end()) {
    refuse(*twin, fmt::format("the name is taken twice, by \"{}\" and \"{}\"", twin->source, std::next(twin)->source));
  }
}

const Case* Registry::find(std::string_view name) const noexcept {
  const auto found = std::lower_bound(cases_.begin(), cases_.end(), name,
                                      [](const Case& which, std::string_view wanted) { return which.name < wanted; });
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
  for (const Case& which : cases_) candidates.emplace_back(distance(name, which.name), which.name);
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
