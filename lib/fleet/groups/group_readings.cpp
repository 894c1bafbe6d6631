#include "fleet/groups/group_readings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace gpucheck::fleet {
namespace {

bool has_speed(const GroupReading& reading) {
  return reading.run == GroupRun::completed && reading.mismatches == 0 && std::isfinite(reading.gbps) &&
         reading.gbps > 0;
}

/// What makes a group bad whatever its speed; empty for none.
std::string fault_of(const GroupReading& reading) {
  switch (reading.run) {
    case GroupRun::failed:
      return "the collective failed";
    case GroupRun::absent:
      return "a rank never came";
    case GroupRun::completed:
      if (reading.mismatches > 0) return fmt::format("{} elements are wrong", reading.mismatches);
      break;
    case GroupRun::unreported:
      break;
  }
  return {};
}

}  // namespace

double GroupJudge::reference(std::size_t nodes) const {
  if (rules_.reference_gbps > 0) return rules_.reference_gbps;
  std::vector<double> all;
  std::vector<double> similar;
  for (const GroupReading& speed : speeds_) {
    all.push_back(speed.gbps);
    if (speed.nodes <= 4 * nodes && nodes <= 4 * speed.nodes) similar.push_back(speed.gbps);
  }
  std::vector<double>& values = similar.size() >= rules_.least_readings ? similar : all;
  if (values.size() < std::max<std::size_t>(rules_.least_readings, 1)) return 0;
  const auto quartile = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 3 / 4);
  std::ranges::nth_element(values, quartile);
  return *quartile;
}

std::vector<GroupVerdict> GroupJudge::judge(const std::vector<GroupReading>& round) {
  std::ranges::copy_if(round, std::back_inserter(speeds_), has_speed);
  std::vector<GroupVerdict> verdicts;
  verdicts.reserve(round.size());
  for (const GroupReading& reading : round) {
    GroupVerdict& verdict = verdicts.emplace_back();
    if (reading.run == GroupRun::unreported) continue;
    verdict.why = fault_of(reading);
    verdict.outcome = verdict.why.empty() ? GroupOutcome::good : GroupOutcome::bad;
    verdict.reference_gbps = reference(reading.nodes);
    if (!has_speed(reading) || verdict.reference_gbps <= 0) continue;
    verdict.speed_judged = true;
    if (reading.gbps >= (1 - rules_.tolerance) * verdict.reference_gbps) continue;
    verdict.outcome = GroupOutcome::bad;
    verdict.why = fmt::format("{:.1f} GB/s, the reference is {:.1f} GB/s", reading.gbps, verdict.reference_gbps);
  }
  return verdicts;
}

}  // namespace gpucheck::fleet
