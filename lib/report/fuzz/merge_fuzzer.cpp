#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/text/utf8.hpp"
#include "fleet/changes/changes.hpp"
#include "fleet/nodes/fleet_history.hpp"
#include "report/journal/journal.hpp"
#include "report/merged/changes_report.hpp"
#include "report/merged/merged_formats.hpp"

namespace {

using namespace gpucheck;

fleet::KeptRun run_in(std::string_view text, const std::string& path, fleet::SharedTexts& texts) {
  report::Journal journal = report::parse_journal(text, path);
  const fleet::Waivers none;
  fleet::RunKeeper keeper(path, none, texts);
  const auto keep = [&keeper]<typename Kind>(Kind& event) {
    if constexpr (!std::same_as<Kind, harness::CaseStarted>) keeper.on(std::move(event));
  };
  for (report::Event& event : journal.events) std::visit(keep, event);
  return keeper.take(journal.torn);
}

void require_text(const std::string& document) {
  if (document.empty() || to_valid_utf8(document) != document) std::abort();
  for (const char c : document) {
    if (c >= 0 && c < ' ' && c != '\n' && c != '\t') std::abort();
  }
}

}  // namespace

// Whatever two nodes leave, one behind a line of dashes: each is rejected in words, or judged; a fleet with a file that
// is rejected or not whole does not pass; and there is a sound report of it in every format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t border = text.find("\n---\n");
  const auto texts = std::make_shared<fleet::SharedTexts>();
  fleet::FleetJudge judge(texts);
  bool is_whole = true;
  const auto add = [&](std::string_view journal, const std::string& path) {
    try {
      fleet::KeptRun run = run_in(journal, path, *texts);
      is_whole = is_whole && run.end.incomplete.empty();
      judge.add(std::move(run));
    } catch (const Error& problem) {
      is_whole = false;
      judge.add(fleet::FileProblem{path, problem.what()});
    }
  };
  add(border == text.npos ? text : text.substr(0, border + 1), "one.journal");
  if (border != text.npos) add(text.substr(border + 5), "other.journal");
  const fleet::Fleet judged = judge.judge({.expected = fleet::parse_expected_nodes("any")});
  if (!is_whole && judged.verdict == harness::Verdict::passed) std::abort();
  for (const report::MergedFormat& format : report::merged_formats()) require_text(format.write(judged));
  require_text(report::merged_text(judged, true, {}));
  const fleet::HistoryRecord record = fleet::record_of(judged);
  const fleet::HistoryRecord read = fleet::parse_history_record(fleet::to_text(record), "made.history");
  if (fleet::parse_history_record(fleet::to_text(read), "read.history") != read) std::abort();
  const fleet::Changes changes = fleet::find_changes(judged, judged);
  if (!changes.conditions.empty() || !changes.values.empty()) std::abort();
  require_text(report::changes_text(changes, judged, judged, {}));
  require_text(report::changes_json(changes, judged, judged));
  return 0;
}
