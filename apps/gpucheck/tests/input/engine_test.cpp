#include "input/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "base/error.hpp"

namespace gpucheck::application {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Given = std::map<std::string, std::string>;

Variable variables_of(const Given& environment) {
  return [environment](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  };
}

Engine engine_in(const Given& environment, const std::string& host_name = "host") {
  return recognise_engine(variables_of(environment), host_name);
}

std::optional<runner::Shard> shard_in(const Given& environment) { return recognise_shard(variables_of(environment)); }

template <typename Read>
std::string refusal_of(Read read) {
  try {
    static_cast<void>(read());
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_engine(const Given& environment) {
  return refusal_of([&] { return engine_in(environment); });
}

std::string refusal_of_shard(const Given& environment) {
  return refusal_of([&] { return shard_in(environment); });
}

struct Start {
  std::string name;
  Given environment;
  std::string host_name;
  std::string node;
  harness::Job job;
};

void PrintTo(const Start& start, std::ostream* out) { *out << start.name; }

class Engines : public testing::TestWithParam<Start> {};

TEST_P(Engines, SayWhereAProcessStands) {
  const Engine engine = engine_in(GetParam().environment, GetParam().host_name);
  EXPECT_EQ(engine.node, GetParam().node);
  ASSERT_TRUE(engine.job.has_value());
  EXPECT_EQ(*engine.job, GetParam().job);
}

const Given slurm_task = {{"SLURM_JOB_ID", "4711"}, {"SLURMD_NODENAME", "n3"},
                          {"SLURM_PROCID", "5"},    {"SLURM_STEP_NUM_TASKS", "16"},
                          {"SLURM_NTASKS", "32"},   {"SLURM_LOCALID", "1"},
                          {"SLURM_STEP_ID", "0"},   {"SLURM_RESTART_COUNT", ""},
                          {"SLURM_NODEID", "2"},    {"SLURM_STEP_TASKS_PER_NODE", "6(x2),4"}};

Given with(Given environment, const Given& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

INSTANTIATE_TEST_SUITE_P(
    All, Engines,
    testing::Values(
        Start{"slurm_step",
              slurm_task,
              "n3.cluster",
              "n3",
              {.engine = "slurm", .id = "4711", .rank = 5, .size = 16, .local_rank = 1, .local_size = 4}},
        Start{"slurm_array_restarted",
              with(slurm_task,
                   {{"SLURM_ARRAY_JOB_ID", "4700"}, {"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_RESTART_COUNT", "2"}}),
              "n3.cluster",
              "n3",
              {.engine = "slurm",
               .id = "4700_7",
               .rank = 5,
               .size = 16,
               .local_rank = 1,
               .local_size = 4,
               .restart_count = 2}},
        Start{"slurm_prolog",
              {{"SLURM_JOB_ID", "4711"}, {"SLURMD_NODENAME", "n3"}},
              "n3.cluster",
              "n3",
              {.engine = "slurm", .id = "4711"}},
        Start{"slurm_health_check", {{"SLURMD_NODENAME", "n3"}}, "n3.cluster", "n3", {.engine = "slurm", .id = ""}},
        // mpirun in a Slurm job starts one daemon a node by srun: the ranks have the daemon's variables too.
        Start{
            "open_mpi_in_slurm",
            with(slurm_task,
                 {{"OMPI_COMM_WORLD_RANK", "9"}, {"OMPI_COMM_WORLD_SIZE", "10"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}),
            "n3.cluster",
            "n3",
            {.engine = "open_mpi", .id = "4711", .rank = 9, .size = 10, .local_rank = 0}},
        Start{"open_mpi",
              {{"OMPI_COMM_WORLD_RANK", "0"},
               {"OMPI_COMM_WORLD_SIZE", "4"},
               {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
               {"PMIX_RANK", "0"},
               {"PMIX_NAMESPACE", "prterun-a-1@1"}},
              "a",
              "a",
              {.engine = "open_mpi", .id = "prterun-a-1@1", .rank = 0, .size = 4, .local_rank = 3, .local_size = 4}},
        Start{"pmix",
              {{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "job-1"}},
              "a",
              "a",
              {.engine = "pmix", .id = "job-1", .rank = 2}},
        Start{"mpich",
              {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}},
              "a",
              "a",
              {.engine = "pmi", .id = "", .rank = 1, .size = 2, .local_rank = 0, .local_size = 1}},
        Start{"kubernetes",
              {{"JOB_COMPLETION_INDEX", "12"}, {"JOB_COMPLETIONS", "100"}, {"GPUCHECK_NODE", "gpu-node-7"}},
              "accept-12",
              "gpu-node-7",
              {.engine = "kubernetes", .id = "accept", .rank = 12, .size = 100}},
        Start{"kubernetes_without_a_node",
              {{"JOB_COMPLETION_INDEX", "2"}},
              "accept-12",
              "accept-12",
              {.engine = "kubernetes", .id = "", .rank = 2}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Engine, IsNoneWhereNoneStartedTheProcess) {
  const Engine engine = engine_in({{"SLURM_CONF", "/etc/slurm.conf"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  EXPECT_EQ(engine.node, "host");
  EXPECT_FALSE(engine.job.has_value());
}

TEST(Engine, GivesNumbersFromZeroOn) {
  for (const char* value : {"-1", "1.5", "one", "99999999999", "1 "}) {
    EXPECT_THAT(refusal_of_engine({{"PMI_RANK", value}}), HasSubstr("variable PMI_RANK is \"")) << value;
    EXPECT_THAT(refusal_of_engine(with(slurm_task, {{"SLURM_LOCALID", value}})), HasSubstr("SLURM_LOCALID")) << value;
  }
  EXPECT_EQ(refusal_of_engine({{"PMI_RANK", "0"}}), "");
}

TEST(Engine, CountsTheProcessesOfItsNode) {
  const auto local_size = [](const char* list, const char* node) {
    return engine_in(with(slurm_task, {{"SLURM_STEP_TASKS_PER_NODE", list}, {"SLURM_NODEID", node}})).job->local_size;
  };
  EXPECT_EQ(local_size("8", "0"), 8);
  EXPECT_EQ(local_size("8(x3),4", "2"), 8);
  EXPECT_EQ(local_size("8(x3),4", "3"), 4);
  EXPECT_EQ(local_size("1,2(x2),3", "1"), 2);
  EXPECT_EQ(local_size("1,2(x2),3", "2"), 2);
  EXPECT_EQ(local_size("1,2(x2),3", "3"), 3);
  for (const char* list : {"8(x3)", "", ",", "x(x4)", "8(x0),2(x9)", "8(x", "8(xx4),4"}) {
    EXPECT_EQ(local_size(list, "3"), std::nullopt) << list;
  }
  EXPECT_EQ(local_size("8(x3),4", ""), std::nullopt) << "nobody says which node this is";
}

struct Part {
  std::string name;
  Given environment;
  int index;  ///< 0: no part
  int count;
};

void PrintTo(const Part& part, std::ostream* out) { *out << part.name; }

class Shards : public testing::TestWithParam<Part> {};

TEST_P(Shards, AreWhatTheEnvironmentSays) {
  const std::optional<runner::Shard> shard = shard_in(GetParam().environment);
  ASSERT_EQ(shard.has_value(), GetParam().index != 0);
  if (!shard) return;
  EXPECT_EQ(shard->index, GetParam().index);
  EXPECT_EQ(shard->count, GetParam().count);
}

Given array(const std::string& task, const std::string& count, const std::string& first, const std::string& step) {
  return {{"SLURM_ARRAY_TASK_ID", task},
          {"SLURM_ARRAY_TASK_COUNT", count},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_STEP", step}};
}

INSTANTIATE_TEST_SUITE_P(
    All, Shards,
    testing::Values(Part{"first_of_an_array_from_0", array("0", "4", "0", "1"), 1, 4},
                    Part{"last_of_an_array_from_1", array("4", "4", "1", "1"), 4, 4},
                    Part{"of_every_third_from_2", array("8", "4", "2", "3"), 3, 4},
                    Part{"array_without_a_step", array("3", "4", "1", ""), 3, 4},
                    Part{"a_task_of_an_unknown_count", array("3", "", "1", "1"), 0, 0},
                    Part{"a_count_without_a_task", array("", "4", "1", "1"), 0, 0},
                    Part{"array_goes_before_the_rank", with(slurm_task, array("2", "3", "1", "1")), 2, 3},
                    Part{"of_a_rank", slurm_task, 6, 16},
                    Part{"not_of_a_batch_script", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}, 0, 0},
                    Part{"of_a_rank_of_open_mpi_in_a_batch_script",
                         {{"SLURM_PROCID", "0"},
                          {"SLURM_NTASKS", "8"},
                          {"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "4"}},
                         2,
                         4},
                    Part{"of_an_indexed_job", {{"JOB_COMPLETION_INDEX", "0"}, {"JOB_COMPLETIONS", "2"}}, 1, 2},
                    Part{"of_a_job_of_unknown_size", {{"JOB_COMPLETION_INDEX", "0"}}, 0, 0},
                    Part{"of_googletest", {{"GTEST_SHARD_INDEX", "2"}, {"GTEST_TOTAL_SHARDS", "3"}}, 3, 3},
                    Part{"of_gitlab", {{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "3"}}, 1, 3},
                    Part{"gitlab_counts_from_1", {{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "3"}}, 0, 0}),
    [](const auto& tested) { return tested.param.name; });

TEST(Shards, ThatDoNotExistAreRefused) {
  EXPECT_THAT(refusal_of_shard(array("5", "3", "1", "1")), HasSubstr("there is no task 5 of 3"));
  EXPECT_THAT(refusal_of_shard(array("4", "3", "1", "2")), HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal_of_shard(array("0", "3", "1", "1")), HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal_of_shard(array("1", "3", "1", "0")), HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal_of_shard({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), HasSubstr("there is no rank 3 of 2"));
}

/// Where nobody asks for a part, tasks 1, 5 and 7 of an array run like others.
TEST(Engine, IsKnownWhereNoPartIs) {
  EXPECT_EQ(engine_in(with(slurm_task, array("5", "3", "1", "1"))).job->rank, 5);
  EXPECT_FALSE(engine_in({{"GTEST_SHARD_INDEX", "x"}, {"GTEST_TOTAL_SHARDS", "2"}}).job.has_value());
}

Engine ranked() {
  return {.node = "n3", .job = harness::Job{.engine = "slurm", .id = "4700_7", .rank = 5, .size = 16, .local_rank = 1}};
}

std::string path_refusal(const std::string& path, const Engine& engine) {
  try {
    return "a path: " + path_of_this_process(path, engine);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(PathOfThisProcess, HasNodeRankAndJob) {
  EXPECT_EQ(path_of_this_process("out/{node}.{rank}.json", ranked()), "out/n3.5.json");
  EXPECT_EQ(path_of_this_process("{node}-{local_rank}.json", ranked()), "n3-1.json");
  EXPECT_EQ(path_of_this_process("{job}/{job}-{node}", ranked()), "4700_7/4700_7-n3");
  EXPECT_EQ(path_of_this_process("result.json", ranked()), "result.json");
  EXPECT_EQ(path_of_this_process("-", ranked()), "-");
  EXPECT_EQ(path_of_this_process("", ranked()), "");
  EXPECT_EQ(path_of_this_process("open{node", ranked()), "open{node");
  EXPECT_EQ(path_of_this_process("closed}{node}", ranked()), "closed}n3");
  EXPECT_EQ(path_of_this_process("{node}.json", {.node = "alone"}), "alone.json");
}

TEST(PathOfThisProcess, HasNothingElseInBraces) {
  EXPECT_THAT(path_refusal("{nodes}.json", ranked()), HasSubstr("{nodes} is not known"));
  EXPECT_THAT(path_refusal("{}.json", ranked()), HasSubstr("{} is not known"));
  EXPECT_THAT(path_refusal("{NODE}.json", ranked()), HasSubstr("{NODE} is not known"));
}

TEST(PathOfThisProcess, NeedsAnEngineForRankAndJob) {
  EXPECT_THAT(path_refusal("{rank}.json", {.node = "alone"}),
              AllOf(HasSubstr("{rank} needs a number"), HasSubstr("Kubernetes")));
  EXPECT_THAT(path_refusal("{local_rank}.json", {.node = "alone"}),
              AllOf(HasSubstr("{local_rank} needs a number"), Not(HasSubstr("Kubernetes"))));
  EXPECT_THAT(path_refusal("{job}.json", {.node = "alone"}), HasSubstr("needs a job"));
  const Engine health_check{.node = "n3", .job = harness::Job{.engine = "slurm", .id = ""}};
  EXPECT_THAT(path_refusal("{rank}.json", health_check), HasSubstr("{rank} needs a number"));
  EXPECT_THAT(path_refusal("{job}.json", health_check), HasSubstr("needs a job"));
}

/// A node's name comes from outside: no file is written outside of the folder that was named.
TEST(PathOfThisProcess, StaysInItsFolder) {
  for (const char* name : {"../elsewhere", "a/b", "/etc", ".", "..", "", "line\nbreak", "\x1b[2J", " spaces "}) {
    EXPECT_THAT(path_refusal("out/{node}.json", {.node = name}), HasSubstr("cannot be part of a file name")) << name;
    Engine engine = ranked();
    engine.job->id = name;
    EXPECT_THAT(path_refusal("out/{job}.json", engine), testing::Not(HasSubstr("a path: "))) << name;
  }
}

TEST(DeviceOfThisProcess, HasItsLocalRank) {
  EXPECT_EQ(device_of_this_process("cuda:{local_rank}", ranked()), "cuda:1");
  EXPECT_EQ(device_of_this_process("sim:devices=4,only={local_rank}", ranked()), "sim:devices=4,only=1");
  EXPECT_EQ(device_of_this_process("auto", ranked()), "auto");
  EXPECT_THROW(device_of_this_process("cuda:{local_rank}", {.node = "alone"}), UsageError);
  EXPECT_THROW(device_of_this_process("cuda:{rank}", ranked()), UsageError) << "it is the number of another node's GPU";
}

}  // namespace
}  // namespace gpucheck::application
