#include "input/engine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "input/arguments.hpp"

namespace gpucheck::application {

namespace {

class Variables {
 public:
  explicit Variables(const Variable& variable) : variable_(variable) {}

  [[nodiscard]] std::string text(const char* name) const { return variable_(name).value_or(""); }
  [[nodiscard]] bool has(const char* name) const { return variable_(name).has_value(); }
  /// Nothing for nullptr, too.
  [[nodiscard]] std::optional<int> number(const char* name) const {
    const std::optional<std::string> value = name == nullptr ? std::nullopt : variable_(name);
    if (!value) return std::nullopt;
    const std::optional<int> number = parse_whole_number(*value);
    if (number && *number >= 0) return number;
    throw EnvironmentError(
        fmt::format("the environment variable {} is \"{}\", and must be a whole number from 0 on; "
                    "unset it if no engine started gpucheck",
                    name, one_line(*value)));
  }

 private:
  const Variable& variable_;
};

/// The variables that say where a rank stands; nullptr for what an engine does not say. Open MPI goes before Slurm:
/// Slurm starts one daemon of it on each node, and the ranks inherit that daemon's variables of Slurm.
/// The size is that of Slurm's step: in a batch script there is one process, whatever SLURM_NTASKS says.
struct RankVariables {
  const char* engine;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;  ///< Slurm has one variable for all nodes
};
constexpr std::array rank_variables{
    RankVariables{"open_mpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                  "OMPI_COMM_WORLD_LOCAL_SIZE"},
    RankVariables{"slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr},
    RankVariables{"pmix", "PMIX_RANK", nullptr, nullptr, nullptr},
    RankVariables{"pmi", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    RankVariables{"kubernetes", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", nullptr, nullptr},
};

/// The number for the `node`th of a list of Slurm's such as "8(x3),4": three nodes of 8, then one of 4. Nothing for a
/// list that says nothing of it.
std::optional<int> of_slurm_node(std::string_view list, int node) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    int times = 1;
    if (const std::size_t open = item.find("(x"); open != item.npos && item.ends_with(')')) {
      const auto repeated = parse_whole_number(std::string(item.substr(open + 2, item.size() - open - 3)));
      if (!repeated || *repeated < 1) return std::nullopt;
      times = *repeated;
      item = item.substr(0, open);
    }
    if (node < times) return parse_whole_number(std::string(item));
    node -= times;
  }
  return std::nullopt;
}

std::optional<int> local_size(const Variables& variables, const RankVariables& known) {
  if (known.engine != std::string_view("slurm")) return variables.number(known.local_size);
  const std::optional<int> node = variables.number("SLURM_NODEID");
  return node ? of_slurm_node(variables.text("SLURM_STEP_TASKS_PER_NODE"), *node) : std::nullopt;
}

/// As squeue prints it.
std::string slurm_job(const Variables& variables) {
  const std::string array = variables.text("SLURM_ARRAY_JOB_ID");
  if (!array.empty()) return fmt::format("{}_{}", array, variables.text("SLURM_ARRAY_TASK_ID"));
  return variables.text("SLURM_JOB_ID");
}

/// A pod of an indexed Job has the name of the Job and its index for host name.
std::string kubernetes_job(const Variables& variables, const std::string& host_name) {
  const std::string end = "-" + variables.text("JOB_COMPLETION_INDEX");
  return host_name.ends_with(end) ? host_name.substr(0, host_name.size() - end.size()) : "";
}

std::string job_id(const Variables& variables, std::string_view engine, const std::string& host_name) {
  if (std::string slurm = slurm_job(variables); !slurm.empty()) return slurm;
  if (engine == "kubernetes") return kubernetes_job(variables, host_name);
  return variables.text("PMIX_NAMESPACE");
}

std::optional<harness::Job> job_of(const Variables& variables, const std::string& host_name) {
  for (const RankVariables& known : rank_variables) {
    if (!variables.has(known.rank)) continue;
    return harness::Job{.engine = known.engine,
                        .id = job_id(variables, known.engine, host_name),
                        .rank = variables.number(known.rank),
                        .size = variables.number(known.size),
                        .local_rank = variables.number(known.local_rank),
                        .local_size = local_size(variables, known),
                        .restart_count = variables.number("SLURM_RESTART_COUNT")};
  }
  // A prolog has a job and no rank, a health check nothing but the node.
  if (!variables.has("SLURM_JOB_ID") && !variables.has("SLURMD_NODENAME")) return std::nullopt;
  return harness::Job{
      .engine = "slurm", .id = slurm_job(variables), .restart_count = variables.number("SLURM_RESTART_COUNT")};
}

/// @throws EnvironmentError for a part that does not exist.
runner::Shard shard_of(int index_from_0, int count, std::string_view what) {
  if (index_from_0 < count) return {.index = index_from_0 + 1, .count = count};
  throw EnvironmentError(
      fmt::format("--shard auto: there is no {} {} of {}; write --shard I/N", what, index_from_0 + 1, count));
}

std::optional<runner::Shard> array_shard(const Variables& variables) {
  const auto task = variables.number("SLURM_ARRAY_TASK_ID");
  const auto count = variables.number("SLURM_ARRAY_TASK_COUNT");
  if (!task || !count) return std::nullopt;
  const int from_first = *task - variables.number("SLURM_ARRAY_TASK_MIN").value_or(0);
  const int step = variables.number("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step >= 1 && from_first >= 0 && from_first % step == 0) return shard_of(from_first / step, *count, "task");
  throw EnvironmentError(fmt::format(
      "--shard auto: the tasks of this Slurm array are not evenly spaced, as task {} shows; write --shard I/N", *task));
}

std::optional<runner::Shard> rank_shard(const Variables& variables) {
  for (const RankVariables& known : rank_variables) {
    const auto rank = variables.number(known.rank);
    if (!rank) continue;
    const auto size = variables.number(known.size);
    return size ? std::optional(shard_of(*rank, *size, "rank")) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<runner::Shard> shard_by(const Variables& variables, const char* index, const char* count, int first) {
  const auto at = variables.number(index);
  const auto of = variables.number(count);
  if (!at || !of || *at < first) return std::nullopt;
  return shard_of(*at - first, *of, index);
}

std::string host_name_of_this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// A name that stays within its folder.
std::string as_file_name(const std::string& name, std::string_view placeholder) {
  const bool leads_elsewhere = name == "." || name == ".." || name.find('/') != name.npos;
  if (!name.empty() && !leads_elsewhere && one_line(name) == name) return name;
  throw UsageError(fmt::format("{{{}}} stands for \"{}\", which cannot be part of a file name; write a name without it",
                               placeholder, one_line(name)));
}

std::string number_of_this_process(std::optional<int> number, std::string_view placeholder) {
  if (number) return std::to_string(*number);
  throw UsageError(fmt::format(
      "{{{}}} needs a number that this process does not have; start gpucheck with {}, or write a name without it",
      placeholder, placeholder == "rank" ? "Slurm, an MPI or Kubernetes" : "Slurm or an MPI"));
}

std::string in_file_name(std::string_view placeholder, const Engine& engine) {
  const harness::Job job = engine.job.value_or(harness::Job{});
  if (placeholder == "node") return as_file_name(engine.node, placeholder);
  if (placeholder == "rank") return number_of_this_process(job.rank, placeholder);
  if (placeholder == "local_rank") return number_of_this_process(job.local_rank, placeholder);
  if (placeholder != "job") {
    throw UsageError(fmt::format(
        "{{{}}} is not known in a file name; use {{node}}, {{rank}}, {{local_rank}} or {{job}}", placeholder));
  }
  if (!job.id.empty()) return as_file_name(job.id, placeholder);
  throw UsageError(
      "{job} in a file name needs a job, and this process has none; start gpucheck with Slurm, an MPI or Kubernetes, "
      "or write a name without it");
}

std::string in_device_name(std::string_view placeholder, const Engine& engine) {
  if (placeholder == "local_rank") {
    return number_of_this_process(engine.job.value_or(harness::Job{}).local_rank, placeholder);
  }
  throw UsageError(fmt::format("{{{}}} is not known in the name of a device; use {{local_rank}}", placeholder));
}

using Replacement = std::string (*)(std::string_view placeholder, const Engine& engine);

/// `text` with each word in braces replaced.
std::string replaced(const std::string& text, const Engine& engine, Replacement replacement) {
  std::string result;
  std::string_view rest = text;
  while (true) {
    const std::size_t open = rest.find('{');
    const std::size_t close = open == rest.npos ? rest.npos : rest.find('}', open);
    if (close == rest.npos) return result.append(rest);
    result.append(rest.substr(0, open)).append(replacement(rest.substr(open + 1, close - open - 1), engine));
    rest.remove_prefix(close + 1);
  }
}

}  // namespace

Engine recognise_engine(const Variable& variable, const std::string& host_name) {
  const Variables variables(variable);
  Engine engine{.node = host_name};
  // A manifest of Kubernetes can give a pod the name of its node, in a variable that it chooses: this one is ours.
  for (const char* name : {"GPUCHECK_NODE", "SLURMD_NODENAME"}) {
    if (!variables.has(name)) continue;
    engine.node = variables.text(name);
    break;
  }
  engine.job = job_of(variables, host_name);
  return engine;
}

std::optional<runner::Shard> recognise_shard(const Variable& variable) {
  const Variables variables(variable);
  if (const auto shard = array_shard(variables)) return shard;
  if (const auto shard = rank_shard(variables)) return shard;
  if (const auto shard = shard_by(variables, "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0)) return shard;
  return shard_by(variables, "CI_NODE_INDEX", "CI_NODE_TOTAL", 1);  // GitLab's parallel jobs
}

std::optional<std::string> variable_of_this_process(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

Engine engine_of_this_process() { return recognise_engine(variable_of_this_process, host_name_of_this_machine()); }

runner::Shard shard_of_this_process() {
  if (const std::optional<runner::Shard> shard = recognise_shard(variable_of_this_process)) return *shard;
  throw UsageError(
      "--shard auto: the environment does not say which part to run; write --shard I/N, or start gpucheck as a task of "
      "a "
      "Slurm array, as a rank, or as a pod of an indexed Job with JOB_COMPLETIONS set");
}

std::string path_of_this_process(const std::string& path, const Engine& engine) {
  return replaced(path, engine, in_file_name);
}

std::string device_of_this_process(const std::string& name, const Engine& engine) {
  return replaced(name, engine, in_device_name);
}

}  // namespace gpucheck::application
