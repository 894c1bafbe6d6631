#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/cuda/math/nccl.hpp"
#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::cuda {

/// A communicator's part on each device of this process.
struct Ranks {
  std::vector<ncclComm_t> parts;
  int first = 0;                          ///< rank of the first part
  int size = 0;                           ///< ranks of all processes
  std::chrono::milliseconds patience{0};  ///< with other processes; 0 where there are none, and calls are done at once
  mutable std::atomic<bool> aborted = false;
};

/// The communicators there are. A number that was never one, or is one no more, is noticed.
class Communicators {
 public:
  device::Communicator add(std::shared_ptr<const Ranks> ranks) {
    const std::scoped_lock lock(mutex_);
    communicators_.emplace(++last_, std::move(ranks));
    return {last_};
  }
  std::shared_ptr<const Ranks> find(device::Communicator communicator) {
    const std::scoped_lock lock(mutex_);
    const auto found = communicators_.find(communicator.value);
    return found == communicators_.end() ? nullptr : found->second;
  }
  std::shared_ptr<const Ranks> take(device::Communicator communicator) {
    const std::scoped_lock lock(mutex_);
    const auto node = communicators_.extract(communicator.value);
    return node.empty() ? nullptr : node.mapped();
  }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::shared_ptr<const Ranks>> communicators_;
  std::uintptr_t last_ = 0;
};

/// Those of this process.
Communicators& communicators();

/// The first failure of several calls; those after it are not made.
class Calls {
 public:
  template <typename Call>
  void make(Call call) {
    if (result_ == ncclSuccess) result_ = call();
  }
  [[nodiscard]] ncclResult_t result() const { return result_; }

 private:
  ncclResult_t result_ = ncclSuccess;
};

/// The library has codes of its own. What the runtime has to say about a failure says more.
device::Status status_from(ncclResult_t result);

/// The state of a part's last call, which goes on while others are waited for.
ncclResult_t state_of(const Nccl& library, ncclComm_t part);

/// Waits until no part's last call goes on. ncclInProgress where one does when the patience is over.
ncclResult_t settle(const Nccl& library, const Ranks& ranks);

}  // namespace gpucheck::cuda
