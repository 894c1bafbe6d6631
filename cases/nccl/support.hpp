#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases/nccl/kernels/collectives.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "device/libraries/collective.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

/// What the cases of collectives share. What ranks send is random whole numbers, and all that arrives is compared on
/// the device that received it, after the time is taken.
namespace gpucheck::cases::in_nccl {

using in_bandwidth::DeviceBuffer;
using in_bandwidth::Samples;
using in_bandwidth::Summary;

/// Devices of a case that communicate, each on its current stream, with memory to send from and to receive in. Each
/// verb throws DeviceError, or Error with the library's own words.
class Ranks {
 public:
  /// @param devices by their index in the case, the first of which times what they do
  /// @param bytes of each buffer. @throws Skip where there is no library.
  Ranks(harness::Context& context, const std::vector<std::size_t>& devices, std::uint64_t bytes);

  [[nodiscard]] const std::string& library() const noexcept { return library_; }
  /// As large a collective of the type as has place in `bytes`.
  [[nodiscard]] device::Collective largest(device::CollectiveKind kind, device::ElementType type,
                                           std::uint64_t bytes) const;
  /// Times it, counted in bytes on the bus, and compares what arrived.
  Samples measure(const device::Collective& collective);
  /// Does it once, and compares.
  void check(const device::Collective& collective);

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

  [[nodiscard]] device::Device& leader() { return ranks_.front().device; }
  void prepare(const device::Collective& collective);
  void communicate(const device::Collective& collective);
  void wait();
  void compare(const device::Collective& collective);
  void compare_rank(const device::Collective& collective, std::size_t rank);
  void gather(const device::Collective& collective, std::size_t rank);
  [[nodiscard]] device::kernels::Contributions contributions(const device::Collective& collective) const;

  harness::Context& context_;
  std::string library_;
  std::vector<Rank> ranks_;
  device::UniqueCommunicator communicator_;
  std::vector<device::RankOperands> operands_;
  Summary summary_;
  std::string first_mismatch_;
};

/// Every device of the case, by its index.
std::vector<std::size_t> all_devices(harness::Context& context);

/// Runs a collective over all devices: large messages, smaller ones and the smallest, which are timed, then every type
/// and reduction.
void run_collective(harness::Context& context, device::CollectiveKind kind);

/// The parameter for the size of the buffers.
harness::Parameter message_parameter();
/// What goes wrong with collectives.
std::vector<harness::Fault> collective_faults();

/// A case of one collective; `run` calls `run_collective`.
harness::Case collective_case(std::string name, std::string summary, std::string source,
                              void (*run)(harness::Context&));

}  // namespace gpucheck::cases::in_nccl
