#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "base/nvml/nvlink_model.hpp"
#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::nvlink {
namespace {

using telemetry::Link;
using telemetry::LinkReading;
using Texts = std::vector<std::string>;

constexpr std::array error_counters{LinkReading::replays, LinkReading::crc_flit_errors, LinkReading::crc_data_errors};

/// All that is looked at here; health.nvlink_quality has the rest.
constexpr std::array judged_by{LinkReading::is_active, LinkReading::replays, LinkReading::recoveries,
                               LinkReading::crc_flit_errors, LinkReading::crc_data_errors};

bool is_active(const Link& link) { return telemetry::flag(link[LinkReading::is_active]) == true; }

std::int64_t active_links(const Gpu& gpu) { return std::ranges::count_if(gpu.links, is_active); }

bool is_same_model(const Gpu& one, const Gpu& other) { return one[Reading::name] == other[Reading::name]; }

const NvlinkModel* model_of(const Gpu& gpu) {
  const std::string* const name = telemetry::text(gpu[Reading::name]);
  return name == nullptr ? nullptr : nvlink_model(*name);
}

/// A GPU that a fabric connects has its links on the board too.
bool is_on_board(const Gpu& gpu) {
  const NvlinkModel* const model = model_of(gpu);
  if (model != nullptr) return model->form == NvlinkModel::Form::board;
  return telemetry::number(gpu[Reading::fabric_state]).has_value();
}

// -- what the driver has to tell --------------------------------------------------------------------

std::string place(std::size_t link, LinkReading reading) {
  return fmt::format("link {}: {}", link, telemetry::info_of(reading).key);
}

/// @throws EnvironmentError where the state of a link, or a counter of one that is up, could not be read.
void require_no_failure(const Gpu& gpu) {
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    const Link& link = gpu.links[i];
    for (const LinkReading reading : judged_by) {
      if (!telemetry::is_failure(link[reading]) || (reading != LinkReading::is_active && !is_active(link))) continue;
      throw EnvironmentError(fmt::format("{}: {}", place(i, reading), *telemetry::problem(link[reading])));
    }
  }
}

/// A list without a link says that there is none, unless something else says that there are some.
void require_none_elsewhere(const Gpu& gpu, const telemetry::Machine& machine) {
  if (is_offered(gpu, Reading::fabric_state)) {
    throw EnvironmentError("no NVLink is listed, and the driver says that the GPU belongs to an NVLink fabric");
  }
  const auto has_links = [&gpu](const Gpu& other) { return is_same_model(gpu, other) && active_links(other) > 0; };
  if (std::ranges::any_of(machine.gpus, has_links)) {
    throw EnvironmentError("no NVLink is listed, and another GPU of the same model has some that are up");
  }
}

/// @throws EnvironmentError where the driver failed to report the links, or of what says how many should be up, or
/// contradicts itself.
void require_answers(const Gpu& gpu, const telemetry::Machine& machine) {
  if (gpu.links_failed) throw EnvironmentError("the NVLinks cannot be read: " + gpu.links_problem);
  for (const Reading reading : {Reading::name, Reading::fabric_state, Reading::mig_enabled})
    static_cast<void>(is_offered(gpu, reading));
  if (gpu.links_problem.empty() && gpu.links.empty()) require_none_elsewhere(gpu, machine);
  require_no_failure(gpu);
}

/// @throws harness::Skip of a GPU that offers no NVLink, where none is asked for, or of which no state is known.
void require_links(const Gpu& gpu, std::int64_t asked_for) {
  if (!gpu.links.empty()) {
    const auto has_state = [](const Link& link) { return telemetry::problem(link[LinkReading::is_active]) == nullptr; };
    if (std::ranges::any_of(gpu.links, has_state)) return;
    throw harness::Skip("whether the NVLinks are up is not known: " +
                        *telemetry::problem(gpu.links.front()[LinkReading::is_active]));
  }
  if (gpu.links_problem.empty() && asked_for <= 0) throw harness::Skip("the GPU has no NVLink");
  if (!gpu.links_problem.empty() && (asked_for <= 0 || gpu.links_problem != telemetry::not_supported_text)) {
    throw harness::Skip(
        fmt::format("NVLink is not offered to this machine: its state is answered by \"{}\"", gpu.links_problem));
  }
}

// -- how many should be up ---------------------------------------------------------------------------

/// As many as any GPU of the same model in the machine has, this one included.
std::int64_t most_active_links(const telemetry::Machine& machine, const Gpu& gpu) {
  std::int64_t most = active_links(gpu);
  for (const Gpu& other : machine.gpus) {
    if (is_same_model(gpu, other)) most = std::max(most, active_links(other));
  }
  return most;
}

/// None where nothing says it: of a GPU all of whose links are down, while that may be meant. On cards there may be no
/// bridge; a single GPU may be what one user has of a board; in MIG mode an A100's links are off (NVIDIA's guide of the
/// fabric manager).
std::optional<std::int64_t> expected_links(const telemetry::Machine& machine, const Gpu& gpu, std::int64_t asked_for) {
  if (asked_for >= 0) return asked_for;
  const NvlinkModel* const model = model_of(gpu);
  const bool may_be_meant =
      !is_on_board(gpu) || machine.gpus.size() < 2 || telemetry::flag(gpu[Reading::mig_enabled]) == true;
  if (active_links(gpu) == 0 && may_be_meant) return {};
  if (model != nullptr && model->links > 0) return model->links;
  if (active_links(gpu) == 0) return static_cast<std::int64_t>(gpu.links.size());
  return most_active_links(machine, gpu);
}

void observe_links(harness::Context& context, const Gpu& gpu, const std::optional<std::int64_t>& expected) {
  const std::int64_t up = active_links(gpu);
  Texts unexplained;
  if (expected) {
    context.observe("links_missing", over(up, *expected));
    context.observe("links_expected", *expected);
  } else {
    unexplained.push_back(fmt::format(
        "{} NVLinks are listed and none is up: expected_links says how many should be, 0 where no bridge is fitted",
        gpu.links.size()));
    observe_not_available(context, "links_missing");
    observe_not_available(context, "links_expected");
  }
  context.observe("links_unexplained", unexplained);
  context.observe("links_up", up);
}

// -- errors ------------------------------------------------------------------------------------------

/// What was counted on one link; none where the driver offers no such counter.
std::optional<std::int64_t> errors_of(const Link& link) {
  std::optional<std::int64_t> errors;
  for (const LinkReading counter : error_counters) {
    if (const auto count = telemetry::number(link[counter])) errors = errors.value_or(0) + *count;
  }
  return errors;
}

/// What the links that are up, or were, have counted.
struct Counted {
  Texts failing;               ///< with more new errors in a second than are accepted
  Texts recovered;             ///< that had to be trained again too often
  Texts not_counted;           ///< of which the driver counts no errors, or no recoveries
  std::size_t errors = 0;      ///< links with such a counter
  std::size_t recoveries = 0;  ///< likewise
};

/// Counters are of all the time since the driver was loaded.
Counted count(const harness::Context& context, const Gpu& before, const Gpu& after, double seconds) {
  const auto errors_accepted = context.parameter<double>("max_errors_per_second");
  const auto recoveries_accepted = context.parameter<std::int64_t>("max_recoveries");
  Counted counted;
  for (std::size_t i = 0; i < after.links.size(); ++i) {
    if (!is_active(before.links[i]) && !is_active(after.links[i])) continue;
    const auto was = errors_of(before.links[i]);
    const auto is = errors_of(after.links[i]);
    const auto recoveries = telemetry::number(after.links[i][LinkReading::recoveries]);
    if (was && is) {
      ++counted.errors;
      const double rate = static_cast<double>(*is - *was) / seconds;
      if (rate > errors_accepted)
        counted.failing.push_back(fmt::format("link {}: {:.0f} errors a second, limit {}", i, rate, errors_accepted));
    } else {
      counted.not_counted.push_back(fmt::format("link {}: errors", i));
    }
    if (recoveries) {
      ++counted.recoveries;
      if (*recoveries > recoveries_accepted)
        counted.recovered.push_back(
            fmt::format("link {}: {} recoveries, limit {}", i, *recoveries, recoveries_accepted));
    } else {
      counted.not_counted.push_back(fmt::format("link {}: recoveries", i));
    }
  }
  return counted;
}

void observe_counted(harness::Context& context, const Counted& counted) {
  const auto observe = [&context](const char* key, const Texts& links, std::size_t links_counted) {
    if (links_counted > 0) return context.observe(key, links);
    observe_not_available(context, key);
  };
  observe("links_with_new_errors", counted.failing, counted.errors);
  observe("links_with_recoveries", counted.recovered, counted.recoveries);
  context.observe("not_available", counted.not_counted);
}

/// Why the driver counts nothing on the links that are up.
std::string why_not_counted(const Gpu& gpu) {
  const auto link = std::ranges::find_if(gpu.links, is_active);
  return *telemetry::problem((*link)[LinkReading::replays]);
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const auto asked_for = context.parameter<std::int64_t>("expected_links");
  const telemetry::Machine machine = watch.machine();
  const Gpu before = watch.gpu();
  require_answers(before, machine);
  require_links(before, asked_for);
  const std::chrono::milliseconds time = window(context);
  std::this_thread::sleep_for(time);
  const Gpu after = watch.gpu();
  require_answers(after, machine);
  if (before.links.size() != after.links.size()) {
    throw EnvironmentError(
        fmt::format("{} NVLinks are listed, and {} a moment later", before.links.size(), after.links.size()));
  }
  const std::int64_t up = active_links(after);
  const auto expected = expected_links(machine, after, asked_for);
  const Counted counted = count(context, before, after, std::chrono::duration<double>(time).count());
  // Links that are up and of which nothing is counted are half an answer.
  if (counted.errors + counted.recoveries == 0 && up > 0 && expected && up >= *expected) {
    throw harness::Skip(
        fmt::format("{} NVLinks are up, and nothing counts their errors: {}", up, why_not_counted(after)));
  }
  observe_links(context, after, expected);
  observe_counted(context, counted);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.nvlink",
      .summary = "As many NVLinks are up as the model has, or as its neighbours have, and none of them fails",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .parameters = {window_parameter(),
                     {.name = "expected_links",
                      .summary = "NVLinks that must be up, 0 for none; -1: as the model, the bridge or the neighbours "
                                 "of the same model have them",
                      .default_value = std::int64_t{-1},
                      .minimum = -1,
                      .maximum = 64},
                     {.name = "max_errors_per_second",
                      .summary = "Replays and CRC errors of one link in a second that are accepted",
                      .default_value = 100.0,
                      .minimum = 0},
                     {.name = "max_recoveries",
                      .summary =
                          "Times that one link had to be trained again, since the driver was loaded, that are accepted",
                      .default_value = std::int64_t{0},
                      .minimum = 0}},
      .faults = {{.name = "link_down",
                  .summary = "a link is down that a neighbour has",
                  .telemetry =
                      telemetry::always(Aspect::neighbour, {}) + telemetry::always(LinkReading::is_active, false)},
                 {.name = "link_down_everywhere",
                  .summary = "the same link is down on all GPUs",
                  .telemetry =
                      telemetry::always(LinkReading::is_active, false) + telemetry::always(Aspect::neighbour, {})},
                 {.name = "all_links_down",
                  .summary = "no link is up on a board of two GPUs",
                  .telemetry = telemetry::always(Aspect::links_down, {}) + telemetry::always(Aspect::neighbour, {})},
                 {.name = "no_bridge",
                  .summary = "no link is up on a card, which may have no bridge",
                  .telemetry =
                      telemetry::always(Reading::name, "NVIDIA H100 NVL") + telemetry::always(Aspect::links_down, {})},
                 {.name = "errors_rise",
                  .summary = "data arrive damaged on one link",
                  .telemetry = telemetry::rising(LinkReading::crc_data_errors, 100'000)},
                 {.name = "trained_again",
                  .summary = "a link had to be trained again",
                  .telemetry = telemetry::always(LinkReading::recoveries, std::int64_t{3})},
                 {.name = "state_fails",
                  .summary = "the driver fails to say whether a link is up",
                  .telemetry = telemetry::failing(LinkReading::is_active)},
                 {.name = "list_fails",
                  .summary = "the driver fails to list the links",
                  .telemetry = telemetry::failing(Aspect::links_down)},
                 {.name = "mig_mode_fails",
                  .summary = "the driver fails to say whether MIG is on, which would explain links that are down",
                  .telemetry = telemetry::failing(Reading::mig_enabled)},
                 {.name = "counter_fails",
                  .summary = "the driver fails to say what a link has counted",
                  .telemetry = telemetry::failing(LinkReading::crc_data_errors)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::nvlink
