#include "fleet/groups/group_tests.hpp"

#include <algorithm>
#include <numeric>

namespace gpucheck::fleet {
namespace {

/// Makes room for one more number.
void make_room(Bits& set, std::size_t count) { set.resize(words_for(count)); }

}  // namespace

Fabric::Fabric(const GroupFleet& fleet) : outer_(fleet.nodes), inner_(fleet.nodes), switch_(fleet.nodes) {
  std::iota(outer_.begin(), outer_.end(), std::size_t{0});
  if (fleet.switch_of_node.empty()) {
    outer_switch_.assign(fleet.nodes == 0 ? 0 : 1, 0);
  } else {
    outer_switch_ = fleet.switch_of_node;
    std::ranges::sort(outer_switch_);
    outer_switch_.erase(std::unique(outer_switch_.begin(), outer_switch_.end()), outer_switch_.end());
    std::ranges::stable_sort(outer_, {}, [&](std::size_t node) { return fleet.switch_of_node[node]; });
  }
  std::vector<std::size_t> below(outer_switch_.size());
  for (std::size_t i = 0; i < outer_.size(); ++i) {
    inner_[outer_[i]] = i;
    if (!fleet.switch_of_node.empty()) {
      const auto found = std::ranges::lower_bound(outer_switch_, fleet.switch_of_node[outer_[i]]);
      switch_[i] = static_cast<std::size_t>(found - outer_switch_.begin());
    }
    ++below[switch_[i]];
  }
  // With two switches, either's uplink and their pair are one thing, which is called the pair. Where all others are
  // below one node, or a switch has one, a link is the same as a node or a pair.
  for (std::size_t a = 0; a < below.size(); ++a) {
    if (below.size() > 2 && below[a] > 1) links_.push_back({CulpritKind::uplink, a, a});
  }
  for (std::size_t a = 0; a < below.size(); ++a) {
    for (std::size_t b = a + 1; b < below.size(); ++b) {
      const std::size_t less = std::min(below[a], below[b]);
      const std::size_t more = std::max(below[a], below[b]);
      if (more > 1 && (less > 1 || below.size() > 2)) links_.push_back({CulpritKind::switch_pair, a, b});
    }
  }
}

bool Fabric::on_side_a(const Defect& defect, std::size_t node) const {
  const bool is_node = defect.kind == CulpritKind::node || defect.kind == CulpritKind::pair;
  return (is_node ? node : switch_[node]) == defect.a;
}

bool Fabric::on_side_b(const Defect& defect, std::size_t node) const {
  switch (defect.kind) {
    case CulpritKind::node:
      return node == defect.a;
    case CulpritKind::pair:
      return node == defect.b;
    case CulpritKind::uplink:
      return switch_[node] != defect.a;
    case CulpritKind::switch_pair:
      return switch_[node] == defect.b;
  }
  return false;
}

std::vector<std::size_t> Fabric::outer_members(const Defect& defect) const {
  switch (defect.kind) {
    case CulpritKind::node:
      return {outer_[defect.a]};
    case CulpritKind::pair:
      return {std::min(outer_[defect.a], outer_[defect.b]), std::max(outer_[defect.a], outer_[defect.b])};
    case CulpritKind::uplink:
      return {outer_switch_[defect.a]};
    case CulpritKind::switch_pair:
      return {outer_switch_[defect.a], outer_switch_[defect.b]};
  }
  return {};
}

TestLog::TestLog(const Fabric& fabric) : fabric_(&fabric), tests_(fabric.nodes()), meets_(fabric.switches()) {}

void TestLog::add(const std::vector<std::size_t>& nodes, bool is_bad) {
  const std::size_t test = nodes_.size();
  for (Bits* set : {&bad_, &good_, &across_}) make_room(*set, test + 1);
  for (std::vector<Bits>* sets : {&tests_, &meets_}) {
    for (Bits& set : *sets) make_room(set, test + 1);
  }
  insert(is_bad ? bad_ : good_, test);
  Bits& in_test = nodes_.emplace_back(words_for(fabric_->nodes()));
  sizes_.push_back(nodes.size());
  for (const std::size_t node : nodes) {
    insert(in_test, node);
    insert(tests_[node], test);
    insert(meets_[fabric_->switch_of(node)], test);
    if (fabric_->switch_of(node) != fabric_->switch_of(nodes.front())) insert(across_, test);
  }
}

Bits TestLog::tests_of(const Defect& defect) const {
  switch (defect.kind) {
    case CulpritKind::node:
      return tests_[defect.a];
    case CulpritKind::pair:
      return common(tests_[defect.a], tests_[defect.b]);
    case CulpritKind::uplink:
      return common(meets_[defect.a], across_);
    case CulpritKind::switch_pair:
      return common(meets_[defect.a], meets_[defect.b]);
  }
  return {};
}

}  // namespace gpucheck::fleet
