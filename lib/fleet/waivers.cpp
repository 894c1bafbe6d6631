#include "fleet/waivers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <variant>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "golden/document/node.hpp"
#include "golden/document/syntax.hpp"
#include "golden/golden.hpp"
#include "harness/case/registry.hpp"
#include "harness/run/exit_codes.hpp"
#include "harness/xid/judge.hpp"

namespace gpucheck::fleet {
namespace {

using golden::Node;
using harness::Outcome;
using harness::Waiver;
using std::chrono::year_month_day;

std::optional<year_month_day> parse_date(const std::string& text) {
  static const std::regex pattern("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  std::smatch parts;
  if (!std::regex_match(text, parts, pattern)) return {};
  using namespace std::chrono;
  const auto number = [&parts](std::size_t group) { return static_cast<unsigned>(std::stoul(parts[group])); };
  const year_month_day date(year(static_cast<int>(number(1))), month(number(2)), day(number(3)));
  return date.ok() ? std::optional(date) : std::nullopt;
}

bool is_device(const std::string& text) {
  static const std::regex uuid("(GPU|MIG)-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  return text == "any" || std::regex_match(text, uuid);
}

Waiver waiver_from(const Node& node, std::span<const std::string> known_cases) {
  node.require_object({"case", "device", "reason", "owner", "expires", "xid"});
  Waiver waiver{.case_glob = node.required_field("case").non_empty_string(),
                .device = node.required_field("device").non_empty_string(),
                .reason = node.required_field("reason").non_empty_string(),
                .owner = node.required_field("owner").non_empty_string(),
                .expires = node.required_field("expires").non_empty_string()};
  const auto matches = [&](const std::string& name) { return harness::matches_glob(waiver.case_glob, name); };
  if (std::ranges::none_of(known_cases, matches)) {
    node.required_field("case").reject("the name of a case, or a glob that matches one (gpucheck list shows them)");
  }
  if (!is_device(waiver.device)) node.required_field("device").reject("\"any\" or a device's UUID (gpucheck info)");
  if (const auto xid = node.field("xid")) {
    constexpr std::int64_t largest = 99'999;  // the driver's numbers have five digits at most
    const harness::Value number = xid->number();
    const auto* const whole = std::get_if<std::int64_t>(&number);
    waiver.xid = whole == nullptr ? 0 : *whole;
    if (*waiver.xid < 1 || *waiver.xid > largest) xid->reject("the number of an XID, such as 63");
  }
  if (!parse_date(waiver.expires)) node.required_field("expires").reject("a date such as \"2026-12-31\"");
  return waiver;
}

/// The XIDs by which a result failed, if it did so by XIDs that the result names and nothing else.
std::set<std::int64_t> failing_xids(const harness::CaseResult& result) {
  std::set<std::int64_t> xids;
  if (result.outcome != Outcome::fail) return {};
  for (const harness::Mismatch& mismatch : result.mismatches) {
    const auto seen = std::ranges::find(result.observations, mismatch.key, &harness::Observation::key);
    const auto* const texts =
        seen == result.observations.end() ? nullptr : std::get_if<std::vector<std::string>>(&seen->value);
    // A broken rule is of no observation: its own text is all there is.
    const std::vector<std::int64_t> named =
        harness::xids_named(texts != nullptr ? *texts : std::vector<std::string>{mismatch.seen});
    if (named.empty()) return {};
    xids.insert(named.begin(), named.end());
  }
  return xids;
}

}  // namespace

Waivers parse_waivers(std::string_view text, const std::string& path, std::span<const std::string> known_cases) {
  try {
    golden::check_syntax(text, path);
    const Node::Json document = Node::Json::parse(text);
    const Node root(document, path);
    root.require_object({"waivers"});
    Waivers waivers;
    for (const Node& node : root.required_field("waivers").elements()) {
      waivers.push_back(waiver_from(node, known_cases));
    }
    return waivers;
  } catch (const golden::MalformedGolden& problem) {
    throw UsageError(problem.what());
  }
}

Waivers read_waivers(const std::string& path, std::span<const std::string> known_cases) {
  return parse_waivers(read_input_file(path, "waivers"), path, known_cases);
}

WaiverBook::WaiverBook(Waivers waivers, std::chrono::system_clock::time_point date) {
  const year_month_day today(std::chrono::floor<std::chrono::days>(date));
  for (Waiver& waiver : waivers) {
    const std::optional<year_month_day> last = parse_date(waiver.expires);
    entries_.push_back({.waiver = std::move(waiver), .expired = !last || *last < today});
  }
}

void WaiverBook::apply(harness::CaseResult& result, std::string_view device_uuid) {
  result.waiver.reset();
  std::set<std::int64_t> unwaived = failing_xids(result);
  const bool is_by_xids = !unwaived.empty();
  std::vector<Entry*> used;
  for (Entry& entry : entries_) {
    const bool same_device = entry.waiver.device == "any" || entry.waiver.device == device_uuid;
    if (!same_device || !harness::matches_glob(entry.waiver.case_glob, result.name)) continue;
    entry.seen = true;
    entry.passed = entry.passed || result.outcome == Outcome::pass;
    if (entry.expired || !harness::is_failure(result.outcome)) continue;
    if (!entry.waiver.xid) {
      entry.used = entry.used || !result.waiver;
      if (!result.waiver) result.waiver = entry.waiver;
    } else if (unwaived.erase(*entry.waiver.xid) > 0) {
      used.push_back(&entry);
    }
  }
  // Those of single XIDs waive together what none of them does alone.
  if (result.waiver || !is_by_xids || !unwaived.empty() || used.empty()) return;
  for (Entry* entry : used) entry->used = true;
  result.waiver = used.front()->waiver;
}

void WaiverBook::apply(harness::CaseResult& result, const std::vector<harness::DeviceIdentity>& devices) {
  if (result.devices.empty()) return apply(result, "");
  for (const int index : result.devices) {
    apply(result, devices.at(static_cast<std::size_t>(index)).uuid);
    if (result.waiver) return;
  }
}

void WaiverBook::apply(harness::Comparison& comparison, const std::vector<harness::DeviceIdentity>& devices) {
  for (harness::ComparedValue& value : comparison.values) {
    value.waiver.reset();
    if (value.verdict != "fail") continue;
    harness::CaseResult failure;
    failure.name = comparison.case_name;
    failure.devices = {value.device};
    failure.outcome = Outcome::fail;
    apply(failure, devices);
    value.waiver = failure.waiver;
  }
}

std::vector<harness::WaiverUse> WaiverBook::uses() const {
  std::vector<harness::WaiverUse> uses;
  for (const Entry& entry : entries_) {
    if (entry.used) {
      uses.push_back({entry.waiver, "used"});
    } else if (entry.expired && entry.seen) {
      uses.push_back({entry.waiver, "expired"});
    } else if (entry.passed) {
      uses.push_back({entry.waiver, "unused"});
    }
  }
  return uses;
}

void judge_under(WaiverBook& book, harness::Counts counts, bool lacked_time, const harness::RunStarted& start,
                 harness::RunFinished& end) {
  for (harness::Comparison& comparison : end.comparisons) book.apply(comparison, start.devices);
  counts.not_run = end.counts.not_run;
  end.counts = counts;
  end.waivers = book.uses();
  // What was skipped, or not selected, is nothing to waive: what the run made of it stays.
  if (start.total == 0) return;
  if (end.interrupted_by_signal != 0 || harness::is_only_skips(counts)) return;
  const harness::Counts judged =
      harness::without_lacking_repetitions(counts, end.not_run.size(), end.may_lack_repetitions);
  const harness::ExitCode by_cases = harness::with_lack_of_time(
      harness::with_unproven(harness::exit_code(judged, start.max_skips), end.unproven_devices), lacked_time);
  const harness::ExitCode code = harness::with_comparisons(by_cases, end.comparisons);
  const bool never_passes = !end.incomplete.empty();
  end.exit_code =
      static_cast<int>(never_passes && code == harness::ExitCode::passed ? harness::ExitCode::not_judged : code);
}

}  // namespace gpucheck::fleet
