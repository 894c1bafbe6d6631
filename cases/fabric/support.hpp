#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cases/shared/ranks_support.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"
#include "harness/rendezvous/rendezvous.hpp"

/// What the cases between processes share: who has come, and collectives over all of their devices. Each process runs
/// the same cases in the same order; the first of those that have come speaks for all.
namespace gpucheck::cases::in_fabric {

using harness::Rendezvous;
using in_ranks::Places;
using in_ranks::Ranks;

/// A process that has come.
struct Member {
  int process = 0;          ///< its rank in the job
  std::string name;         ///< "n07", or "n07:3" where a node has several processes
  std::string leaf_switch;  ///< that its node is below; empty where nobody says
  int devices = 0;
  std::string agreed;  ///< what has to be the same on all: the seed, how much is sent

  bool operator==(const Member&) const = default;
};

/// The processes of one run of a case, as all of them know them.
class Assembly {
 public:
  /// Comes, and waits for the others for as long as the case's parameter says.
  /// @param bytes that each device sends
  /// @throws Error where the first process does not come, which everybody else learns the others from, and where the
  /// processes were started with different settings; EnvironmentError where they cannot meet.
  Assembly(harness::Context& context, std::uint64_t bytes);

  /// Those that came, in the order of their processes; this one is among them.
  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
  /// This process's place among the members.
  [[nodiscard]] std::size_t own() const noexcept { return own_; }
  [[nodiscard]] bool is_first() const noexcept { return own_ == 0; }
  /// "rank 3" for each that did not come.
  [[nodiscard]] const std::vector<std::string>& absent() const noexcept { return absent_; }
  [[nodiscard]] std::chrono::milliseconds patience() const noexcept { return patience_; }

  /// Leaves the others a text under a name that is used once.
  void put(const std::string& name, const std::string& text);
  /// Nothing where nobody leaves it in time.
  [[nodiscard]] std::optional<std::string> get(const std::string& name, Rendezvous::Clock::time_point deadline);

  /// The places of this process's devices among those of some members, who all ask with the same name.
  /// @param group places among the members, ascending; this process is one of them
  /// @throws RankLost where the group's first opens no meeting in time.
  [[nodiscard]] Places places_in(const std::vector<std::size_t>& group, const std::string& name);

 private:
  void come(std::uint64_t bytes);
  void gather();
  void take(const Member& member);

  harness::Context& context_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::string prefix_;  ///< of this run of the case
  std::vector<Member> members_;
  std::vector<std::string> absent_;
  std::size_t own_ = 0;
};

/// "patience": how long other processes are waited for, in seconds.
harness::Parameter patience_parameter();

/// Runs a collective over all devices of all processes: large messages and the smallest, which are timed, then every
/// type and reduction.
void run_collective(harness::Context& context, device::CollectiveKind kind);

/// A case of one collective; `run` calls `run_collective`.
harness::Case collective_case(std::string name, std::string summary, void (*run)(harness::Context&));

/// What goes wrong with one process's part of collectives.
std::vector<harness::Fault> fabric_faults();

}  // namespace gpucheck::cases::in_fabric
