#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "cases/shared/kernels/collectives.hpp"
#include "device/libraries/collective.hpp"
#include "harness/case/context.hpp"

/// Devices that communicate, of this process alone or of several. What ranks send is random whole numbers, and all that
/// arrives is compared on the device that received it, after the time is taken.
namespace gpucheck::cases::in_ranks {

using in_bandwidth::DeviceBuffer;
using in_bandwidth::Samples;
using in_bandwidth::Summary;

/// Another process did not come, or did not do its part in time: the communicator was aborted.
class RankLost : public Error {
 public:
  using Error::Error;
};

/// Where a process's ranks are among those of all processes.
struct Places {
  std::string meeting = {};  ///< opened by one process for this communicator alone; empty: there is no other process
  int size = 0;              ///< ranks of all processes
  int first_rank = 0;        ///< of this process
  std::chrono::milliseconds patience{0};  ///< with the other processes
};

/// Devices of a case that communicate, each on its current stream, with memory to send from and to receive in. Each
/// verb throws DeviceError, or Error with the library's own words.
class Ranks {
 public:
  /// @param devices by their index in the case, the first of which times what they do
  /// @param bytes of each buffer. @throws Skip where there is no library; RankLost where another process does not come.
  Ranks(harness::Context& context, const std::vector<std::size_t>& devices, std::uint64_t bytes,
        const Places& places = {});

  [[nodiscard]] const std::string& library() const noexcept { return library_; }
  /// As large a collective of the type as has place in `bytes`.
  [[nodiscard]] device::Collective largest(device::CollectiveKind kind, device::ElementType type,
                                           std::uint64_t bytes) const;
  /// Times it, counted in bytes on the bus, and compares what arrived. With other processes the stream is not held:
  /// how often it would have to be is not the same on all.
  Samples measure(const device::Collective& collective);
  /// Does it once, and compares.
  void check(const device::Collective& collective);
  /// The same with 1 MiB of each other type, and each other reduction where the kind reduces.
  void check_types(device::CollectiveKind kind);

  /// What the comparisons found so far; its samples are those that were `measure`d.
  [[nodiscard]] const Summary& summary() const noexcept { return summary_; }
  /// "rank 1, element 77: 12 instead of 13"; empty as long as all was right.
  [[nodiscard]] const std::string& first_mismatch() const noexcept { return first_mismatch_; }
  /// Nothing went wrong that nobody learned of.
  [[nodiscard]] bool is_healthy();

 private:
  struct Rank {
    harness::Context& context;
    std::size_t index;
    device::Device& device;
    device::Stream stream;
    DeviceBuffer sent;
    DeviceBuffer received;
    device::UniqueDeviceMemory findings;
  };

  [[nodiscard]] bool is_alone() const noexcept { return patience_.count() == 0; }
  [[nodiscard]] device::Device& leader() { return ranks_.front().device; }
  void prepare(const device::Collective& collective);
  void join(const Places& places);
  void communicate(const device::Collective& collective);
  void wait();
  void wait_for_others();
  [[noreturn]] void give_up(const std::string& why);
  void compare(const device::Collective& collective);
  void compare_rank(const device::Collective& collective, std::size_t rank);
  void gather(const device::Collective& collective, std::size_t rank);
  [[nodiscard]] device::kernels::Contributions contributions(const device::Collective& collective) const;

  harness::Context& context_;
  std::string library_;
  std::vector<Rank> ranks_;
  int size_;                            ///< ranks of all processes
  int first_rank_;                      ///< of this process
  std::chrono::milliseconds patience_;  ///< with other processes; 0 where there are none
  device::UniqueCommunicator communicator_;
  std::vector<device::RankOperands> operands_;
  Summary summary_;
  std::string first_mismatch_;
};

/// Every device of the case, by its index.
std::vector<std::size_t> all_devices(harness::Context& context);

}  // namespace gpucheck::cases::in_ranks
