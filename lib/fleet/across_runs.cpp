#include "fleet/across_runs.hpp"

namespace gpucheck::fleet {
namespace {

void waive(harness::Comparison& comparison, const std::vector<Subject>& subjects, std::vector<WaiverBook>& books) {
  harness::Comparison own = comparison;
  for (harness::ComparedValue& value : comparison.values) {
    const Subject& subject = subjects.at(static_cast<std::size_t>(value.device));
    own.values = {value};
    own.values.front().device = 0;
    books[subject.run].apply(own, {subject.device});
    value.waiver = own.values.front().waiver;
  }
}

}  // namespace

AcrossRuns waived_across(const Peers& peers, const std::vector<std::chrono::system_clock::time_point>& dates,
                         const Waivers& waivers) {
  AcrossRuns across{.comparisons = peers.compare_runs(), .subjects = peers.subjects()};
  // One book for each run: a waiver holds by the day on which the run started.
  std::vector<WaiverBook> books;
  for (const auto date : dates) books.emplace_back(waivers, date);
  for (harness::Comparison& comparison : across.comparisons) waive(comparison, across.subjects, books);
  return across;
}

AcrossRuns compare_runs(const std::vector<RunRecord>& runs, const Waivers& waivers) {
  Peers peers;
  std::vector<std::chrono::system_clock::time_point> dates;
  for (const RunRecord& run : runs) {
    dates.push_back(run.start.start_time);
    peers.begin(run.start);
    for (const harness::CaseResult& result : run.results) peers.add(result);
    for (const harness::CaseResult& result : run.end.remeasured) peers.remeasure(result);
  }
  return waived_across(peers, dates, waivers);
}

}  // namespace gpucheck::fleet
