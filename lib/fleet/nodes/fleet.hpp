#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fleet/across_runs.hpp"
#include "fleet/history/history_record.hpp"
#include "fleet/nodes/expected_nodes.hpp"
#include "fleet/nodes/fleet_suspects.hpp"
#include "fleet/nodes/kept_run.hpp"
#include "fleet/peers.hpp"

/// Runs of many nodes, judged together: a fleet passes when every node that was expected has passed, and nothing that
/// was found between the files says otherwise.
namespace gpucheck::fleet {

/// A node, by what its runs say: one run, or one for each of its GPUs or parts of the cases.
struct FleetNode {
  std::string name;
  std::vector<std::size_t> runs;  ///< their places among the fleet's
  harness::Verdict verdict = harness::Verdict::not_judged;
  /// Why it did not pass besides what its cases say, each in one line.
  std::vector<std::string> reasons = {};
  bool is_expected = true;
};

struct FleetGpu {
  std::size_t node = 0;  ///< its place among the fleet's
  std::string uuid;      ///< empty where the driver gives none
};

/// A file that is not the journal of a run, or a folder that cannot be read.
struct FileProblem {
  std::string path;
  std::string reason;
};

/// What nodes that are accepted together have in common, and these have not.
struct Difference {
  struct Share {
    std::string value;               ///< in words
    std::vector<std::size_t> nodes;  ///< that have it: their places among the fleet's
  };
  std::string what;  ///< "gpucheck", "golden files", "driver", "GPUs", "settings", "cases", "files of site.example"
  std::vector<Share> shares;  ///< two or more; that of most nodes first
};

struct Fleet {
  std::shared_ptr<const SharedTexts> texts;  ///< that the runs point into
  ExpectedNodes expected;
  std::vector<KeptRun> runs;     ///< in the order of their files
  std::vector<FleetNode> nodes;  ///< by name
  /// Nodes that were expected and did not report: by name where names were given, else only how many.
  std::vector<std::string> missing = {};
  std::size_t missing_count = 0;
  std::vector<FileProblem> problems;
  std::vector<Difference> differences = {};
  AcrossRuns across = {};
  std::vector<FleetSuspect> suspects = {};  ///< the worst evidence first
  std::vector<Metric> metrics = {};         ///< all that was measured
  std::vector<FleetGpu> gpus = {};          ///< the sites of readings and suspects
  harness::Verdict verdict = harness::Verdict::not_judged;
};

/// How to judge.
struct FleetRules {
  ExpectedNodes expected;
  Waivers waivers = {};  ///< in place of those that the runs had
  Racks racks = {};
  std::vector<HistoryRecord> history = {};  ///< what earlier merges left, in any order
  std::vector<FileProblem> problems = {};   ///< of files besides the runs'
};

/// Collects runs, then judges. The same runs in the same order give the same fleet. Used by one thread.
class FleetJudge {
 public:
  /// @param texts that the runs point into.
  explicit FleetJudge(std::shared_ptr<const SharedTexts> texts);
  void add(KeptRun run);
  /// A run of a second measurement: it confirms or refutes suspicions, and fails its node where it failed.
  /// That it passed does not count besides.
  void add_again(KeptRun run);
  void add(FileProblem problem);

  /// Judges what was added; the end of the judge. A failure that a waiver covers is waived, by the day on which its run
  /// started.
  [[nodiscard]] Fleet judge(const FleetRules& rules);

 private:
  Fleet fleet_;
  std::vector<KeptRun> again_;
  Peers peers_;
};

/// Takes another verdict into one: a failure outweighs what was not judged, and that a pass.
void lower(harness::Verdict& verdict, harness::Verdict other);

void add(harness::Counts& sum, const harness::Counts& counts);

/// Counts the results of all nodes.
harness::Counts counts_of(const Fleet& fleet);

}  // namespace gpucheck::fleet
