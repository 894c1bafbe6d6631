#pragma once

#include <string>
#include <utility>

#include "base/files/output_file.hpp"
#include "report/run_set.hpp"

namespace gpucheck::report {

/// Keeps a run's events and writes the document of all of them at its end.
class DocumentSink final : public harness::EventSink {
 public:
  using Write = std::string (*)(RunSet);

  /// An old document is gone from here on. @throws EnvironmentError for a path that cannot
  /// be written; InUseError for one that another run is writing.
  DocumentSink(const std::string& path, Write write) : file_(path, "report", Writers::one), write_(write) {
    file_.discard_old();
  }

  void on(const harness::RunStarted& event) override { run_.start = event; }
  void on(const harness::CaseStarted& /*event*/) override {}
  void on(const harness::CaseFinished& event) override { run_.results.push_back(event.result); }
  void on(const harness::RunFinished& event) override {
    run_.end = event;
    file_.commit(write_(only(std::move(run_))));
  }

 private:
  OutputFile file_;
  Write write_;
  fleet::RunRecord run_;
};

}  // namespace gpucheck::report
