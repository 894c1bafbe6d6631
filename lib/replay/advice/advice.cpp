#include "replay/advice/advice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/allocator/errors.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {

namespace {

/// Empty where PyTorch takes them.
std::string rejection_of(const std::string& settings) {
  try {
    const runtime::AllocatorSettings parsed = runtime::parse_settings(settings);
    require_same_backend(parsed, runtime::AllocatorSettings{});
    return "";
  } catch (const runtime::SettingsError& error) {
    return error.what();
  }
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// What all programs were recorded with besides the keys that are searched. What only some of
/// them had is left out, and so is what the rules forbid.
void agree_on_others(std::vector<RecordedProgram>& programs, std::string OtherSettings::*kind, const KeyRules& rules) {
  std::vector<std::vector<std::string>> items;
  for (const RecordedProgram& program : programs) items.push_back(items_of_settings(program.advice.carried_over.*kind));
  const auto all_have = [&items](const std::string& item) {
    return std::ranges::all_of(items, [&item](const auto& each) { return contains(each, item); });
  };
  std::string common;
  for (const std::string& item : items.front()) {
    if (all_have(item) && are_allowed(item, rules)) common = joined_settings(common, item);
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    OtherSettings& others = programs[i].advice.carried_over;
    others.*kind = common;
    for (const std::string& item : items[i]) {
      if (!are_allowed(item, rules)) {
        others.forbidden.push_back(item);
      } else if (!all_have(item)) {
        others.not_common.push_back(item);
      }
    }
  }
}

/// There is one line for all programs, and so one list of what it leaves out.
void share_what_is_left_out(std::vector<RecordedProgram>& programs) {
  for (const auto kind : {&OtherSettings::not_clean, &OtherSettings::not_common, &OtherSettings::forbidden}) {
    std::vector<std::string> all;
    for (const RecordedProgram& program : programs) {
      for (const std::string& item : program.advice.carried_over.*kind) {
        if (!contains(all, item)) all.push_back(item);
      }
    }
    for (RecordedProgram& program : programs) program.advice.carried_over.*kind = all;
  }
}

/// What was recorded besides the keys that are searched; of settings that cannot be played, what is not played anyway.
OtherSettings carried_over(const Advice& advice) {
  OtherSettings others;
  if (advice.rejection.empty()) others = other_settings(advice.recorded_settings);
  OtherSettings skipped = other_settings(advice.recorded.settings.carried_over());
  others.unplayed = std::move(skipped.text);
  std::ranges::move(skipped.not_clean, std::back_inserter(others.not_clean));
  return others;
}

std::vector<std::string> references_of(const std::vector<RecordedProgram>& programs, const AdviceRequest& request) {
  std::vector<std::string> references;
  const auto add = [&references](const std::string& settings) {
    if (!contains(references, settings)) references.push_back(settings);
  };
  for (const RecordedProgram& program : programs) {
    if (program.advice.rejection.empty()) add(program.advice.recorded_settings);
  }
  const std::string& others = programs.front().advice.carried_over.text;
  add(others);
  const std::string expandable = joined_settings("expandable_segments:True", others);
  if (are_allowed(expandable, request.rules)) add(expandable);
  for (const std::string& settings : request.settings) add(settings);
  return references;
}

/// A threshold does something only where the program has a limit of its own.
bool has_own_limit(const ConversionReport& recorded, const std::string& settings) {
  const std::vector<std::string> keys = keys_of(settings);
  return recorded.recorded_capacity_is_own_limit || contains(keys, "per_process_memory_fraction") ||
         contains(keys, "garbage_collection_threshold");
}

std::vector<Candidate> candidates_for(const std::vector<RecordedProgram>& programs, const KeyRules& rules) {
  const bool have_limits = std::ranges::all_of(programs, [](const RecordedProgram& program) {
    return has_own_limit(program.advice.recorded, program.advice.recorded_settings);
  });
  std::vector<Candidate> candidates = search_space();
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const bool collects = contains(keys_of(candidate.settings), "garbage_collection_threshold");
    return (collects && !have_limits) || !are_allowed(candidate.settings, rules);
  });
  const std::string& others = programs.front().advice.carried_over.text;
  for (Candidate& candidate : candidates) candidate.settings = joined_settings(candidate.settings, others);
  return candidates;
}

bool may_be_set(const std::string& settings, const KeyRules& rules) {
  return are_allowed(settings, rules) && !combines_expandable_with_split_limit(settings);
}

/// References that are shown and not advised, and those of them that may not stay either.
void add_restrictions(SearchOptions& options, const KeyRules& rules) {
  for (const std::string& settings : options.references) {
    const bool may_stay = may_be_set(settings, rules);
    if (!may_stay) options.not_to_keep.push_back(settings);
    if (!may_stay || !other_settings(settings).not_clean.empty()) options.not_to_advise.push_back(settings);
  }
}

void add_curves(RecordedProgram& program, const AdviceRequest& request) {
  Advice& advice = program.advice;
  for (const RankedSettings* const row : {advice.as_recorded(), advice.advised()}) {
    if (row == nullptr) continue;
    advice.curves.push_back(
        usage_curve(program.trace, row->settings, row->unlimited.peak_reserved_bytes, request.devices));
  }
}

}  // namespace

const RankedSettings* Advice::of(const std::string& settings) const noexcept {
  const auto row = std::ranges::find(search.ranking, settings, &RankedSettings::settings);
  return row == search.ranking.end() ? nullptr : &*row;
}

const RankedSettings* Advice::advised() const noexcept {
  return search.outcome == AdviceOutcome::advised ? of(search.advised) : nullptr;
}

bool Advice::fits_as_recorded() const noexcept {
  if (!memory_limit_bytes) return true;
  const RankedSettings* const row = as_recorded();
  return row != nullptr && row->at_limit && row->at_limit->runs_to_its_end();
}

bool Advice::fits() const noexcept {
  if (!memory_limit_bytes) return true;
  return std::ranges::any_of(search.ranking,
                             [](const RankedSettings& row) { return row.at_limit && row.at_limit->runs_to_its_end(); });
}

RecordedProgram recorded_program(Snapshot& snapshot, std::size_t device, const AdviceRequest& request) {
  Conversion conversion = convert(snapshot, device, PrivatePools::kept, SettingChanges::left_out);
  RecordedProgram program{.advice = {}, .trace = std::move(conversion.trace)};
  Advice& advice = program.advice;
  advice.device = device;
  advice.recorded = conversion.report;
  advice.recorded_settings = program.trace.settings;
  advice.rejection = rejection_of(advice.recorded_settings);
  advice.carried_over = carried_over(advice);
  advice.failures = explain_out_of_memory(
      snapshot, device, runtime::parse_settings(advice.rejection.empty() ? advice.recorded_settings : ""));
  snapshot.device_traces[device] = {};
  advice.memory_limit_bytes = request.memory_limit_bytes;
  if (!advice.memory_limit_bytes && conversion.report.recorded_capacity_bytes) {
    const auto& sizes = request.devices.sizes;
    advice.memory_limit_bytes =
        std::min(*conversion.report.recorded_capacity_bytes, sizes ? sizes->max_bytes : UINT64_MAX);
    advice.limit_is_recorded = true;
  }
  advice.step_count = program.trace.events.size();
  reuse_allocation_numbers(program.trace);
  advice.live = live_at_peak(program.trace, conversion.stacks);
  advice.recorded_events = std::move(conversion.recorded_events);
  return program;
}

std::vector<Advice> advise(std::vector<RecordedProgram> programs, const AdviceRequest& request) {
  if (programs.empty()) return {};
  agree_on_others(programs, &OtherSettings::text, request.rules);
  agree_on_others(programs, &OtherSettings::unplayed, request.rules);
  share_what_is_left_out(programs);
  std::vector<SearchedProgram> searched;
  for (const RecordedProgram& program : programs) {
    const Advice& advice = program.advice;
    searched.push_back({&program.trace, advice.memory_limit_bytes,
                        advice.rejection.empty() ? std::optional(advice.recorded_settings) : std::nullopt});
  }
  SearchOptions options{.references = references_of(programs, request),
                        .candidates = candidates_for(programs, request.rules),
                        .devices = request.devices,
                        .threads = request.threads,
                        .most_reserved_percent = 110,
                        .on_progress = request.on_progress};
  add_restrictions(options, request.rules);
  std::vector<SearchResult> results = search_settings(searched, options);
  std::vector<Advice> advices;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    programs[i].advice.search = std::move(results[i]);
    if (request.wants_curves) add_curves(programs[i], request);
    advices.push_back(std::move(programs[i].advice));
  }
  return advices;
}

Advice advise(Snapshot& snapshot, std::size_t device, const AdviceRequest& request) {
  std::vector<RecordedProgram> programs;
  programs.push_back(recorded_program(snapshot, device, request));
  return std::move(advise(std::move(programs), request).front());
}

std::size_t worst_of(const std::vector<Advice>& advices) {
  const auto needed = [](const Advice& advice) {
    const RankedSettings* row = advice.advised();
    if (row == nullptr) row = advice.as_recorded();
    if (row == nullptr && !advice.search.ranking.empty()) row = &advice.search.ranking.front();
    return row == nullptr ? 0 : row->smallest_memory_bytes.value_or(UINT64_MAX);
  };
  return static_cast<std::size_t>(std::ranges::max_element(advices, {}, needed) - advices.begin());
}

Outcome outcome_of(const std::vector<Advice>& advices) {
  if (advices.empty()) return Outcome::not_judged;
  const auto has_limit = [](const Advice& advice) { return advice.memory_limit_bytes.has_value(); };
  if (std::ranges::none_of(advices, has_limit)) return Outcome::passed;
  // All were ranked together: a row is the same settings in each of them.
  for (std::size_t row = 0; row < advices.front().search.ranking.size(); ++row) {
    const auto runs = [row](const Advice& advice) {
      const std::vector<RankedSettings>& ranking = advice.search.ranking;
      if (!advice.memory_limit_bytes) return true;
      return row < ranking.size() && ranking[row].at_limit && ranking[row].at_limit->runs_to_its_end();
    };
    if (std::ranges::all_of(advices, runs)) return Outcome::passed;
  }
  return Outcome::failed;
}

}  // namespace gpucheck::replay
