#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runner/plan/options.hpp"
#include "runner/plan/resumed_run.hpp"

/// A run that was cut off, by the end of its job for example, goes on where its journal ends. While it does, the old
/// journal lies beside the new one: whenever that is cut off, nothing that was known is lost.
namespace gpucheck::application {

/// What decides, besides its options, which run it is.
struct RunIdentity {
  std::set<std::string> cases;                ///< that it selects
  std::vector<harness::SiteCase> site_cases;  ///< of those, the site's own
};

/// The journal of a run that is resumed.
class ResumedJournal {
 public:
  /// Reads what there is at `path`, and what an earlier attempt to resume has left beside it. None is a run that
  /// begins.
  /// @param options of this run
  /// @throws UsageError where the journal is of a run with another version, other golden files, other settings or other
  /// cases; EnvironmentError where it cannot be read.
  ResumedJournal(std::string path, const runner::Options& options, const RunIdentity& identity);

  [[nodiscard]] const runner::ResumedRun& run() const noexcept { return run_; }
  /// Puts the old journal aside, for the new one to be written. @throws EnvironmentError.
  void put_aside() const;
  /// Removes the old journal where `results` hold all that it had.
  void finish(const std::vector<harness::CaseResult>& results) const;

 private:
  void take(const std::string& path, const runner::Options& options, const RunIdentity& identity);

  std::string path_;
  std::string aside_;
  std::size_t results_ = 0;        ///< in the journal
  std::size_t results_aside_ = 0;  ///< in the one beside it
  runner::ResumedRun run_;
};

}  // namespace gpucheck::application
