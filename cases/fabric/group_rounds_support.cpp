#include "cases/fabric/group_rounds_support.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucheck::cases::in_fabric {

using fleet::GroupRun;
using nlohmann::json;

json to_json(const OwnReading& reading) {
  return {{"completed", reading.run == GroupRun::completed},
          {"absent", reading.run == GroupRun::absent},
          {"gbps", reading.gbps},
          {"mismatches", reading.mismatches},
          {"why", reading.why}};
}

OwnReading reading_from(const json& said) {
  const GroupRun run = said.at("completed").get<bool>() ? GroupRun::completed
                       : said.at("absent").get<bool>()  ? GroupRun::absent
                                                        : GroupRun::failed;
  return {.run = run,
          .gbps = said.at("gbps").get<double>(),
          .mismatches = said.at("mismatches").get<std::uint64_t>(),
          .why = said.at("why").get<std::string>()};
}

json to_json(const Round& round) {
  return {{"groups", round.groups},
          {"culprits", round.culprits},
          {"blamed", round.blamed},
          {"unsettled", round.unsettled},
          {"tests", round.tests},
          {"rounds", round.rounds},
          {"speed_judged", round.speed_judged},
          {"reference_gbps", round.reference_gbps}};
}

Round round_from(const json& said) {
  Round round;
  said.at("groups").get_to(round.groups);
  said.at("culprits").get_to(round.culprits);
  said.at("blamed").get_to(round.blamed);
  said.at("unsettled").get_to(round.unsettled);
  said.at("tests").get_to(round.tests);
  said.at("rounds").get_to(round.rounds);
  said.at("speed_judged").get_to(round.speed_judged);
  said.at("reference_gbps").get_to(round.reference_gbps);
  return round;
}

std::string reading_name(std::size_t round, std::size_t member) {
  return fmt::format("round.{}/reading.{}", round, member);
}

Rounds rounds_for_reference(std::size_t members) {
  constexpr std::size_t fewest_members = 4;  ///< of three there are never enough groups
  const std::size_t enough = fleet::GroupSpeedRules{}.least_readings;
  if (members < fewest_members) return {};
  const auto size = std::max<std::size_t>(2, static_cast<std::size_t>(std::sqrt(static_cast<double>(members))));
  const std::size_t groups = members / size;
  Groups near(groups);
  Groups apart(groups);
  for (std::size_t i = 0; i < groups * size; ++i) {
    near[i / size].push_back(i);
    apart[i % groups].push_back(i);
  }
  if (groups >= enough) return {near};
  return {near, apart};
}

}  // namespace gpucheck::cases::in_fabric
