#include "input/world.hpp"

#include <gmock/gmock.h>
#include <map>
#include <string>

#include "base/error.hpp"

namespace gpucheck::application {
namespace {

using harness::World;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

using Given = std::map<std::string, std::string>;

World world_in(const Given& environment, const std::string& rendezvous = "") {
  const Variable variable = [environment](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  return recognise_world(variable, recognise_engine(variable, "host"), rendezvous);
}

const Given on_one_machine{{"OMPI_COMM_WORLD_RANK", "2"},
                           {"OMPI_COMM_WORLD_SIZE", "4"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                           {"PMIX_NAMESPACE", "81.1"}};

Given of_slurm(const std::string& nodes) {
  return {{"SLURM_PROCID", "1"},      {"SLURM_STEP_NUM_TASKS", "4"},  {"SLURM_LOCALID", "0"},
          {"SLURM_NODEID", "1"},      {"SLURM_JOB_ID", "815"},        {"SLURM_STEP_ID", "2"},
          {"SLURMD_NODENAME", "n04"}, {"SLURM_STEP_NODELIST", nodes}, {"SLURM_STEP_TASKS_PER_NODE", "1(x4)"}};
}

Given given_also(Given environment, const Given& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

TEST(WorldOfAJob, IsOneProcessWhereNobodySaysOtherwise) {
  EXPECT_EQ(world_in({}), World{});
  EXPECT_EQ(world_in({{"SLURM_JOB_ID", "1"}, {"SLURMD_NODENAME", "n1"}}), World{}) << "a prolog";
  EXPECT_EQ(world_in({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}), World{});
  EXPECT_EQ(world_in({{"PMIX_RANK", "0"}}), World{}) << "it does not say how many there are";
}

TEST(WorldOfAJob, OfOneMachineMeetsThere) {
  const World world = world_in(on_one_machine);
  EXPECT_EQ(world.rank, 2);
  EXPECT_EQ(world.size, 4);
  EXPECT_EQ(world.member, "host:2");
  EXPECT_THAT(world.rendezvous, MatchesRegex("tcp://127.0.0.1:[23][0-9]{4}/81.1"));
  EXPECT_NE(world.rendezvous, world_in(given_also(on_one_machine, {{"PMIX_NAMESPACE", "82.1"}})).rendezvous);
  Given other_rank = given_also(on_one_machine, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_EQ(world_in(other_rank).rendezvous, world.rendezvous) << "all ranks go to the same place";
}

TEST(WorldOfAJob, OfSlurmMeetsAtTheFirstNodeOfItsStep) {
  const std::map<std::string, std::string> first_of{{"n[03-05,9],login", "n03"}, {"a1,b2", "a1"},
                                                    {"node7", "node7"},          {"rack1-n[2,4]", "rack1-n2"},
                                                    {"r[1-2]n[03-05]", "r1n03"}, {"x[10]y", "x10y"}};
  for (const auto& [nodes, first] : first_of) {
    const World world = world_in(of_slurm(nodes));
    EXPECT_THAT(world.rendezvous, StartsWith("tcp://" + first + ":")) << nodes;
    EXPECT_THAT(world.rendezvous, EndsWith("/815.2"));
    EXPECT_EQ(world.member, "n04");
  }
  EXPECT_EQ(world_in(of_slurm("n[03")).rendezvous, "") << "a list that is cut off";
}

TEST(WorldOfAJob, KnowsNoPlaceForSeveralMachinesThatNobodyNames) {
  const Given several = given_also(on_one_machine, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  const World world = world_in(several);
  EXPECT_EQ(world.size, 4);
  EXPECT_EQ(world.rendezvous, "");
}

TEST(WorldOfAJob, MeetsWhereTheEnvironmentOrTheUserSays) {
  EXPECT_THAT(world_in(given_also(on_one_machine, {{"MASTER_ADDR", "n9"}})).rendezvous, StartsWith("tcp://n9:"));
  EXPECT_EQ(world_in(given_also(on_one_machine, {{"MASTER_ADDR", "n9"}, {"MASTER_PORT", "29500"}})).rendezvous,
            "tcp://n9:29500/81.1");
  EXPECT_EQ(world_in(given_also(on_one_machine, {{"MASTER_ADDR", "n9"}}), "tcp://n1:5").rendezvous, "tcp://n1:5/81.1");
  EXPECT_EQ(world_in(on_one_machine, "/shared").rendezvous, "/shared/81.1");
  EXPECT_THAT(world_in(on_one_machine, "shared").rendezvous, MatchesRegex("/.*/shared/81.1")) << "every process alike";
}

TEST(WorldOfAJob, MeetsNobodyOfTheRunBefore) {
  const Given again = given_also(of_slurm("n1"), {{"SLURM_RESTART_COUNT", "1"}});
  EXPECT_THAT(world_in(again).rendezvous, EndsWith("/815.2.1"));
}

TEST(WorldOfAJob, RefusesAPlaceThatIsNone) {
  EXPECT_THROW(static_cast<void>(world_in(on_one_machine, "tcp://n1")), UsageError);
  EXPECT_THROW(static_cast<void>(world_in(given_also(on_one_machine, {{"MASTER_ADDR", "n9"}, {"MASTER_PORT", "x"}}))),
               UsageError);
}

}  // namespace
}  // namespace gpucheck::application
