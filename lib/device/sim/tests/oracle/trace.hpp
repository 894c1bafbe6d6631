#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "device/sim/tests/oracle/program.hpp"

/// What a program really did: the calls that succeeded, in their order, and nothing of
/// what came to nothing. Touches name memory by its place in `Trace::memories`; what was
/// freed and allocated again is another one.
namespace gpucheck::sim::oracle {

struct Work {
  std::size_t stream = 0;
  std::string name;
  std::vector<Touch> touches;
  bool host_waits = false;
};
struct Launch {
  struct Node {
    std::string name;  ///< of a kernel; empty where one branch waits for the other
    GraphStep step;
  };
  std::size_t stream = 0;
  std::size_t graph = 0;
  std::vector<Node> nodes;
};
struct Record {
  std::size_t stream = 0;
  std::size_t event = 0;
};
struct Wait {
  std::size_t stream = 0;
  std::size_t event = 0;
};
/// The host knows that all work of a stream is done; likewise for the other two.
struct KnowsStream {
  std::size_t stream = 0;
};
struct KnowsEvent {
  std::size_t event = 0;
};
struct KnowsDevice {
  int device = 0;
};
struct HostAccess {
  std::string name;
  std::vector<Touch> touches;
};
using Call = std::variant<Work, Launch, Record, Wait, KnowsStream, KnowsEvent, KnowsDevice, HostAccess>;

struct StreamUsed {
  StreamPlan plan;
  device::Stream handle;
};

struct Trace {
  std::vector<StreamUsed> streams;  ///< the default stream of each device first
  std::vector<std::uintptr_t> memories;
  std::vector<Call> calls;
};

/// Two operations that nothing orders, and the first bytes that they dispute.
struct Conflict {
  using Party = std::pair<std::string, std::uintptr_t>;  ///< name, stream (0 for the host)
  Party one;                                             ///< the smaller of the two
  Party other;
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  auto operator<=>(const Conflict&) const = default;
};

inline Conflict make_conflict(Conflict::Party one, Conflict::Party other, std::uintptr_t address, std::uint64_t bytes) {
  if (other < one) std::swap(one, other);
  return {std::move(one), std::move(other), address, bytes};
}

}  // namespace gpucheck::sim::oracle
