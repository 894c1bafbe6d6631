#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/replay/recorded_document.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/document.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;

const char* to_text(replay::MemoryLimit::Source source) {
  switch (source) {
    case replay::MemoryLimit::Source::requested:
      return "option";
    case replay::MemoryLimit::Source::trace:
      return "trace";
    case replay::MemoryLimit::Source::recorded:
      return "recorded_out_of_memory";
    case replay::MemoryLimit::Source::device:
      return "device";
    case replay::MemoryLimit::Source::not_recorded:
      return "not_recorded";
  }
  return "";
}

Json comparison_json(const replay::Comparison& comparison) {
  Json differences = Json::array();
  for (const replay::Difference& difference : comparison.first_differences) {
    differences.push_back({{"step", difference.step},
                           {"statistic", difference.statistic},
                           {"expected", difference.expected},
                           {"seen", difference.seen}});
  }
  Json final_differences = Json::array();
  for (const replay::FinalDifference& difference : comparison.final_differences) {
    final_differences.push_back(
        {{"what", difference.what}, {"expected", difference.expected}, {"seen", difference.seen}});
  }
  return {{"equal", comparison.equal()},
          {"step_count", comparison.steps},
          {"compared_step_count", comparison.compared_steps},
          {"equal_step_count", comparison.equal_steps},
          {"compared_address_count", comparison.addresses.compared},
          {"equal_address_count", comparison.addresses.equal},
          {"compared_final_statistic_count", comparison.final_statistics_compared},
          {"compared_final_segment_count", comparison.final_segments_compared},
          {"final_difference_count", comparison.final_difference_count},
          {"first_differences", std::move(differences)},
          {"final_differences", std::move(final_differences)}};
}

Json sample_json(const replay::Subject& subject, const replay::UsageSample& sample) {
  Json json{{"step", sample.step}};
  if (subject.recorded) {
    const std::uint32_t event = subject.recorded_events.at(sample.step);
    json["recorded_event"] = event == replay::Conversion::no_event ? Json(nullptr) : Json(event);
  }
  json["allocated_bytes"] = sample.allocated_bytes;
  json["reserved_bytes"] = or_null(sample.reserved_bytes);
  json["unused_ratio"] = or_null(sample.fragmentation());
  return json;
}

Json sample_or_null(const replay::Subject& subject, const std::optional<replay::UsageSample>& sample) {
  return sample ? sample_json(subject, *sample) : Json(nullptr);
}

Json what_if_json(const replay::Subject& subject, const replay::WhatIf& what_if) {
  if (what_if.steps == 0) return nullptr;
  Json json{{"step_count", what_if.steps},
            {"peak_reserved", sample_or_null(subject, what_if.peak_reserved)},
            {"peak_allocated", sample_json(subject, what_if.peak_allocated)},
            {"worst_unused", sample_or_null(subject, what_if.worst_fragmentation)},
            {"retry_count", or_null(what_if.retry_count)},
            {"out_of_memory_count", what_if.out_of_memory_count},
            {"rescued_count", what_if.rescued_count},
            {"first_out_of_memory", nullptr},
            {"remarks", what_if.remarks},
            {"samples", Json::array()}};
  if (what_if.first_out_of_memory) {
    json["first_out_of_memory"] = sample_json(subject, *what_if.first_out_of_memory);
    json["first_out_of_memory"]["asked_for_bytes"] = what_if.first_out_of_memory_bytes;
  }
  for (const replay::UsageSample& sample : what_if.samples) json["samples"].push_back(sample_json(subject, sample));
  return json;
}

Json replay_json(const replay::Subject& subject, const replay::Replay& replay) {
  return {{"settings", replay.settings},
          {"memory_limit_bytes", or_null(replay.limit.bytes)},
          {"memory_limit_source", to_text(replay.limit.source)},
          {"device", replay.device},
          {"device_name", replay.device_name},
          {"device_memory_bytes", replay.device_memory_bytes},
          {"comparison", replay.comparison ? comparison_json(*replay.comparison) : Json(nullptr)},
          {"what_if", replay.what_if ? what_if_json(subject, *replay.what_if) : Json(nullptr)}};
}

Json subject_json(const replay::SubjectReplays& result, const replay::Request& request) {
  const replay::Subject& subject = *result.subject;
  Json json{{"file", subject.file},
            {"name", subject.trace.name},
            {"kind", subject.recorded ? "snapshot" : "trace"},
            {"verdict", to_text(result.verdict)},
            {"event_count", subject.trace.events.size()},
            {"allocation_count", subject.trace.allocation_count},
            {"stream_count", subject.trace.stream_count},
            {"recorded_settings", subject.trace.settings},
            {"setting_change_count", subject.recorded ? subject.recorded->setting_changes : 0},
            {"recorded", subject.recorded ? recorded_json(*subject.recorded) : Json(nullptr)},
            {"not_compared", nullptr},
            {"replays", Json::array()}};
  if (const std::string why = why_not_compared(subject, request); !why.empty()) json["not_compared"] = why;
  for (const replay::Replay& replay : result.replays) json["replays"].push_back(replay_json(subject, replay));
  return json;
}

Json summary_json(std::span<const replay::SubjectReplays> results) {
  std::size_t compared = 0, equal = 0, steps = 0, equal_steps = 0;
  for (const replay::SubjectReplays& result : results) {
    compared += !result.replays.empty() && result.replays.front().comparison ? 1U : 0U;
    equal += result.verdict == replay::Verdict::equal ? 1U : 0U;
    for (const replay::Replay& replay : result.replays) {
      if (!replay.comparison) continue;
      steps += replay.comparison->compared_steps;
      equal_steps += replay.comparison->equal_steps;
    }
  }
  return {{"trace_count", results.size()},
          {"compared_trace_count", compared},
          {"equal_trace_count", equal},
          {"compared_step_count", steps},
          {"equal_step_count", equal_steps}};
}

}  // namespace

namespace {

std::string document_of(std::span<const replay::SubjectReplays> results, const replay::Request& request, Json traces,
                        harness::ExitCode exit_code) {
  const Json document{{"schema", "gpucheck.replay/1"},
                      {"version", build_information().version},
                      {"allocator", runtime::to_text(request.allocator)},
                      {"traces", std::move(traces)},
                      {"summary", summary_json(results)},
                      {"exit_code", static_cast<int>(exit_code)}};
  return document_text(document);
}

}  // namespace

std::string replay_document(std::span<const replay::SubjectReplays> results, const replay::Request& request) {
  Json traces = Json::array();
  for (const replay::SubjectReplays& result : results) traces.push_back(subject_json(result, request));
  return document_of(results, request, std::move(traces), exit_code_of(results));
}

std::string unfinished_replay_document(const replay::Subject& subject, const replay::Request& request,
                                       std::string_view reason) {
  const replay::SubjectReplays none{.subject = &subject, .replays = {}, .verdict = replay::Verdict::empty};
  Json trace = subject_json(none, request);
  trace["verdict"] = reason.substr(0, reason.find(':'));
  trace["reason"] = reason;
  return document_of({&none, 1}, request, Json::array({std::move(trace)}), harness::ExitCode::failed);
}

}  // namespace gpucheck::application
