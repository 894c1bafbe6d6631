#pragma once

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "replay/targets/target.hpp"
#include "replay/targets/waiting_frees.hpp"

namespace gpucheck::replay {

/// Carries out a trace's events on a target and knows what lives. Needs the memory of one
/// pointer for each allocation of the trace. Trace and target must outlive it. What is
/// still allocated at the end stays so until `free_all`.
class Player {
 public:
  Player(const Trace& trace, TraceTarget& target, Pace pace = 0)
      : trace_(trace), target_(target), addresses_(trace.allocation_count, nullptr), waiting_frees_(pace) {}

  struct Step {
    void* address = nullptr;  ///< of an allocation
    bool out_of_memory = false;
  };
  /// Plays every event and calls `visit(std::size_t step, const Step&)` after each.
  /// @throws what the target or `visit` throws, with the step in front of the text, as
  /// EnvironmentError.
  template <typename Visit>
  void play_all(Visit&& visit) {
    play_while([&visit](std::size_t step, const Step& seen) {
      visit(step, seen);
      return true;
    });
  }
  /// The same, up to the first step for which `visit` returns false.
  template <typename Visit>
  void play_while(Visit&& visit) {
    std::size_t step = 0;
    try {
      while (step < trace_.events.size() && visit(step, play(trace_.events[step]))) ++step;
    } catch (const Error& error) {
      throw EnvironmentError(fmt::format("trace {}, step {}: {}", trace_.name, step, error.what()));
    }
  }

  /// Frees what still lives, in order of id.
  void free_all() {
    for (std::uint32_t id = 0; id < addresses_.size(); ++id) free(id);
  }

 private:
  /// Events of allocations that failed are left out; 0-byte ones have no address.
  Step play(const Event& event) {
    switch (event.action) {
      case Action::allocate:
        return allocate(event);
      case Action::free:
        free(event.id);
        return {};
      case Action::free_later:
        if (waiting_frees_.begin(event.stream) == WaitingFrees::End::at_once) {
          free(event.id);
        } else if (addresses_[event.id] != nullptr) {
          target_.free_later(std::exchange(addresses_[event.id], nullptr), event.stream);
        }
        return {};
      case Action::end_of_uses:
        for (const std::uint16_t number : waiting_frees_.end(event.stream)) target_.end_of_uses(number);
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
      default:
        target_.carry_out(trace_, event);
        return {};
    }
  }

  Step allocate(const Event& event) {
    const TraceTarget::Allocation made = target_.allocate(event.size, event.stream);
    addresses_[event.id] = made.address;
    return {made.address, made.out_of_memory};
  }
  void free(std::uint32_t id) {
    if (void* const address = std::exchange(addresses_[id], nullptr)) target_.free(address);
  }

  const Trace& trace_;
  TraceTarget& target_;
  std::vector<void*> addresses_;  ///< by id; null when not allocated
  WaitingFrees waiting_frees_;
};

}  // namespace gpucheck::replay
