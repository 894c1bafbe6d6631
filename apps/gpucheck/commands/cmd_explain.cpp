#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/json.hpp"
#include "harness/xid/catalog.hpp"
#include "harness/xid/judge.hpp"
#include "output/document.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {
namespace {

using harness::FailureKind;
using harness::XidInfo;

/// The number of "XID79", "xid 79" or "79"; nothing for a word that is none of them.
std::optional<std::int64_t> xid_number(std::string_view word) {
  constexpr std::string_view mark = "xid";
  const bool is_marked =
      word.size() > mark.size() && std::equal(mark.begin(), mark.end(), word.begin(), [](char a, char b) {
        return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
      });
  if (is_marked) word.remove_prefix(mark.size());
  if (is_marked && (word.front() == ' ' || word.front() == '-' || word.front() == '_')) word.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  return problem == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

const XidInfo& require_xid(std::int64_t number) {
  if (const XidInfo* info = harness::find_xid(number)) return *info;
  throw UsageError(
      fmt::format("NVIDIA documents no XID {}: gpucheck explain xids lists those that it does; one that is "
                  "not among them fails health.xid",
                  number));
}

std::string numbers_text(const XidInfo& info) {
  return info.first == info.last ? std::to_string(info.first) : fmt::format("{}-{}", info.first, info.last);
}

/// What to do, where there is more to say than the kind of failure does.
std::string xid_advice(const XidInfo& info) {
  if (const FailureKind* kind = harness::find_failure_kind(info.failure)) return std::string(kind->advice);
  if (info.cause == harness::XidCause::program) {
    return "Restart the program; run it under compute-sanitizer when it repeats. The GPU can be used as before. The "
           "same place of the GPU (GPC, TPC, SM) again and again with different programs speaks for the hardware.";
  }
  return "Nothing is to be done.";
}

std::string xid_action(const XidInfo& info) {
  const FailureKind* const kind = harness::find_failure_kind(info.failure);
  if (kind != nullptr) return std::string(harness::to_text(kind->action));
  return info.cause == harness::XidCause::program ? "restart the program" : "none";
}

std::string xid_severity(const XidInfo& info) {
  const FailureKind* const kind = harness::find_failure_kind(info.failure);
  return kind == nullptr ? "no alarm" : std::string(harness::to_text(kind->severity));
}

std::string xid_text(const XidInfo& info, std::int64_t number) {
  const FailureKind* const kind = harness::find_failure_kind(info.failure);
  const std::string failure = kind == nullptr ? "" : fmt::format(" ({} {})", kind->code, kind->name);
  const std::string by_text = harness::needs_text(number) ? "; the text in the kernel's log decides" : "";
  return fmt::format("XID {}  {}\n  {}\ncause      {}\nseverity   {}{}{}\nnext step  {}\n  {}\n", number, info.name,
                     info.meaning, harness::to_text(info.cause), xid_severity(info), failure, by_text, xid_action(info),
                     xid_advice(info));
}

std::string xid_list_text() {
  std::vector<TextRow> rows{{"XID", "name", "cause", "severity", "next step", "meaning"}};
  for (const XidInfo& info : harness::xid_catalog()) {
    rows.push_back({numbers_text(info), std::string(info.name), std::string(harness::to_text(info.cause)),
                    xid_severity(info), xid_action(info), std::string(info.meaning)});
  }
  return text_table(rows, rows.front().size());
}

nlohmann::ordered_json xid_json(const XidInfo& info) {
  const FailureKind* const kind = harness::find_failure_kind(info.failure);
  return {{"first", info.first},
          {"last", info.last},
          {"name", info.name},
          {"meaning", info.meaning},
          {"cause", harness::to_text(info.cause)},
          {"failure", kind == nullptr ? nlohmann::ordered_json() : nlohmann::ordered_json(kind->code)},
          {"action", xid_action(info)},
          {"advice", xid_advice(info)}};
}

void explain_xids(std::span<const XidInfo> xids, std::optional<std::int64_t> number, bool as_json) {
  if (!as_json) return print(number ? xid_text(xids.front(), *number) : xid_list_text());
  nlohmann::ordered_json document{{"schema", "gpucheck.xids/1"}, {"xids", nlohmann::ordered_json::array()}};
  for (const XidInfo& info : xids) document["xids"].push_back(xid_json(info));
  print_document(document_text(document));
}

const FailureKind& require_kind(const std::string& word) {
  if (const FailureKind* kind = harness::find_failure_kind(word)) return *kind;
  throw UsageError(
      fmt::format("there is no kind of failure \"{}\": gpucheck explain lists all, by code and by name, and gpucheck "
                  "explain xids the driver's errors by their numbers",
                  word));
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

/// "gpucheck.failures/1"
std::string failure_kinds_document(std::span<const FailureKind> kinds) {
  nlohmann::ordered_json document{{"schema", "gpucheck.failures/1"}, {"kinds", nlohmann::ordered_json::array()}};
  for (const FailureKind& kind : kinds) document["kinds"].push_back(harness::to_json(kind));
  return document_text(document);
}

}  // namespace

int explain(const Environment& /*environment*/, const ExplainOptions& options) {
  if (options.code == "xids") {
    explain_xids(harness::xid_catalog(), {}, options.json);
    return 0;
  }
  if (const auto number = xid_number(options.code)) {
    explain_xids({&require_xid(*number), 1}, number, options.json);
    return 0;
  }
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
