#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/libraries/collective.hpp"
#include "device/values/status.hpp"

/// How the simulated devices of several processes of one machine communicate: by files in a folder of that machine.
namespace gpucheck::sim {

/// This process's part in a communicator of several processes. For one thread at a time.
class Meeting {
 public:
  /// Makes the folder, and names it. illegal_state where the system makes none.
  static device::Result<std::string> open();
  /// Waits for the others. invalid_value for a folder that is not one of `open`'s or whose seats overlap, not_ready
  /// where somebody did not come in time.
  static device::Result<std::shared_ptr<Meeting>> join(const device::Seats& seats);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  /// The last process to leave removes the folder.
  ~Meeting();

  /// Exchanges what all ranks send, and writes what this process's ranks receive. Nothing is written once somebody did
  /// not come in time, did something else, or left.
  void communicate(const device::Collective& collective, const std::vector<device::RankOperands>& operands);
  /// Removes the folder: the others learn of it when they next communicate.
  void abort();

  [[nodiscard]] bool has_failed() const noexcept { return !problem_.empty(); }
  /// Why nothing is exchanged any more; empty as long as it is.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  /// The ranks of one process.
  struct Party {
    int first_rank = 0;
    int ranks = 0;
  };

  explicit Meeting(const device::Seats& seats);
  [[nodiscard]] device::Status gather();
  [[nodiscard]] std::filesystem::path file(const std::string& step, int first_rank) const;
  /// Written whole, or not at all.
  [[nodiscard]] bool write(const std::string& step, const std::string& content) const;
  /// What another process writes at that step. Fails where it does not in time.
  [[nodiscard]] bool read(const std::string& step, int first_rank, std::string& content) const;
  void exchange(const device::Collective& collective, const std::vector<device::RankOperands>& operands);

  std::filesystem::path folder_;
  Party own_;
  int size_;
  std::chrono::milliseconds patience_;
  std::vector<Party> parties_;  ///< all processes, in the order of their ranks
  std::uint64_t steps_ = 0;     ///< collectives so far
  std::string problem_;
};

}  // namespace gpucheck::sim
