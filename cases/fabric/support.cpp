#include "cases/fabric/support.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/fault/common_plans.hpp"

namespace gpucheck::cases::in_fabric {
namespace {

using namespace literals;
using device::CollectiveKind;
using device::ElementType;
using in_bandwidth::Samples;
using in_ranks::RankLost;
using nlohmann::json;

constexpr std::uint64_t on_gpu = 512_MiB;
constexpr std::uint64_t small_bytes = 8_KiB;
constexpr std::string_view patience_name = "patience_seconds";

/// Slurm says it where its topology plugin knows: "spine.leaf.node" (sbatch, SLURM_TOPOLOGY_ADDR).
std::string leaf_switch_of_this_node() {
  const char* const path = std::getenv("SLURM_TOPOLOGY_ADDR");  // NOLINT(concurrency-mt-unsafe): nobody sets any
  if (path == nullptr) return {};
  const std::string_view switches = std::string_view(path).substr(0, std::string_view(path).rfind('.'));
  return std::string(switches.substr(switches.rfind('.') + 1));
}

json to_json(const Member& member) {
  return {{"process", member.process},
          {"name", member.name},
          {"leaf_switch", member.leaf_switch},
          {"devices", member.devices},
          {"agreed", member.agreed}};
}

/// @throws Error for what no gpucheck of this version says.
Member member_from(const json& said) {
  try {
    Member member{.process = said.at("process").get<int>(),
                  .name = said.at("name").get<std::string>(),
                  .leaf_switch = said.at("leaf_switch").get<std::string>(),
                  .devices = said.at("devices").get<int>(),
                  .agreed = said.at("agreed").get<std::string>()};
    if (member.process >= 0 && member.devices > 0) return member;
  } catch (const json::exception&) {
  }
  throw Error(fmt::format("another process of the job introduced itself as {}: all must run the same gpucheck",
                          said.dump(-1, ' ', false, json::error_handler_t::replace)));
}

void communicate(harness::Context& context, Assembly& assembly, CollectiveKind kind, std::uint64_t bytes) {
  std::vector<std::size_t> everybody(assembly.members().size());
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  const Places places = assembly.places_in(everybody, "meeting");
  Ranks ranks(context, in_ranks::all_devices(context), bytes, places);
  context.observe("ranks", places.size);
  context.observe("library", ranks.library());
  const Samples large = ranks.measure(ranks.largest(kind, ElementType::fp32, bytes));
  context.observe("large_bus_gbps", large.gbps());
  context.observe("large_spread_percent", large.spread_percent());
  const Samples small = ranks.measure(ranks.largest(kind, ElementType::fp32, small_bytes));
  context.observe("small_us", small.median_ms() * 1e3);
  ranks.check_types(kind);
  context.observe("samples", ranks.summary().samples);
  context.observe("percent_verified", ranks.summary().percent_verified);
  context.observe("mismatches", ranks.summary().mismatches);
  context.observe("first_mismatch", ranks.first_mismatch());
}

}  // namespace

Assembly::Assembly(harness::Context& context, std::uint64_t bytes)
    : context_(context),
      patience_(std::chrono::seconds(context.parameter<std::int64_t>(patience_name))),
      rendezvous_(harness::make_rendezvous(context.world())) {
  come(bytes);
  gather();
}

/// Each run of the case, on each process, has the number of those before it.
void Assembly::come(std::uint64_t bytes) {
  const harness::World& world = context_.world();
  const Member own{.process = world.rank,
                   .name = world.member,
                   .leaf_switch = leaf_switch_of_this_node(),
                   .devices = static_cast<int>(context_.device_count()),
                   .agreed = fmt::format("seed {}, {} bytes", context_.seed(), bytes)};
  for (int run = 0;; ++run) {
    prefix_ = fmt::format("{}/{}/", context_.test_case().name, run);
    if (rendezvous_->put(fmt::format("{}here.{}", prefix_, world.rank), to_json(own).dump())) return;
  }
}

/// The first process asks for all, and says to all the others who came, so that n processes ask 2 n times.
void Assembly::gather() {
  const harness::World& world = context_.world();
  const Rendezvous::Clock::time_point deadline = Rendezvous::Clock::now() + patience_;
  if (world.rank == 0) {
    json all = json::array();
    for (int process = 0; process < world.size; ++process) {
      if (const auto text = get(fmt::format("here.{}", process), deadline)) all.push_back(json::parse(*text));
    }
    put("all", all.dump());
  }
  // The first waits for the others before it says anything.
  const auto all = get("all", deadline + patience_);
  if (!all) throw Error(fmt::format("rank 0 of the job did not come within {} s", 2 * patience_.count() / 1000));
  for (const json& said : json::parse(*all)) take(member_from(said));
  for (int process = 0; process < world.size; ++process) {
    if (std::ranges::find(members_, process, &Member::process) != members_.end()) continue;
    absent_.push_back(fmt::format("rank {}", process));
    if (process == world.rank) {
      throw Error(fmt::format("this process came {} s or more after rank 0: the others went on without it",
                              patience_.count() / 1000));
    }
  }
}

void Assembly::take(const Member& member) {
  if (member.process == context_.world().rank) own_ = members_.size();
  members_.push_back(member);
  if (member.agreed == members_.front().agreed) return;
  throw Error(fmt::format("{} has {}, {} has {}: start all processes with the same options", members_.front().name,
                          members_.front().agreed, member.name, member.agreed));
}

void Assembly::put(const std::string& name, const std::string& text) { rendezvous_->put(prefix_ + name, text); }

std::optional<std::string> Assembly::get(const std::string& name, Rendezvous::Clock::time_point deadline) {
  // Those who are asked after somebody who never came have a chance to be heard.
  constexpr std::chrono::milliseconds least(200);
  return rendezvous_->get(prefix_ + name, std::max(deadline, Rendezvous::Clock::now() + least));
}

Places Assembly::places_in(const std::vector<std::size_t>& group, const std::string& name) {
  Places places{.patience = patience_};
  for (const std::size_t place : group) {
    if (place < own_) places.first_rank += members_[place].devices;
    places.size += members_[place].devices;
  }
  if (group.front() == own_) {
    const device::Result<std::string> opened = context_.device().open_meeting();
    put(name, opened ? *opened : "");
    if (!opened) {
      throw Error(fmt::format("no communicator can be begun: {}", device::status_name(opened.error())));
    }
    places.meeting = *opened;
    return places;
  }
  const auto meeting = get(name, Rendezvous::Clock::now() + patience_);
  if (!meeting || meeting->empty()) {
    throw RankLost(fmt::format("{} began no communicator", members_[group.front()].name));
  }
  places.meeting = *meeting;
  return places;
}

harness::Parameter patience_parameter() {
  return {.name = std::string(patience_name),
          .summary = "how long other processes are waited for",
          .default_value = std::int64_t{30},
          .unit = "s",
          .minimum = 1,
          .maximum = 3600};
}

void run_collective(harness::Context& context, CollectiveKind kind) {
  const std::uint64_t bytes = in_bandwidth::buffer_bytes(context, on_gpu);
  Assembly assembly(context, bytes);
  context.observe("processes", assembly.members().size());
  context.observe("absent", assembly.absent());
  if (assembly.members().size() < 2) {
    context.observe("problem", "no other process came: there is nobody to communicate with");
    return;
  }
  try {
    communicate(context, assembly, kind, bytes);
    context.observe("problem", "");
  } catch (const RankLost& lost) {
    context.observe("problem", lost.what());
  }
}

std::vector<harness::Fault> fabric_faults() {
  using fault::Effect;
  using fault::Operation;
  return {
      {"collectives_flip_bit", "one bit of what this process's first device receives flips",
       fault::broken(Operation::communicate, Effect::flip_bit, fault::every_call)},
      {"collectives_are_slow", "each collective takes 300 ms longer on this process",
       in_bandwidth::delayed(Operation::communicate, fault::every_call, std::chrono::milliseconds(300))},
      {"the_communicator_fails", "the communicator reports a failure",
       fault::failing(Operation::communicator_status, device::Status::unknown, fault::every_call)},
      {"nobody_can_be_joined", "this process joins no communicator",
       fault::failing(Operation::join_communicator, device::Status::unknown, fault::every_call)},
      {"no_meeting", "the first process opens no meeting",
       fault::failing(Operation::open_meeting, device::Status::unknown, fault::every_call)},
      {"a_communicator_is_kept", "a communicator that is destroyed stays on the devices",
       fault::broken(Operation::destroy_communicator, Effect::drop, fault::nth_call(1))},
      in_bandwidth::no_time(),
      in_bandwidth::nothing_runs(),
  };
}

harness::Case collective_case(std::string name, std::string summary, void (*run)(harness::Context&)) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .source = "nccl-tests, between nodes",
      .needs = {.every_device = true, .exclusive = true, .several_processes = true},
      .parameters = {in_bandwidth::bytes_parameter(on_gpu), patience_parameter()},
      .faults = fabric_faults(),
      .deadline = std::chrono::seconds(180),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_fabric
