#include "fleet/across_runs.hpp"

namespace gpucheck::fleet {
namespace {

/// One book for each run: a waiver holds by the day on which the run started.
std::vector<WaiverBook> books_of(const std::vector<RunRecord>& runs, const Waivers& waivers) {
  std::vector<WaiverBook> books;
  for (const RunRecord& run : runs) books.emplace_back(waivers, run.start.start_time);
  return books;
}

void waive(harness::Comparison& comparison, const std::vector<Subject>& subjects, std::vector<WaiverBook>& books) {
  for (harness::ComparedValue& value : comparison.values) {
    const Subject& subject = subjects.at(static_cast<std::size_t>(value.device));
    harness::Comparison own = comparison;
    own.values = {value};
    own.values.front().device = 0;
    books[subject.run].apply(own, {subject.device});
    value.waiver = own.values.front().waiver;
  }
}

}  // namespace

AcrossRuns compare_runs(const std::vector<RunRecord>& runs, const Waivers& waivers) {
  Peers peers;
  for (const RunRecord& run : runs) {
    peers.begin(run.start);
    for (const harness::CaseResult& result : run.results) peers.add(result);
    for (const harness::CaseResult& result : run.end.remeasured) peers.remeasure(result);
  }
  AcrossRuns across{.comparisons = peers.compare_runs(), .subjects = peers.subjects()};
  std::vector<WaiverBook> books = books_of(runs, waivers);
  for (harness::Comparison& comparison : across.comparisons) waive(comparison, across.subjects, books);
  return across;
}

}  // namespace gpucheck::fleet
