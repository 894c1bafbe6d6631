#pragma once

#include <string>
#include <vector>

#include "device/libraries/collective.hpp"
#include "device/libraries/vendor_library.hpp"
#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

/// What several devices do together, by the vendor's library (NCCL), which is loaded when first asked for; on
/// simulated devices by a plain reference. One call speaks for all ranks of a process. Those of other processes are
/// waited for as long as the communicator's `Seats` say; simulated devices meet on one machine alone.
class Collectives {
 public:
  /// Which library communicates, or why none can. Loads it, without NVLink multicast (`NCCL_NVLS_ENABLE=0`) unless the
  /// environment says otherwise.
  [[nodiscard]] virtual Result<VendorLibrary> collective_library() = 0;
  /// `ncclCommInitAll`: rank i is the device `ordinals[i]`, each of them another one; this device is one of them.
  /// invalid_value where it is not so, invalid_device for an ordinal that no device has, shared_object_init_failed
  /// where there is no library.
  [[nodiscard]] virtual Result<Communicator> create_communicator(const std::vector<int>& ordinals) = 0;
  /// `ncclGetUniqueId`: where the processes of one communicator meet, as printable text. This process must live until
  /// all have joined.
  [[nodiscard]] virtual Result<std::string> open_meeting() = 0;
  /// `ncclCommInitRankConfig` of each of this process's ranks. not_ready where another process did not come in time;
  /// what `check_seats` says; invalid_value for a meeting that was not opened; else as `create_communicator`.
  [[nodiscard]] virtual Result<Communicator> join_communicator(const Seats& seats) = 0;
  /// `ncclCommAbort` of every part of this process: what it still does ends, and its streams go on. The communicator is
  /// still to be destroyed, and refuses everything else with illegal_state.
  virtual Status abort_communicator(Communicator communicator) = 0;
  /// `ncclCommDestroy` of every rank's part. What was given to the streams must be done.
  virtual Status destroy_communicator(Communicator communicator) = 0;
  /// The calls of all of this process's ranks as one group, operands in the order of the ranks: each rank's part is
  /// done in the order of its stream, and begins when all have come so far. One thread at a time for a communicator.
  /// What `check_collective` says, and stream_capture_unsupported on a stream that is being captured, before anything
  /// is begun.
  virtual Status communicate(Communicator communicator, const Collective& collective,
                             const std::vector<RankOperands>& operands) = 0;
  /// `ncclCommGetAsyncError` of every rank: what has gone wrong since, without anybody's asking.
  virtual Status communicator_status(Communicator communicator) = 0;
  /// `ncclGetLastError`: the library's own words for what it last refused; empty where it has none.
  [[nodiscard]] virtual Result<std::string> collective_problem() = 0;

 protected:
  ~Collectives() = default;
};

}  // namespace gpucheck::device

/// The operations of `Collectives`: see `operations.hpp`.
#define GPUCHECK_COLLECTIVES_OPERATIONS(OPERATION, ALSO)                                                              \
  OPERATION(collective_library, device::Result<device::VendorLibrary>, collective_library, (), ())                    \
  OPERATION(create_communicator, device::Result<device::Communicator>, create_communicator,                           \
            (const std::vector<int>& ordinals), (ordinals))                                                           \
  OPERATION(open_meeting, device::Result<std::string>, open_meeting, (), ())                                          \
  OPERATION(join_communicator, device::Result<device::Communicator>, join_communicator, (const device::Seats& seats), \
            (seats))                                                                                                  \
  OPERATION(abort_communicator, device::Status, abort_communicator, (device::Communicator communicator),              \
            (communicator))                                                                                           \
  OPERATION(destroy_communicator, device::Status, destroy_communicator, (device::Communicator communicator),          \
            (communicator))                                                                                           \
  OPERATION(communicate, device::Status, communicate,                                                                 \
            (device::Communicator communicator, const device::Collective& collective,                                 \
             const std::vector<device::RankOperands>& operands),                                                      \
            (communicator, collective, operands))                                                                     \
  OPERATION(communicator_status, device::Status, communicator_status, (device::Communicator communicator),            \
            (communicator))                                                                                           \
  OPERATION(collective_problem, device::Result<std::string>, collective_problem, (), ())
