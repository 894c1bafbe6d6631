#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/run/job.hpp"
#include "runner/plan/plan.hpp"

/// What started this process beside others on other nodes. gpucheck starts nothing itself: it reads the environment
/// that Slurm, an MPI or Kubernetes gives each process.
namespace gpucheck::application {

struct Engine {
  std::string node;  ///< this machine, as the engine calls it; else its host name
  std::optional<harness::Job> job = {};
};

/// A variable of the environment; nothing for one that is absent or empty.
using Variable = std::function<std::optional<std::string>(const char* name)>;

/// @throws EnvironmentError for a variable whose value is not one that its engine gives.
Engine recognise_engine(const Variable& variable, const std::string& host_name);

/// The part of the cases for this process, as the environment says: by the task of a Slurm array, else by the rank,
/// else by a parallel CI job. Nothing where it does not say. @throws EnvironmentError for a part that does not exist.
std::optional<runner::Shard> recognise_shard(const Variable& variable);

/// Reads this process's own environment.
std::optional<std::string> variable_of_this_process(const char* name);

Engine engine_of_this_process();

/// @throws UsageError where the environment does not say which part to run.
runner::Shard shard_of_this_process();

/// The path of a file of this process alone: {node}, {rank}, {local_rank} and {job} in it are replaced.
/// @throws UsageError for another word in braces, for a rank or a job where there is none, and for a name that would
/// lead into another folder.
std::string path_of_this_process(const std::string& path, const Engine& engine);

/// The name of this process's device, as in cuda:{local_rank}, where an engine starts one process a GPU.
/// @throws UsageError as above.
std::string device_of_this_process(const std::string& name, const Engine& engine);

}  // namespace gpucheck::application
