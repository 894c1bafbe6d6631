#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acceptance/bundle/archive.hpp"
#include "acceptance/contract/verdict.hpp"

namespace gpucheck::acceptance {

/// Journals that were read and judged, to be packed or only to be shown.
class Dossier {
 public:
  /// @param terms must outlive it
  /// @param runs paths of journals @param again of those of a second measurement
  /// @throws EnvironmentError for a journal that cannot be read, is still being written or was given twice.
  Dossier(const Terms& terms, const std::vector<std::string>& runs, const std::vector<std::string>& again);

  [[nodiscard]] const JudgedRuns& judged() const noexcept { return judged_; }
  /// Results that say something else than follows from what was observed and these golden files; each in one line.
  [[nodiscard]] const std::vector<std::string>& contradictions() const noexcept { return contradictions_; }

  /// Writes the bundle. The same journals, in whatever order and under whatever names they were given, give the same
  /// bytes. Reads each journal once more.
  /// @param site_limits the text of the limits that go before those of the golden files; empty for none
  /// @param version of this gpucheck
  /// @throws EnvironmentError for a journal that has changed meanwhile, and for a file that is too long for a bundle.
  void write(const std::string& version, std::string_view site_limits, const WriteBytes& write) const;

 private:
  /// A journal of the bundle.
  struct Source {
    std::string path;
    std::string name;  ///< in the bundle
    std::string digest;
  };
  std::vector<RunEvidence> read(const std::vector<std::string>& paths, std::string_view folder,
                                fleet::SharedTexts& texts);

  Terms terms_;
  std::vector<Source> sources_;  ///< in the order of the bundle
  std::vector<std::string> contradictions_;
  std::vector<std::string> case_names_;  ///< of all results, each once, sorted
  JudgedRuns judged_;
};

}  // namespace gpucheck::acceptance
