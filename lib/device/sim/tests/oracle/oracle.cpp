#include "device/sim/tests/oracle/oracle.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <set>

namespace gpucheck::sim::oracle {
namespace {

using device::AccessMode;
using NodeIndex = std::size_t;
constexpr std::size_t most_nodes = 256;
using Nodes = std::bitset<most_nodes>;

struct Node {
  Conflict::Party party;
  std::vector<Touch> touches;
  Nodes before;  ///< all that happens before it
};

/// One by one.
std::set<std::size_t> bytes_of(const Touch& touch) {
  std::vector<std::size_t> runs{touch.begin};
  for (const auto& [count, stride] : touch.repetitions) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      for (std::size_t times = 1; times < count; ++times) runs.push_back(runs[i] + times * stride);
    }
  }
  std::set<std::size_t> bytes;
  for (const std::size_t run : runs) {
    for (std::size_t at = run; at < run + touch.end - touch.begin; ++at) bytes.insert(at);
  }
  return bytes;
}

/// Makes a node of each operation, in the order of the calls.
class Order {
 public:
  explicit Order(const Trace& trace) : trace_(trace), last_(trace.streams.size(), 0) {
    add({}, {}, {});  // the start, which everything comes after
    for (const Call& call : trace.calls) std::visit([this](const auto& made) { (*this)(made); }, call);
  }

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  NodeIndex add(Conflict::Party party, std::vector<Touch> touches, const std::vector<NodeIndex>& after) {
    Nodes before;
    for (const NodeIndex earlier : after) before |= nodes_[earlier].before | Nodes().set(earlier);
    nodes_.push_back({std::move(party), std::move(touches), before});
    return nodes_.size() - 1;
  }

  /// What the stream's next operation follows although no event says so: CUDA's "Stream
  /// synchronization behavior". A destroyed stream's work is still to be waited for.
  std::vector<NodeIndex> implied(std::size_t stream) const {
    const StreamPlan& plan = trace_.streams[stream].plan;
    std::vector<NodeIndex> found;
    for (std::size_t other = 0; other < trace_.streams.size(); ++other) {
      const StreamPlan& others = trace_.streams[other].plan;
      const bool pair = (plan.kind == StreamPlan::Kind::default_stream && others.kind == StreamPlan::Kind::blocking) ||
                        (plan.kind == StreamPlan::Kind::blocking && others.kind == StreamPlan::Kind::default_stream);
      if (pair && plan.device == others.device) found.push_back(last_[other]);
    }
    return found;
  }

  NodeIndex enqueue(std::size_t stream, const std::string& name, std::vector<Touch> touches,
                    std::vector<NodeIndex> after = {}) {
    for (const NodeIndex earlier : implied(stream)) after.push_back(earlier);
    after.push_back(last_[stream]);
    after.push_back(host_);
    return last_[stream] = add({name, trace_.streams[stream].handle.value}, std::move(touches), after);
  }

  void host_learns(std::vector<NodeIndex> done) {
    done.push_back(host_);
    host_ = add({}, {}, done);
  }

  void operator()(const Work& work) {
    const NodeIndex node = enqueue(work.stream, work.name, work.touches);
    if (work.host_waits) host_learns({node});
  }

  void operator()(const Launch& launch) {
    // Launches of one executable follow each other.
    const auto earlier = ends_.find(launch.graph);
    const NodeIndex begin = enqueue(launch.stream, {}, {},
                                    earlier == ends_.end() ? std::vector<NodeIndex>{} : std::vector{earlier->second});
    std::array<std::vector<NodeIndex>, 2> branches{{{begin}, {begin}}};
    for (const auto& [name, step] : launch.nodes) {
      std::vector<NodeIndex>& branch = branches[step.branch];
      if (step.waits) {
        for (const NodeIndex node : branches[1 - step.branch]) branch.push_back(node);
      } else {
        branch = {add({name, trace_.streams[launch.stream].handle.value}, step.touches, branch)};
      }
    }
    for (const NodeIndex node : branches[1]) branches[0].push_back(node);
    last_[launch.stream] = ends_[launch.graph] = add({}, {}, branches[0]);
  }

  void operator()(const Record& record) { recorded_[record.event] = enqueue(record.stream, {}, {}); }
  void operator()(const Wait& wait) { enqueue(wait.stream, {}, {}, {recorded_.at(wait.event)}); }
  void operator()(const KnowsEvent& known) { host_learns({recorded_.at(known.event)}); }
  void operator()(const KnowsStream& known) {
    const bool is_default = trace_.streams[known.stream].plan.kind == StreamPlan::Kind::default_stream;
    std::vector<NodeIndex> done = is_default ? implied(known.stream) : std::vector<NodeIndex>{};
    done.push_back(last_[known.stream]);
    host_learns(std::move(done));
  }
  void operator()(const KnowsDevice& known) {
    std::vector<NodeIndex> done;
    for (std::size_t stream = 0; stream < trace_.streams.size(); ++stream) {
      if (trace_.streams[stream].plan.device == known.device) done.push_back(last_[stream]);
    }
    host_learns(std::move(done));
  }
  void operator()(const HostAccess& access) { host_ = add({access.name, 0}, access.touches, {host_}); }

  const Trace& trace_;
  std::vector<Node> nodes_;
  std::vector<NodeIndex> last_;  ///< of each stream
  NodeIndex host_ = 0;           ///< what the host did last
  std::map<std::size_t, NodeIndex> recorded_;
  std::map<std::size_t, NodeIndex> ends_;  ///< of the last launch of each graph
};

/// Goes through the accesses in the order of the calls and keeps all of them.
class Accesses {
 public:
  explicit Accesses(const Trace& trace, const std::vector<Node>& nodes) : trace_(trace), nodes_(nodes) {
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      for (const Touch& touch : nodes[node].touches) access(node, touch);
    }
  }

  Judgement judge() {
    std::sort(conflicts_.begin(), conflicts_.end());
    const bool is_incomplete = std::any_of(bytes_.begin(), bytes_.end(), [this](const auto& entry) {
      return entry.second.is_reported != is_disputed(entry.second.accesses);
    });
    Judgement judgement{std::move(conflicts_), is_incomplete, has_patterns_, {}};
    if (!has_patterns_) return judgement;
    for (const auto& [place, byte] : bytes_) {
      const std::uintptr_t address = trace_.memories[place.first] + place.second;
      for_each_dispute(byte.accesses, [&](NodeIndex earlier, NodeIndex later) {
        const Conflict pair = make_conflict(nodes_[earlier].party, nodes_[later].party, 0, 0);
        judgement.disputed[{pair.one, pair.other}].insert(address);
      });
    }
    return judgement;
  }

 private:
  struct Access {
    NodeIndex node = 0;
    bool writes = false;
  };
  struct Byte {
    std::vector<Access> accesses;
    bool is_reported = false;
  };
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] bool ordered(NodeIndex earlier, NodeIndex later) const {
    return earlier == later || nodes_[later].before.test(earlier);
  }

  /// The last writer and, if they count, the last readers after it that are not ordered
  /// before `node`.
  std::set<NodeIndex> opponents(const std::vector<Access>& past, NodeIndex node, bool writes) const {
    std::set<NodeIndex> found;
    std::set<NodeIndex> readers;
    for (auto access = past.rbegin(); access != past.rend(); ++access) {
      if (access->writes) {
        found.insert(access->node);
        break;
      }
      const bool is_last =
          std::none_of(readers.begin(), readers.end(), [&](NodeIndex later) { return ordered(access->node, later); });
      if (is_last) readers.insert(access->node);
    }
    if (writes) found.merge(readers);
    std::erase_if(found, [&](NodeIndex earlier) { return ordered(earlier, node); });
    return found;
  }

  void access(NodeIndex node, const Touch& touch) {
    const bool writes = touch.mode != AccessMode::read;
    has_patterns_ = has_patterns_ || !touch.repetitions.empty();
    std::map<NodeIndex, Stretch> disputes;
    for (const std::size_t at : bytes_of(touch)) {
      Byte& byte = bytes_[{touch.buffer, at}];
      for (const NodeIndex earlier : opponents(byte.accesses, node, writes)) {
        byte.is_reported = true;
        const auto [dispute, is_new] = disputes.try_emplace(earlier, Stretch{at, at + 1});
        if (!is_new && dispute->second.end == at) ++dispute->second.end;
      }
      byte.accesses.push_back({node, writes});
    }
    for (const auto& [earlier, stretch] : disputes) {
      if (!pairs_.emplace(earlier, node).second) continue;
      conflicts_.push_back(make_conflict(nodes_[earlier].party, nodes_[node].party,
                                         trace_.memories[touch.buffer] + stretch.begin, stretch.end - stretch.begin));
    }
  }

  template <typename See>
  void for_each_dispute(const std::vector<Access>& accesses, const See& see) const {
    for (std::size_t later = 0; later < accesses.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const bool writes = accesses[earlier].writes || accesses[later].writes;
        if (writes && !ordered(accesses[earlier].node, accesses[later].node)) {
          see(accesses[earlier].node, accesses[later].node);
        }
      }
    }
  }

  [[nodiscard]] bool is_disputed(const std::vector<Access>& accesses) const {
    bool is = false;
    for_each_dispute(accesses, [&](NodeIndex, NodeIndex) { is = true; });
    return is;
  }

  const Trace& trace_;
  const std::vector<Node>& nodes_;
  std::map<std::pair<std::size_t, std::size_t>, Byte> bytes_;  ///< by memory and place in it
  std::set<std::pair<NodeIndex, NodeIndex>> pairs_;
  std::vector<Conflict> conflicts_;
  bool has_patterns_ = false;
};

}  // namespace

Judgement judge(const Trace& trace) {
  const Order order(trace);
  return Accesses(trace, order.nodes()).judge();
}

}  // namespace gpucheck::sim::oracle
