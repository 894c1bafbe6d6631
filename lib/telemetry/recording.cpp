#include <algorithm>
#include <utility>

#include "telemetry/source.hpp"

namespace gpucheck::telemetry {
namespace {

bool is_in(Reading reading, Subset subset) {
  const auto among = [reading](const auto& list) { return std::ranges::find(list, reading) != list.end(); };
  if (info_of(reading).kind == ReadingKind::identity || reading == Reading::handle || among(sampled_gauges))
    return true;
  return subset == Subset::counters && among(watched_counters);
}

/// Takes away what was not asked.
void keep(Gpu& gpu, Subset subset) {
  if (subset == Subset::everything) return;
  for (std::size_t i = 0; i < reading_count; ++i) {
    if (!is_in(static_cast<Reading>(i), subset)) gpu.values[i] = Unavailable{std::string(not_asked)};
  }
  gpu.links.clear();
  gpu.links_problem = not_asked;
  gpu.links_failed = false;
  gpu.processes.clear();
  gpu.processes_problem = not_asked;
  gpu.processes_failed = false;
}

class Recording final : public Source {
 public:
  explicit Recording(Machine machine) : machine_(std::move(machine)) {}

  Machine read(const Question& question) override {
    Machine answer = machine_;
    if (!question.with_host) answer.host = {};
    if (!question.with_network) answer.network = {};
    if (!question.with_gpus) answer.gpus.clear();
    if (!question.gpus.empty()) {
      std::erase_if(answer.gpus, [&question](const Gpu& gpu) {
        return std::ranges::none_of(question.gpus, [&gpu](const GpuId& id) { return is_gpu(gpu, id); });
      });
    }
    for (Gpu& gpu : answer.gpus) keep(gpu, question.subset);
    return answer;
  }

 private:
  Machine machine_;
};

}  // namespace

std::unique_ptr<Source> open_recording(Machine machine) { return std::make_unique<Recording>(std::move(machine)); }

}  // namespace gpucheck::telemetry
