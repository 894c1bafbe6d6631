#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fleet/groups/group_tests.hpp"

/// How probable each defect is, given the tests.
namespace gpucheck::fleet {

/// What is expected before any test, and how far outcomes can be trusted.
struct Prior {
  double node = 0;  ///< probability of each node, and so on
  double pair = 0;
  double uplink = 0;
  double switch_pair = 0;
  double log_bad = 0;   ///< logarithm of the factor by which a bad outcome makes a defect in the group likelier
  double log_good = 0;  ///< the same of a good outcome, below 0

  [[nodiscard]] double of(CulpritKind kind) const;
};

/// A bad test that has a defect of its own, unless a link is what makes it bad. That defect is not looked for.
struct Elsewhere {
  std::size_t test = 0;
  double gain = 0;  ///< logarithm of the factor by which a link is likelier that explains it too
};

/// What is to be explained, and by what: a part of all nodes, and a part of all tests.
struct TestScope {
  std::vector<std::size_t> nodes;  ///< ascending
  Bits bad;                        ///< tests
  Bits good;
  std::vector<Elsewhere> elsewhere;
};

/// Weights of all defects among some nodes, each as the only one that the tests of a scope have to be explained by,
/// relative to there being none. A defect that none of the scope's tests contradicts has the weight of its prior.
///
/// Nodes that have been in the same tests are alike, so that there are few classes of them, and weights of pairs are
/// those of pairs of classes. Takes time that grows with the square of the number of classes.
class Beliefs {
 public:
  /// @param known defects with two sides that have been found: nodes that they separate are not a pair.
  Beliefs(const Fabric& fabric, const TestLog& log, const Prior& prior, TestScope scope,
          const std::vector<Defect>& known);

  [[nodiscard]] const TestScope& scope() const { return scope_; }
  [[nodiscard]] double none() const { return none_; }          ///< the weight of there being no defect
  [[nodiscard]] double all() const { return all_; }            ///< the weight of all defects together
  [[nodiscard]] double links() const;                          ///< of those, that of links
  [[nodiscard]] double weight_of(const Defect& defect) const;  ///< 0 outside of the scope
  [[nodiscard]] bool in_scope(std::size_t node) const { return class_of_[node] != outside; }
  [[nodiscard]] bool separated(std::size_t x, std::size_t y) const;
  [[nodiscard]] bool is_elsewhere(std::size_t node) const;  ///< it is in a test of the scope's `elsewhere`

  /// The weight of all defects in a group of the first 1, 2 ... nodes.
  [[nodiscard]] std::vector<double> of_prefixes(std::span<const std::size_t> nodes) const;

  /// The weight of all defects in a group of two nodes of the scope.
  [[nodiscard]] double of_two(std::size_t x, std::size_t y) const;

  /// For each node of the scope, in its order, the weight of the node and of all pairs with it.
  [[nodiscard]] std::vector<double> of_nodes() const;

  /// The likeliest node, pair and links, the likeliest first; at most `count`.
  [[nodiscard]] std::vector<std::pair<double, Defect>> likeliest(std::size_t count) const;

  /// Two nodes that have not been in one good test of the scope though nothing known separates them.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> not_together() const;

 private:
  static constexpr std::size_t outside = static_cast<std::size_t>(-1);

  struct Class {
    Bits tests;
    Bits side_a;  ///< of the known defects
    Bits side_b;
    Bits elsewhere;  ///< which of the scope's it is in
    std::vector<std::size_t> nodes;
    double weight = 0;  ///< of each node
  };
  struct Link {
    Defect defect;
    double weight = 0;
  };

  void sort_into_classes(const TestLog& log, const std::vector<Defect>& known);
  void weigh(const TestLog& log, const Prior& prior, const std::vector<Defect>& known);
  void scale(double greatest);
  [[nodiscard]] std::vector<Defect> possible_links(const std::vector<Defect>& known) const;
  [[nodiscard]] bool separated_classes(const Class& x, const Class& y) const;
  [[nodiscard]] double pair_weight(std::size_t x, std::size_t y) const { return pairs_[x * classes_.size() + y]; }

  const Fabric* fabric_;
  TestScope scope_;
  std::vector<Class> classes_;
  std::vector<std::size_t> class_of_;  ///< of each node of the fabric
  std::vector<double> pairs_;          ///< of one node of each of two classes; 0 where they are separated
  std::vector<Link> links_;
  std::vector<double> uplinks_;       ///< the weight of each switch's, 0 where it is not in the list
  std::vector<double> switch_pairs_;  ///< the same, of each switch with each
  double none_ = 1;
  double all_ = 0;
};

}  // namespace gpucheck::fleet
