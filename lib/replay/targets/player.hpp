#pragma once

#include <utility>
#include <vector>

#include "replay/targets/target.hpp"

namespace gpucheck::replay {

/// Carries out a trace's events one by one on a target and knows what lives. Needs the
/// memory of one pointer for each allocation of the trace. The target must outlive it.
/// What is still allocated at the end stays so until `free_all`.
class Player {
 public:
  Player(const Trace& trace, TraceTarget& target) : target_(target), addresses_(trace.allocation_count, nullptr) {}

  struct Step {
    void* address = nullptr;  ///< of an allocation
    bool out_of_memory = false;
  };
  /// Events of allocations that failed are left out; 0-byte ones have no address.
  Step play(const Event& event) {
    switch (event.action) {
      case Action::allocate:
        return allocate(event);
      case Action::free:
        free(event.id);
        return {};
      case Action::record_stream:
        if (addresses_[event.id] != nullptr) target_.record_stream(addresses_[event.id], event.stream);
        return {};
      case Action::synchronize:
        target_.synchronize();
        return {};
      case Action::empty_cache:
        target_.empty_cache();
        return {};
      case Action::try_allocate: {
        const Step step = allocate(event);
        free(event.id);
        return step;
      }
    }
    return {};
  }

  /// Frees what still lives, in order of id.
  void free_all() {
    for (std::uint32_t id = 0; id < addresses_.size(); ++id) free(id);
  }

 private:
  Step allocate(const Event& event) {
    const TraceTarget::Allocation made = target_.allocate(event.size, event.stream);
    addresses_[event.id] = made.address;
    return {made.address, made.out_of_memory};
  }
  void free(std::uint32_t id) {
    if (void* const address = std::exchange(addresses_[id], nullptr)) target_.free(address);
  }

  TraceTarget& target_;
  std::vector<void*> addresses_;  ///< by id; null when not allocated
};

}  // namespace gpucheck::replay
