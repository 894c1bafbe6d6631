#include <fmt/format.h>
#include <span>
#include <string>

#include "base/error.hpp"
#include "commands.hpp"
#include "documents.hpp"
#include "harness/failure_kinds.hpp"
#include "text_table.hpp"

namespace gpucheck::application {
namespace {

using harness::FailureKind;

const FailureKind& require_kind(const std::string& word) {
  if (const FailureKind* kind = harness::find_failure_kind(word)) return *kind;
  throw UsageError(
      fmt::format("there is no kind of failure \"{}\": gpucheck explain lists all, by code and by name", word));
}

std::string list_text(std::span<const FailureKind> kinds) {
  std::vector<TextRow> rows{{"code", "name", "severity", "next step", "meaning"}};
  for (const FailureKind& kind : kinds) {
    rows.push_back({std::string(kind.code), std::string(kind.name), std::string(harness::to_text(kind.severity)),
                    std::string(harness::to_text(kind.action)), std::string(kind.meaning)});
  }
  return text_table(rows, rows.front().size());
}

std::string kind_text(const FailureKind& kind) {
  return fmt::format(
      "{}  {}\n  {}\n{}\nseverity   {}\ncategory   {}\nnext step  {}\n  {}\n", kind.code, kind.name, kind.meaning,
      kind.of_speed ? "  A case that fails by this alone is measured again before it counts as failed.\n" : "",
      harness::to_text(kind.severity), harness::to_text(kind.category), harness::to_text(kind.action), kind.advice);
}

}  // namespace

int explain(const Environment& /*environment*/, const ExplainOptions& options) {
  const bool all = options.code.empty();
  const std::span<const FailureKind> kinds = all ? harness::failure_kinds() : std::span(&require_kind(options.code), 1);
  if (options.json) {
    print_document(failure_kinds_document(kinds));
  } else {
    print(all ? list_text(kinds) : kind_text(kinds.front()));
  }
  return 0;
}

}  // namespace gpucheck::application
