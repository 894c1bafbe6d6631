#include "input/engine.hpp"

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

/// Variables of which the first that is set counts; nullptr for none.
using VariableNames = std::array<const char*, 2>;

class Variables {
 public:
  explicit Variables(const Variable& variable) : variable_(variable) {}

  [[nodiscard]] std::string text(const char* name) const { return variable_(name).value_or(""); }
  [[nodiscard]] bool has(const char* name) const { return variable_(name).has_value(); }
  [[nodiscard]] std::optional<int> number(const char* name) const {
    const std::optional<std::string> value = variable_(name);
    if (!value) return std::nullopt;
    const std::optional<int> number = parse_whole_number(*value);
    if (number && *number >= 0) return number;
    throw EnvironmentError(
        fmt::format("{} is \"{}\" in the environment, and must be a whole number from 0 on: an engine "
                    "sets it so; unset it where none started gpucheck",
                    name, shown(*value)));
  }
  /// The first of these that is set.
  [[nodiscard]] std::optional<int> first_number(const VariableNames& names) const {
    for (const char* name : names) {
      if (name != nullptr && has(name)) return number(name);
    }
    return std::nullopt;
  }

 private:
  static std::string shown(const std::string& value) { return one_line(value); }

  const Variable& variable_;
};

/// The variables that say where a rank stands. An MPI that Slurm has started on each node once starts the ranks itself,
/// which then all have Slurm's variables of its daemon: the MPI's own go first.
struct RankVariables {
  const char* engine;
  const char* rank;
  VariableNames size = {};
  VariableNames local_rank = {};
};
constexpr std::array rank_variables{
    RankVariables{"open_mpi", "OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_RANK"}},
    RankVariables{"slurm", "SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, {"SLURM_LOCALID"}},
    RankVariables{"pmix", "PMIX_RANK", {}, {}},
    RankVariables{"pmi", "PMI_RANK", {"PMI_SIZE"}, {"MPI_LOCALRANKID"}},
    RankVariables{"kubernetes", "JOB_COMPLETION_INDEX", {"JOB_COMPLETIONS"}, {}},
};

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
                        .size = variables.first_number(known.size),
                        .local_rank = variables.first_number(known.local_rank),
                        .restart_count = variables.number("SLURM_RESTART_COUNT")};
  }
  // A prolog has a job and no rank, a health check nothing but the node.
  if (!variables.has("SLURM_JOB_ID") && !variables.has("SLURMD_NODENAME")) return std::nullopt;
  return harness::Job{
      .engine = "slurm", .id = slurm_job(variables), .restart_count = variables.number("SLURM_RESTART_COUNT")};
}

/// @throws EnvironmentError for a part that there is not.
runner::Shard shard_of(int index_from_0, int count, const char* what) {
  if (index_from_0 < count) return {.index = index_from_0 + 1, .count = count};
  throw EnvironmentError(fmt::format("{} {} of {} is not one of its parts: --shard I/N says which part to run", what,
                                     index_from_0 + 1, count));
}

std::optional<runner::Shard> array_shard(const Variables& variables) {
  const auto task = variables.number("SLURM_ARRAY_TASK_ID");
  const auto count = variables.number("SLURM_ARRAY_TASK_COUNT");
  if (!task || !count) return std::nullopt;
  const int from_first = *task - variables.number("SLURM_ARRAY_TASK_MIN").value_or(0);
  const int step = variables.number("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step < 1 || from_first < 0 || from_first % step != 0) {
    throw EnvironmentError(
        fmt::format("task {} of the Slurm array has no place in a sequence: --shard I/N says which "
                    "part to run",
                    *task));
  }
  return shard_of(from_first / step, *count, "task");
}

std::optional<runner::Shard> shard_by(const Variables& variables, const char* index, const char* count, int first) {
  const auto at = variables.number(index);
  const auto of = variables.number(count);
  if (!at || !of || *at < first) return std::nullopt;
  return shard_of(*at - first, *of, index);
}

std::optional<runner::Shard> shard_in(const Variables& variables, const std::optional<harness::Job>& job) {
  if (auto shard = array_shard(variables)) return shard;
  if (job && job->rank && job->size) return shard_of(*job->rank, *job->size, "rank");
  if (auto shard = shard_by(variables, "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0)) return shard;
  return shard_by(variables, "CI_NODE_INDEX", "CI_NODE_TOTAL", 1);  // GitLab's parallel jobs
}

std::string host_name_of_this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// A name that stays within its folder.
std::string as_file_name(const std::string& name, std::string_view what) {
  const bool leads_elsewhere = name == "." || name == ".." || name.find('/') != name.npos;
  if (!name.empty() && !leads_elsewhere && one_line(name) == name) return name;
  throw UsageError(
      fmt::format("{} \"{}\" cannot be part of a file's name: name the file without it", what, one_line(name)));
}

std::string replacement(std::string_view word, const Engine& engine) {
  if (word == "node") return as_file_name(engine.node, "the node's name");
  const bool is_rank = word == "rank";
  if (!is_rank && word != "job") {
    throw UsageError(
        fmt::format("there is no {{{}}} in the name of a file: {{node}}, {{rank}} and {{job}} there are", word));
  }
  if (is_rank && engine.job && engine.job->rank) return std::to_string(*engine.job->rank);
  if (!is_rank && engine.job && !engine.job->id.empty()) return as_file_name(engine.job->id, "the job's name");
  throw UsageError(
      fmt::format("{{{}}} in the name of a file needs a {} of Slurm, an MPI or Kubernetes, and this process "
                  "has none",
                  word, is_rank ? "rank" : "job"));
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
  engine.shard = shard_in(variables, engine.job);
  return engine;
}

Engine engine_of_this_process() {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  return recognise_engine(variable, host_name_of_this_machine());
}

runner::Shard shard_of_this_process() {
  if (const std::optional<runner::Shard> shard = engine_of_this_process().shard) return *shard;
  throw UsageError(
      "--shard auto: nothing in the environment says which part this is; write --shard I/N, or start gpucheck "
      "as a task of a Slurm array, as a rank, or as a pod of an indexed Job with JOB_COMPLETIONS set");
}

std::string path_of_this_process(const std::string& path, const Engine& engine) {
  std::string result;
  std::string_view rest = path;
  while (true) {
    const std::size_t open = rest.find('{');
    const std::size_t close = open == rest.npos ? rest.npos : rest.find('}', open);
    if (close == rest.npos) return result.append(rest);
    result.append(rest.substr(0, open)).append(replacement(rest.substr(open + 1, close - open - 1), engine));
    rest.remove_prefix(close + 1);
  }
}

}  // namespace gpucheck::application
