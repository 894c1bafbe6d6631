#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/run/device_verdicts.hpp"
#include "report/run_set.hpp"

/// What every summary says of a run, in one list: results, comparisons of devices, and what was selected and never ran.
namespace gpucheck::report {

enum class Standing {
  passed,
  warned,    ///< a pass with a mark
  waived,    ///< a failure that is known; not red, not a pass
  skipped,   ///< something needed is absent
  failed,    ///< judged, and wrong: a failure, a crash, a hang, devices that differ
  unjudged,  ///< nobody could say: an error, or a case that the run never finished
};

/// Counts against the run.
constexpr bool is_red(Standing standing) noexcept {
  return standing == Standing::failed || standing == Standing::unjudged;
}

/// All texts are valid UTF-8 without control characters; all but `details` are one line.
struct Entry {
  std::size_t run = 0;     ///< its place in the set
  std::string name = {};   ///< "alloc.fuzz", "alloc.fuzz#2[fault]", "gemm.bf16.digest of NVIDIA H100"
  std::string place = {};  ///< "device 0", "devices 0-1", "machine"; of a comparison across runs empty
  Standing standing = Standing::passed;
  std::string word = {};                        ///< "pass", "fail", "crash", …, "not run", "comparison"
  std::string message = {};                     ///< why it did not simply pass
  std::string details = {};                     ///< lines, as `details_of` has them
  const harness::CaseResult* result = nullptr;  ///< of an entry that is one; as long as the set lives
};

/// In the order of the selection; sorts the results of the set. Entries point into it.
std::vector<Entry> entries_of(RunSet& set);

/// For people, in lines: why, expected and seen, what to do next, the end of stderr, how to run it again.
std::string details_of(const harness::CaseResult& result);

/// A case that the run never finished, and why: an absent one would read as "no such test".
struct NotRun {
  harness::SelectedCase selected;
  std::string reason;
};
/// One for each that is named, and one for all of later repetitions, which are not.
std::vector<NotRun> not_run_of(const harness::RunFinished& end);

/// What an exit code says of a run.
harness::Verdict verdict_of(int exit_code) noexcept;

/// "3 passed, 1 failed; 2 min 05 s on Simulated H100 (sim:0, 80.00 GiB), seed 7, gpucheck 0.1.0".
std::string run_line(const fleet::RunRecord& run);

/// "3 passed, 1 failed": of all runs together.
std::string counts_of_all(const RunSet& set);

}  // namespace gpucheck::report
