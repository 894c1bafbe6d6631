#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Which nodes, pairs of nodes and links of a fabric are bad, from the outcomes of collectives that groups of nodes
/// run. Works on numbers alone; README.md beside it says how, and how many tests it takes.
namespace gpucheck::fleet {

/// The nodes of a fabric, numbered from 0.
struct GroupFleet {
  std::size_t nodes = 0;
  /// The switch that each node is below, under any numbers; empty where nobody says, and then no links are looked for.
  std::vector<std::size_t> switch_of_node;
};

/// What a search expects before it has seen anything, and how sure it has to be. Rates are within (0, 0.4].
struct GroupSearchSettings {
  /// How many are expected in the whole fabric. Only where the search begins depends on them, and with it how many
  /// tests it takes: what it finds corrects them.
  double expected_nodes = 2;
  double expected_pairs = 0.1;
  double expected_uplinks = 0.2;
  double expected_switch_pairs = 0.1;

  double false_bad = 0.01;   ///< share of good groups whose outcome is bad
  double false_good = 0.01;  ///< share of bad groups whose outcome is good

  double confidence = 0.999;   ///< how probable a culprit is before it is named
  double missed = 0.001;       ///< a search may end when something else is bad with at most this probability
  std::size_t most_tests = 0;  ///< ends a search that has not settled; 0: 100 tests, and one more for each node
};

/// Nodes that run one collective.
struct GroupTest {
  std::vector<std::size_t> nodes;  ///< ascending, at least 2
  bool operator==(const GroupTest&) const = default;
};

enum class GroupOutcome : std::uint8_t {
  good,
  bad,
  unknown,  ///< nobody reported: as if it had not been run
};

/// A test that was run.
struct GroupResult {
  GroupTest test;
  GroupOutcome outcome = GroupOutcome::unknown;
  std::size_t round = 0;  ///< from 0
};

enum class CulpritKind : std::uint8_t {
  node,         ///< any group with it is bad
  pair,         ///< any group with both nodes is bad
  uplink,       ///< of a switch: any group with a node below it and one that is not is bad
  switch_pair,  ///< any group with a node below each of two switches is bad
};

struct Culprit {
  CulpritKind kind = CulpritKind::node;
  std::vector<std::size_t> members;  ///< ascending: the node, the two nodes, the switch, the two switches
  bool absent = false;               ///< the node never came: named without a test
  double probability = 0;            ///< given all outcomes, and the settings
  /// Numbers of results that speak for it: bad ones that contain it and no other culprit.
  std::vector<std::size_t> evidence;
};

/// Nodes of which the search cannot say that they are good.
struct Unsettled {
  std::vector<std::size_t> nodes;  ///< ascending
  std::string why;                 ///< a sentence without its full stop
};

/// An adaptive search. Ask for a round, run its tests, at the same time if you like, tell the outcomes, and so on until
/// there are no more. The same outcomes give the same rounds. Not thread-safe.
class GroupSearch {
 public:
  /// @throws UsageError for settings out of range, and where the switches are not as many as the nodes.
  explicit GroupSearch(GroupFleet fleet, const GroupSearchSettings& settings = {});
  GroupSearch(GroupSearch&&) noexcept;
  GroupSearch& operator=(GroupSearch&&) noexcept;
  ~GroupSearch();

  /// The tests to run next: no node is in two of them. Empty when the search has ended. The same until outcomes come.
  const std::vector<GroupTest>& next_round();

  /// @param outcomes one for each test of the round, in its order.
  /// @throws UsageError where they are more or fewer.
  void learn(const std::vector<GroupOutcome>& outcomes);

  /// A node never came: it is a culprit, and in no test any more. Where it belongs to the round that is running, tell
  /// the outcomes of that round first.
  /// @throws UsageError where there is no such node.
  void set_absent(std::size_t node);

  /// Those named so far, in the order of their kinds and members. Final once the search has ended.
  [[nodiscard]] std::vector<Culprit> culprits() const;

  /// Once the search has ended: what it could not settle. Empty: all that is not a culprit is good, and any two nodes
  /// that no culprit keeps apart were in one group that was good. Before: all nodes that are not named.
  [[nodiscard]] std::vector<Unsettled> unsettled() const;

  [[nodiscard]] const std::vector<GroupResult>& results() const;
  [[nodiscard]] std::size_t rounds() const;  ///< those whose outcomes are known

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucheck::fleet
