#include "runner/plan/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/error.hpp"
#include "base/fnv.hpp"
#include "base/splitmix.hpp"
#include "harness/values/edit_distance.hpp"

namespace gpucheck::runner {
namespace {

[[noreturn]] void reject_parameter(std::string_view name, const std::set<std::string_view>& declared) {
  if (declared.empty()) {
    throw UsageError(fmt::format("no selected case has a parameter \"{}\": none of them has any parameter", name));
  }
  std::vector<std::string_view> nearest(declared.begin(), declared.end());
  std::ranges::stable_sort(nearest, {}, [name](std::string_view other) { return harness::edit_distance(name, other); });
  nearest.resize(std::min<std::size_t>(nearest.size(), 3));
  throw UsageError(
      fmt::format("no selected case has a parameter \"{}\". Nearest: {}. \"gpucheck describe CASE\" lists "
                  "the parameters of a case.",
                  name, fmt::join(nearest, ", ")));
}

void check_parameters(std::span<const harness::Case* const> selected, const harness::ParameterValues& parameters) {
  std::set<std::string_view> declared;
  for (const harness::Case* test_case : selected) {
    for (const harness::Parameter& parameter : test_case->parameters) declared.insert(parameter.name);
  }
  for (const auto& [name, value] : parameters) {
    if (!declared.contains(name)) reject_parameter(name, declared);
  }
}

/// Read per case, since two cases may declare one name with different types and ranges.
harness::ParameterValues parameters_of(const harness::Case& test_case, const harness::ParameterValues& given) {
  harness::ParameterValues own;
  for (const auto& [name, value] : given) {
    const harness::Parameter* parameter = test_case.find_parameter(name);
    if (parameter == nullptr) continue;
    const auto* text = std::get_if<std::string>(&value);
    own.emplace(name, text != nullptr ? parameter->parse(*text) : value);
  }
  return own;
}

/// Without rounding: a long double holds every 64-bit integer.
long double number_of(const harness::Parameter& parameter, const harness::ParameterValues& given) {
  const auto found = given.find(parameter.name);
  const harness::ParameterValue& value = found == given.end() ? parameter.default_value : found->second;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<long double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? 0 : static_cast<long double>(*real);
}

/// What a case calls minimum_x and maximum_x are the ends of one range.
void check_ranges(const harness::Case& test_case, const harness::ParameterValues& given) {
  constexpr std::string_view prefix = "minimum_";
  for (const harness::Parameter& minimum : test_case.parameters) {
    if (!minimum.name.starts_with(prefix)) continue;
    const harness::Parameter* const maximum =
        test_case.find_parameter(fmt::format("maximum_{}", minimum.name.substr(prefix.size())));
    if (maximum == nullptr) continue;
    const long double low = number_of(minimum, given);
    const long double high = number_of(*maximum, given);
    if (low <= high) continue;
    throw UsageError(fmt::format("{}: {} is above {} ({} and {}): nothing lies between them", test_case.name,
                                 minimum.name, maximum->name, low, high));
  }
}

harness::RunSettings narrowed(harness::RunSettings settings, const harness::Case& test_case) {
  settings.seed = case_seed(settings.seed, test_case.name);
  settings.parameters = parameters_of(test_case, settings.parameters);
  check_ranges(test_case, settings.parameters);
  return settings;
}

/// As good as random, and alike for a subset of the cases.
void sort_by_seed(std::vector<PlannedCase>& cases) {
  std::ranges::stable_sort(cases, {}, [](const PlannedCase& planned) { return splitmix(planned.settings.seed); });
}

}  // namespace

std::uint64_t case_seed(std::uint64_t run_seed, std::string_view case_name) noexcept {
  return splitmix(splitmix(run_seed) ^ fnv1a(case_name)) >> 11U;  // 53 bits are left
}

std::uint64_t seed_of_repetition(std::uint64_t run_seed, int repetition) noexcept {
  return run_seed + static_cast<std::uint64_t>(repetition);
}

Plan make_plan(std::span<const harness::Case* const> selected, const PlanOptions& options,
               std::vector<harness::CaseResult> ready) {
  if (options.shard.count < 1 || options.shard.index < 1 || options.shard.index > options.shard.count) {
    throw UsageError(
        fmt::format("there is no shard {} of {}: shards count from 1", options.shard.index, options.shard.count));
  }
  check_parameters(selected, options.settings.parameters);
  std::size_t position = 0;
  const auto is_mine = [&] {
    const std::size_t shard = position++ % static_cast<std::size_t>(options.shard.count);
    return shard + 1 == static_cast<std::size_t>(options.shard.index);
  };
  Plan plan{.repeat = options.repeat, .run_seed = options.settings.seed, .shuffle = options.shuffle};
  for (const harness::Case* test_case : selected) {
    PlannedCase planned{.test_case = test_case, .settings = narrowed(options.settings, *test_case)};
    if (is_mine()) plan.cases.push_back(std::move(planned));
  }
  if (plan.shuffle) sort_by_seed(plan.cases);
  for (harness::CaseResult& result : ready) {
    if (is_mine()) plan.ready.push_back(std::move(result));
  }
  return plan;
}

std::vector<harness::SiteCase> site_cases(const Plan& plan) {
  std::vector<harness::SiteCase> found;
  for (const PlannedCase& planned : plan.cases) {
    const auto& program = planned.test_case->program;
    if (program) found.push_back({.name = planned.test_case->name, .digest = program->digest});
  }
  std::ranges::sort(found);
  return found;
}

std::vector<PlannedCase> Plan::repetition(int index) const {
  std::vector<PlannedCase> planned_cases = cases;
  if (index == 0) return planned_cases;
  for (PlannedCase& planned : planned_cases) {
    planned.repetition = index;
    planned.settings.seed = case_seed(seed_of_repetition(run_seed, index), planned.test_case->name);
  }
  if (shuffle) sort_by_seed(planned_cases);
  return planned_cases;
}

}  // namespace gpucheck::runner
