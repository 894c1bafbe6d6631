#pragma once

#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

#include "fleet/groups/bits.hpp"
#include "fleet/groups/group_search.hpp"

/// What a search knows: the fabric, and the tests that were run. Nodes and switches are numbered in the order of the
/// switches here, so that the nodes below one switch are neighbours.
namespace gpucheck::fleet {

/// Something that may be bad. Every kind makes exactly those groups bad that have a node on each of its two sides; the
/// two sides of a node are the node itself.
struct Defect {
  CulpritKind kind = CulpritKind::node;
  std::size_t a = 0;
  std::size_t b = 0;  ///< of a pair and a switch pair, above a
  auto operator<=>(const Defect&) const = default;
};

class Fabric {
 public:
  explicit Fabric(const GroupFleet& fleet);

  [[nodiscard]] std::size_t nodes() const { return outer_.size(); }
  [[nodiscard]] std::size_t switches() const { return outer_switch_.size(); }
  [[nodiscard]] std::size_t switch_of(std::size_t node) const { return switch_[node]; }
  /// Links that are not the same as something smaller: a switch with one node has no uplink of its own.
  [[nodiscard]] const std::vector<Defect>& links() const { return links_; }

  /// Which of its two sides a node is on.
  [[nodiscard]] bool on_side_a(const Defect& defect, std::size_t node) const;
  [[nodiscard]] bool on_side_b(const Defect& defect, std::size_t node) const;
  /// Whether a group with these two nodes is bad.
  [[nodiscard]] bool separates(const Defect& defect, std::size_t x, std::size_t y) const {
    return (on_side_a(defect, x) && on_side_b(defect, y)) || (on_side_a(defect, y) && on_side_b(defect, x));
  }

  /// In the numbers of the caller.
  [[nodiscard]] std::size_t outer(std::size_t node) const { return outer_[node]; }
  [[nodiscard]] std::size_t inner(std::size_t outer_node) const { return inner_[outer_node]; }
  [[nodiscard]] std::vector<std::size_t> outer_members(const Defect& defect) const;

 private:
  std::vector<std::size_t> outer_;
  std::vector<std::size_t> inner_;
  std::vector<std::size_t> switch_;  ///< of each node
  std::vector<std::size_t> outer_switch_;
  std::vector<Defect> links_;
};

/// The tests whose outcome is known, and for everything that may be bad those that it would make bad.
class TestLog {
 public:
  explicit TestLog(const Fabric& fabric);

  void add(const std::vector<std::size_t>& nodes, bool is_bad);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::size_t words() const { return bad_.size(); }
  [[nodiscard]] const Bits& bad() const { return bad_; }
  [[nodiscard]] const Bits& good() const { return good_; }
  [[nodiscard]] const Bits& nodes_of(std::size_t test) const { return nodes_[test]; }
  [[nodiscard]] std::size_t size_of(std::size_t test) const { return sizes_[test]; }
  [[nodiscard]] const Bits& tests_of(std::size_t node) const { return tests_[node]; }
  [[nodiscard]] Bits tests_of(const Defect& defect) const;

 private:
  const Fabric* fabric_;
  Bits bad_;
  Bits good_;
  std::vector<Bits> nodes_;  ///< of each test
  std::vector<std::size_t> sizes_;
  std::vector<Bits> tests_;  ///< of each node
  std::vector<Bits> meets_;  ///< of each switch: tests with a node below it
  Bits across_;              ///< tests with nodes of several switches
};

}  // namespace gpucheck::fleet
