#include "telemetry/machine/gpu_loss.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace gpucheck::telemetry {
namespace {

constexpr std::string_view no_answer_words = "the driver did not answer within ";

template <typename Which, std::size_t count>
std::string loss_in_values(const std::array<Value, count>& values) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_failure(values[i])) continue;
    const std::string& reason = *problem(values[i]);
    if (loss_in(reason)) return fmt::format("{}: {}", info_of(static_cast<Which>(i)).key, reason);
  }
  return {};
}

}  // namespace

std::optional<GpuLoss> loss_in(std::string_view text) {
  // nvmlErrorString's words for 15 and 16, and nvml.h's: "GPU requires reset", "The GPU requires a reset before ...".
  constexpr std::array<std::pair<std::string_view, GpuLoss>, 4> words{{{"gpu is lost", GpuLoss::lost},
                                                                       {"fallen off the bus", GpuLoss::lost},
                                                                       {"requires reset", GpuLoss::reset_required},
                                                                       {"requires a reset", GpuLoss::reset_required}}};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [phrase, loss] : words) {
    if (lower.find(phrase) != std::string::npos) return loss;
  }
  return {};
}

std::string loss_of(const Gpu& gpu) {
  std::string loss = loss_in_values<Reading>(gpu.values);
  const auto add_list = [&loss](std::string_view name, const std::string& reason, bool failed) {
    if (loss.empty() && failed && loss_in(reason)) loss = fmt::format("{}: {}", name, reason);
  };
  add_list("links", gpu.links_problem, gpu.links_failed);
  for (std::size_t i = 0; i < gpu.links.size() && loss.empty(); ++i) {
    loss = loss_in_values<LinkReading>(gpu.links[i].values);
    if (!loss.empty()) loss = fmt::format("link {}: {}", i, loss);
  }
  add_list("processes", gpu.processes_problem, gpu.processes_failed);
  return loss;  // XIDs come for all GPUs at once: nobody knows whose a failure there is
}

std::string no_answer_text(std::chrono::milliseconds patience) {
  return fmt::format("{}{} ms", no_answer_words, patience.count());
}

bool says_no_answer(std::string_view text) noexcept { return text.find(no_answer_words) != text.npos; }

}  // namespace gpucheck::telemetry
