#include "input/world.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "base/splitmix.hpp"

namespace gpucheck::application {

namespace {

/// The job's own name, which is part of where its processes meet: one that runs again on the same nodes meets nobody of
/// the run before.
std::string name_of(const harness::Job& job, const std::string& step) {
  std::string name = job.id.empty() ? "job" : job.id;
  if (!step.empty()) name += "." + step;
  if (job.restart_count) name += fmt::format(".{}", *job.restart_count);
  std::ranges::replace(name, '/', '-');
  return name;
}

/// A port that follows from the job's name, beside those that the system hands out by itself (from 32768 on).
std::string port_of(std::string_view job_name) {
  constexpr std::uint64_t first = 20'000;
  constexpr std::uint64_t ports = 12'000;
  std::uint64_t number = 0;
  for (const char letter : job_name) number = splitmix(number ^ static_cast<unsigned char>(letter));
  return fmt::format("{}", first + number % ports);
}

/// The first of Slurm's list of nodes: "n03" of "n[03-05,9],login".
std::string first_of_node_list(std::string_view list) {
  std::string name;
  for (std::size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] != '[') {
      name += list[at];
      continue;
    }
    while (++at < list.size() && std::isdigit(static_cast<unsigned char>(list[at])) != 0) name += list[at];
    at = list.find(']', at);
    if (at == list.npos) return {};
  }
  return name;
}

std::optional<std::string> host_of_first_rank(const Variable& variable, const harness::Job& job) {
  if (job.local_size && job.size && *job.local_size == *job.size) return "127.0.0.1";
  const std::string host = first_of_node_list(variable("SLURM_STEP_NODELIST").value_or(""));
  return host.empty() ? std::nullopt : std::optional(host);
}

std::string place_of(const Variable& variable, const harness::Job& job, const std::string& typed) {
  const std::string name = name_of(job, variable("SLURM_STEP_ID").value_or(""));
  if (!typed.empty()) {
    if (!harness::parse_rendezvous_address(typed)) return (std::filesystem::absolute(typed) / name).string();
    return fmt::format("{}/{}", typed, name);
  }
  const std::optional<std::string> master = variable("MASTER_ADDR");
  const std::optional<std::string> host = master ? master : host_of_first_rank(variable, job);
  if (!host) return {};
  const std::optional<std::string> port = master ? variable("MASTER_PORT") : std::nullopt;
  std::string place = fmt::format("tcp://{}:{}/{}", *host, port.value_or(port_of(name)), name);
  static_cast<void>(harness::parse_rendezvous_address(place));
  return place;
}

}  // namespace

harness::World recognise_world(const Variable& variable, const Engine& engine, const std::string& rendezvous) {
  const harness::Job job = engine.job.value_or(harness::Job{});
  if (!job.rank || !job.size || *job.size < 2 || *job.rank >= *job.size) return {};
  harness::World world{
      .rank = *job.rank, .size = *job.size, .rendezvous = place_of(variable, job, rendezvous), .member = engine.node};
  std::ranges::replace(world.member, ' ', '_');
  if (job.local_rank && job.local_size.value_or(2) > 1) world.member += fmt::format(":{}", *job.local_rank);
  return world;
}

harness::World world_of_this_process(const Engine& engine, const std::string& rendezvous) {
  return recognise_world(variable_of_this_process, engine, rendezvous);
}

std::unique_ptr<harness::RendezvousServer> serve_rendezvous(std::span<const harness::Case* const> cases,
                                                            const harness::World& world) {
  const bool is_asked =
      std::ranges::any_of(cases, [](const harness::Case* test_case) { return test_case->needs.several_processes; });
  if (!is_asked || world.size < 2 || world.rank != 0) return nullptr;
  const auto address = harness::parse_rendezvous_address(world.rendezvous);
  if (!address) return nullptr;
  constexpr std::chrono::seconds linger(5);
  return std::make_unique<harness::RendezvousServer>(*address, linger);
}

}  // namespace gpucheck::application
