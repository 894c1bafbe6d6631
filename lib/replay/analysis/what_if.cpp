#include "replay/analysis/what_if.hpp"

#include <algorithm>

#include "replay/targets/player.hpp"

namespace gpucheck::replay {

namespace {

class Observer {
 public:
  Observer(const Trace& trace, TraceTarget& target) : trace_(trace), target_(target), player_(trace, target) {
    usage_.reserve(trace.events.size());
  }

  WhatIf run(std::size_t max_samples) {
    player_.play_all([this](std::size_t step, const Player::Step& seen) { record(step, seen); });
    result_.steps = trace_.events.size();
    result_.retry_count = target_.retry_count();
    find_worst_fragmentation();
    sample(std::max<std::size_t>(max_samples, 2));
    player_.free_all();
    result_.remarks = target_.remarks();
    return std::move(result_);
  }

 private:
  /// Half the size of a UsageSample, for one is kept for each step.
  struct Kept {
    std::int64_t allocated_bytes;
    std::int64_t reserved_bytes;
  };

  void record(std::size_t step, const Player::Step& seen) {
    const Event& event = trace_.events[step];
    const Usage usage = target_.usage();
    tells_reserved_ = usage.reserved_bytes.has_value();
    usage_.push_back({usage.allocated_bytes, usage.reserved_bytes.value_or(0)});
    const UsageSample now = at(step);
    if (seen.out_of_memory) {
      note_out_of_memory(now, event.size);
    } else if (event.action == Action::try_allocate || event.expect_out_of_memory) {
      ++result_.rescued_count;
    }
    if (tells_reserved_ && (!result_.peak_reserved || now.reserved_bytes > result_.peak_reserved->reserved_bytes)) {
      result_.peak_reserved = now;
    }
    if (now.allocated_bytes > result_.peak_allocated.allocated_bytes) result_.peak_allocated = now;
  }

  void note_out_of_memory(const UsageSample& now, std::uint64_t size) {
    if (result_.out_of_memory_count++ > 0) return;
    result_.first_out_of_memory = now;
    result_.first_out_of_memory_bytes = size;
  }

  [[nodiscard]] UsageSample at(std::size_t step) const {
    const Kept& kept = usage_[step];
    return {step, kept.allocated_bytes, tells_reserved_ ? std::optional(kept.reserved_bytes) : std::nullopt};
  }

  void find_worst_fragmentation() {
    if (!result_.peak_reserved) return;
    for (std::size_t step = 0; step < usage_.size(); ++step) {
      const UsageSample now = at(step);
      if (2 * *now.reserved_bytes < *result_.peak_reserved->reserved_bytes) continue;
      const bool worse =
          !result_.worst_fragmentation || *now.fragmentation() > *result_.worst_fragmentation->fragmentation();
      if (worse) result_.worst_fragmentation = now;
    }
  }

  void sample(std::size_t max_samples) {
    const std::size_t steps = usage_.size();
    const std::size_t count = std::min(steps, max_samples);
    for (std::size_t i = 1; i <= count; ++i) result_.samples.push_back(at(i * steps / count - 1));
  }

  const Trace& trace_;
  TraceTarget& target_;
  Player player_;
  std::vector<Kept> usage_;
  bool tells_reserved_ = false;
  WhatIf result_;
};

}  // namespace

std::optional<double> UsageSample::fragmentation() const noexcept {
  if (!reserved_bytes) return std::nullopt;
  if (*reserved_bytes <= 0) return 0.0;
  return static_cast<double>(*reserved_bytes - allocated_bytes) / static_cast<double>(*reserved_bytes);
}

WhatIf what_if(const Trace& trace, TraceTarget& target, std::size_t max_samples) {
  return Observer(trace, target).run(max_samples);
}

}  // namespace gpucheck::replay
