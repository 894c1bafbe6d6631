#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/advise/advice_report.hpp"
#include "commands/replay/recorded_document.hpp"
#include "output/document.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;
using replay::Advice;
using replay::LiveGroup;

Json figures_json(const replay::PlayFigures& figures) {
  return {{"peak_reserved_bytes", figures.peak_reserved_bytes},
          {"allocated_at_peak_bytes", figures.allocated_at_peak_bytes},
          {"unused_at_peak_bytes", figures.unused_at_peak_bytes()},
          {"peak_allocated_bytes", figures.peak_allocated_bytes},
          {"device_allocation_count", figures.device_allocations},
          {"retry_count", figures.retries},
          {"out_of_memory_count", figures.out_of_memory_count},
          {"problem", figures.problem.empty() ? Json(nullptr) : Json(figures.problem)}};
}

Json ranked_json(const replay::RankedSettings& row) {
  return {{"settings", row.settings},
          {"smallest_memory_bytes", or_null(row.smallest_memory_bytes)},
          {"without_limit", figures_json(row.unlimited)},
          {"other_paces_not_tried", row.paces_not_tried},
          {"at_smallest_memory", row.smallest_memory_bytes ? figures_json(row.at_smallest) : Json(nullptr)},
          {"at_memory_limit", row.at_limit ? figures_json(*row.at_limit) : Json(nullptr)}};
}

const char* to_text(replay::TriedSettings::Outcome outcome) {
  switch (outcome) {
    case replay::TriedSettings::Outcome::ranked:
      return "ranked";
    case replay::TriedSettings::Outcome::surpassed:
      return "surpassed";
    case replay::TriedSettings::Outcome::same_as:
      return "same_as";
    case replay::TriedSettings::Outcome::reserves_more:
      return "reserves_more";
    case replay::TriedSettings::Outcome::not_better:
      break;
  }
  return "not_better";
}

Json tried_json(const replay::TriedSettings& tried) {
  const bool is_same = tried.outcome == replay::TriedSettings::Outcome::same_as;
  return {{"settings", tried.settings},
          {"outcome", to_text(tried.outcome)},
          {"same_as", is_same ? Json(tried.same_as) : Json(nullptr)},
          {"tried_within_bytes", is_same ? Json(nullptr) : Json(tried.bound_bytes)}};
}

/// Groups as objects that begin with what `add_name` says of each.
template <typename Name>
Json groups_json(const std::vector<LiveGroup>& groups, Name&& name) {
  constexpr std::size_t most = 200;
  Json list = Json::array();
  for (const LiveGroup& group : groups) {
    if (list.size() == most) break;
    Json row = name(group);
    row["allocation_count"] = group.count;
    row["allocated_bytes"] = group.bytes;
    list.push_back(std::move(row));
  }
  return list;
}

Json live_json(const Advice& advice, const replay::StackTable& stacks) {
  const replay::LiveAtPeak& live = advice.live;
  const std::uint32_t event = live.bytes == 0 ? replay::Conversion::no_event : advice.recorded_events[live.step];
  return {{"recorded_event", event == replay::Conversion::no_event ? Json(nullptr) : Json(event)},
          {"allocated_bytes", live.bytes},
          {"allocation_count", live.count},
          {"by_stack", groups_json(live.by_stack,
                                   [&](const LiveGroup& group) {
                                     return Json{{"stack", stack_json(stacks, group.stack)}};
                                   })},
          {"by_size", groups_json(live.by_size,
                                  [](const LiveGroup& group) {
                                    return Json{{"size_bytes", group.size_bytes}};
                                  })},
          {"by_class", groups_json(live.by_class, [](const LiveGroup& group) {
             return Json{{"name", group.name}};
           })}};
}

Json failure_json(const replay::OutOfMemory& failure, const replay::StackTable& stacks) {
  Json json{{"recorded_event", failure.event},
            {"asked_bytes", failure.asked_bytes},
            {"segment_bytes", failure.segment_bytes},
            {"stream", failure.stream},
            {"pool", {failure.pool.first, failure.pool.second}},
            {"device_free_bytes", or_null(failure.device_free_bytes)},
            {"reserved_bytes", failure.reserved_bytes},
            {"in_use_bytes", failure.in_use_bytes},
            {"waiting_bytes", failure.waiting_bytes},
            {"missing_bytes", or_null(failure.missing_bytes())},
            {"would_be_served_again", failure.would_be_served_again()},
            {"is_fragmentation", failure.is_fragmentation()},
            {"holes", Json::array()},
            {"stack", stack_json(stacks, failure.stack)}};
  for (const replay::OutOfMemory::Holes& holes : failure.holes) {
    json["holes"].push_back({{"reason", to_text(holes.reason)},
                             {"count", holes.count},
                             {"bytes", holes.bytes},
                             {"largest_bytes", holes.largest_bytes}});
  }
  return json;
}

const char* to_text(replay::AdviceOutcome outcome) {
  switch (outcome) {
    case replay::AdviceOutcome::advised:
      return "advised";
    case replay::AdviceOutcome::recorded_fits:
      return "recorded_fits";
    case replay::AdviceOutcome::recorded_is_as_good:
      return "recorded_is_as_good";
    case replay::AdviceOutcome::nothing_else:
      break;
  }
  return "nothing_else";
}

Json breakage_json(const replay::KnownBreakage& known) {
  return {{"key", known.key},
          {"what", known.what},
          {"from_release", known.from ? Json(to_text(*known.from)) : Json(nullptr)},
          {"before_release", known.before ? Json(to_text(*known.before)) : Json(nullptr)},
          {"source", known.source}};
}

Json advised_json(const Advice& advice, const replay::KeyRules& rules) {
  const replay::RankedSettings* const best = advice.advised();
  if (best == nullptr) return nullptr;
  const replay::OtherSettings& others = advice.carried_over;
  Json left_out = others.not_clean;
  for (const auto* items : {&others.not_common, &others.forbidden}) {
    for (const std::string& item : *items) left_out.push_back(item);
  }
  Json json{{"settings", best->settings},
            {"line", export_line(advice.to_paste(best->settings))},
            {"carried_over", replay::joined_settings(others.text, others.unplayed)},
            {"left_out", std::move(left_out)},
            {"remarks", remarks_on(best->settings, rules)},
            {"known_to_break", Json::array()}};
  for (const replay::KnownBreakage& known : known_to_break(best->settings, rules.torch)) {
    json["known_to_break"].push_back(breakage_json(known));
  }
  return json;
}

Json device_json(const AdviceReport& report, std::size_t place) {
  const Advice& advice = report.advices[place];
  const AdviceSubject& subject = report.subjects[place];
  Json json{{"file", subject.file},
            {"device", advice.device},
            {"recorded_settings", advice.recorded_settings},
            {"recorded_settings_rejected", advice.rejection.empty() ? Json(nullptr) : Json(advice.rejection)},
            {"recorded", recorded_json(advice.recorded)},
            {"memory_limit_bytes", or_null(advice.memory_limit_bytes)},
            {"memory_limit_source", nullptr},
            {"fits", advice.fits()},
            {"fits_as_recorded", advice.fits_as_recorded()},
            {"least_bytes", advice.search.least_bytes},
            {"beyond_all_settings", advice.is_beyond_all_settings()},
            {"outcome", to_text(advice.search.outcome)},
            {"advised", advised_json(advice, report.rules)},
            {"ranking", Json::array()},
            {"tried", Json::array()},
            {"play_count", advice.search.play_count},
            {"other_pace_count", advice.search.other_paces},
            {"failures", Json::array()},
            {"live_at_peak", live_json(advice, *subject.stacks)}};
  if (advice.memory_limit_bytes) {
    json["memory_limit_source"] = advice.limit_is_recorded ? "recorded_out_of_memory"
                                  : report.card != nullptr ? "card"
                                                           : "option";
  }
  for (const replay::OutOfMemory& failure : advice.failures) {
    json["failures"].push_back(failure_json(failure, *subject.stacks));
  }
  for (const replay::RankedSettings& row : advice.search.ranking) json["ranking"].push_back(ranked_json(row));
  for (const replay::TriedSettings& tried : advice.search.tried) json["tried"].push_back(tried_json(tried));
  return json;
}

}  // namespace

std::string advice_document(const AdviceReport& report) {
  const std::size_t worst = worst_of(report.advices);
  Json document{{"schema", "gpucheck.advice/1"},
                {"version", build_information().version},
                {"file", nullptr},
                {"card", nullptr},
                {"advised", advised_json(report.advices[worst], report.rules)},
                {"needs_most", {{"file", report.subjects[worst].file}, {"device", report.advices[worst].device}}},
                {"devices", Json::array()},
                {"exit_code", outcome_of(report.advices) == replay::Outcome::passed ? 0 : 1}};
  const std::string& first = report.subjects.front().file;
  const auto is_of_first = [&first](const AdviceSubject& subject) { return subject.file == first; };
  if (std::ranges::all_of(report.subjects, is_of_first)) document["file"] = first;
  if (report.card != nullptr) {
    document["card"] = {{"name", report.card->name},
                        {"total_bytes", report.card->total_bytes},
                        {"usable_bytes", report.card->usable_bytes()},
                        {"assumption", assumption_of(*report.card)}};
  }
  for (std::size_t i = 0; i < report.advices.size(); ++i) document["devices"].push_back(device_json(report, i));
  return document_text(document);
}

}  // namespace gpucheck::application
