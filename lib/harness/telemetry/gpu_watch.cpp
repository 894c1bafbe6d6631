#include "harness/telemetry/gpu_watch.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "base/text/pci_address.hpp"
#include "harness/xid/judge.hpp"
#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::harness {
namespace {

using telemetry::Gpu;
using telemetry::Machine;
using telemetry::Reading;

std::optional<std::int64_t> counted(const telemetry::Value& value) {
  if (const auto flag = telemetry::flag(value)) return *flag ? 1 : 0;
  return telemetry::number(value);
}

/// A case too short to be sampled while it ran has just its two ends.
constexpr std::size_t samples_worth_telling = 3;

std::vector<GaugeSummary> summaries(const telemetry::Series& series) {
  std::vector<GaugeSummary> gauges;
  if (series.count() < samples_worth_telling) return gauges;
  for (const Reading gauge : telemetry::sampled_gauges) {
    if (gauge == Reading::clock_event_reasons) continue;  // bits have no mean
    const auto range = series.range(gauge);
    if (!range) continue;
    gauges.push_back({.gauge = std::string(telemetry::info_of(gauge).key),
                      .min = range->min,
                      .mean = range->mean,
                      .max = range->max});
  }
  return gauges;
}

/// Why a GPU is not in an answer: one that does not answer may be it.
std::string why_missing(const Machine& machine, std::string otherwise) {
  for (const Gpu& gpu : machine.gpus) {
    const std::string* const why = telemetry::problem(gpu[Reading::uuid]);
    if (why != nullptr && telemetry::says_no_answer(*why)) return *why;
  }
  return otherwise;
}

void compare(const Gpu& before, const Gpu& after, GpuTelemetry& telemetry) {
  for (const Reading counter : telemetry::watched_counters) {
    const auto was = counted(before[counter]);
    const auto is = counted(after[counter]);
    if (telemetry::is_failure(after[counter]) && telemetry.problem.empty()) {
      telemetry.problem = fmt::format("{}: {}", telemetry::info_of(counter).key, *telemetry::problem(after[counter]));
    }
    if (!was || !is || *was == *is) continue;
    telemetry.changes.push_back({.counter = std::string(telemetry::info_of(counter).key), .change = *is - *was});
  }
  if (after.xids_failed && telemetry.problem.empty())
    telemetry.problem = "the GPU's critical errors (XIDs) cannot be read: " + after.xids_problem;
  const std::size_t known = std::min(before.xids.size(), after.xids.size());
  telemetry.recovery_action = telemetry::number(after[Reading::recovery_action]);
  telemetry.xids.assign(after.xids.begin() + static_cast<std::ptrdiff_t>(known), after.xids.end());
}

}  // namespace

GpuWatch::GpuWatch(telemetry::Sampler::Open open, std::vector<telemetry::GpuId> gpus, telemetry::SamplingPace pace)
    : gpus_(std::move(gpus)), losses_(gpus_.size()), sampler_(std::move(open), pace) {}

telemetry::Question GpuWatch::counters() const { return {.subset = telemetry::Subset::counters, .gpus = gpus_}; }

void GpuWatch::prepare() {
  if (!first_ && !last_) first_ = sampler_.put(counters());
}

void GpuWatch::begin() {
  prepare();
  losses_.assign(gpus_.size(), {});
  sampler_.begin(gpus_);
}

Machine GpuWatch::before() {
  if (last_) return *last_;
  return sampler_.answer(first_);
}

std::vector<GpuTelemetry> GpuWatch::end() {
  sampler_.end();
  Machine before;
  Machine after;
  std::string problem;
  try {
    before = this->before();
    after = sampler_.read(counters());
    note_losses(after);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const std::vector<telemetry::Series> series = sampler_.series();
  std::vector<GpuTelemetry> all(gpus_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    GpuTelemetry& telemetry = all[i];
    telemetry.device = static_cast<int>(i);
    telemetry.samples = static_cast<std::int64_t>(series[i].count());
    telemetry.gauges = summaries(series[i]);
    telemetry.problem = problem.empty() ? series[i].problem() : problem;
    const Gpu* const was = telemetry::find_gpu(before, gpus_[i]);
    const Gpu* const is = telemetry::find_gpu(after, gpus_[i]);
    if (was != nullptr && is != nullptr) {
      compare(*was, *is, telemetry);
    } else {
      const std::string known = telemetry.problem.empty() ? "the driver has no such GPU" : telemetry.problem;
      telemetry.problem = why_missing(after, known);
    }
    // That the GPU is gone says more than any other problem.
    if (!losses_[i].empty()) telemetry.problem = std::exchange(losses_[i], {});
  }
  look_up_texts(all);
  // A driver that did not answer is asked anew for the next case.
  first_.reset();
  last_ = problem.empty() ? std::optional(std::move(after)) : std::nullopt;
  return all;
}

/// A link or the list of processes may be the first to say so, and only a case asks for these.
void GpuWatch::note_losses(const Machine& machine) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const Gpu* const gpu = telemetry::find_gpu(machine, gpus_[i]);
    if (gpu != nullptr && losses_[i].empty()) losses_[i] = telemetry::loss_of(*gpu);
  }
}

/// NVML gives the numbers alone. Where these do not say whether something is to be done, the kernel's log may; where
/// it cannot be read, or has nothing of the kind, the number counts.
void GpuWatch::look_up_texts(std::vector<GpuTelemetry>& all) {
  const auto is_unclear = [](const GpuTelemetry& telemetry) { return std::ranges::any_of(telemetry.xids, needs_text); };
  if (std::ranges::none_of(all, is_unclear)) return;
  try {
    const telemetry::Host host = machine().host;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<std::int64_t>& harmless = all[i].harmless_xids;
      const std::string address = normal_pci_address(gpus_[i].pci_address);
      for (const telemetry::KernelEvent& event : host.kernel_events) {
        const bool is_unclear_here = event.kind == telemetry::KernelEventKind::xid && event.pci_address == address &&
                                     needs_text(event.xid) && std::ranges::count(all[i].xids, event.xid) > 0;
        if (!is_unclear_here) continue;
        // The last that the log has of a number is the one that came up now.
        std::erase(harmless, event.xid);
        const std::string_view failure = failure_of(event);
        if (failure.empty() || failure == "error_to_watch") harmless.push_back(event.xid);
      }
    }
  } catch (const std::exception&) {  // a driver that does not answer any more: the numbers count
    for (GpuTelemetry& telemetry : all) telemetry.harmless_xids.clear();
  }
}

Machine GpuWatch::machine() {
  Machine machine = sampler_.read({.with_host = true});
  note_losses(machine);
  return machine;
}

telemetry::NetworkFiles GpuWatch::network() {
  return sampler_.read({.with_network = true, .with_gpus = false}).network;
}

Gpu GpuWatch::gpu(std::size_t index, telemetry::Subset subset) {
  const telemetry::GpuId& id = gpus_.at(index);
  const Machine machine = sampler_.read({.subset = subset, .gpus = {id}});
  note_losses(machine);
  if (const Gpu* const found = telemetry::find_gpu(machine, id)) return *found;
  throw EnvironmentError(why_missing(machine, fmt::format("the driver has no GPU {} at {}", id.uuid, id.pci_address)));
}

telemetry::Series GpuWatch::series(std::size_t index) const { return sampler_.series().at(index); }

}  // namespace gpucheck::harness
