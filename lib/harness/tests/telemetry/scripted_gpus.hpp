#pragma once

#include <functional>
#include <memory>
#include <unistd.h>

#include "harness/telemetry/gpu_watch.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::harness {

using Script = std::function<void(telemetry::Machine&, int answer)>;

inline constexpr telemetry::SamplingPace every_millisecond{.interval = std::chrono::milliseconds(1),
                                                           .patience = std::chrono::milliseconds(1000)};

/// Answers as the scripts say, each from its first answer, which has number 1: one to what is asked before and after a
/// case, and one to what is sampled meanwhile.
class ScriptedSource final : public telemetry::Source {
 public:
  ScriptedSource(Script counters, Script gauges) : counters_(std::move(counters)), gauges_(std::move(gauges)) {
    machine_ = telemetry::stand_in(telemetry::healthy_machine(),
                                   {{telemetry::first_gpu(), 1000}, {telemetry::second_gpu(), 1000}}, ::getpid());
  }
  [[nodiscard]] telemetry::Machine read(const telemetry::Question& question) override {
    telemetry::Machine machine = machine_;
    if (question.subset == telemetry::Subset::gauges) {
      if (gauges_) gauges_(machine, ++gauge_answers_);
    } else if (counters_) {
      counters_(machine, question.subset == telemetry::Subset::counters ? ++counter_answers_ : counter_answers_);
    }
    return machine;
  }

 private:
  telemetry::Machine machine_;
  Script counters_;
  Script gauges_;
  int counter_answers_ = 0;
  int gauge_answers_ = 0;
};

inline std::shared_ptr<GpuWatch> watch_two(Script counters, Script gauges = {}) {
  const auto open = [counters = std::move(counters), gauges = std::move(gauges)] {
    return std::make_unique<ScriptedSource>(counters, gauges);
  };
  return std::make_shared<GpuWatch>(open, std::vector{telemetry::first_gpu(), telemetry::second_gpu()},
                                    every_millisecond);
}

}  // namespace gpucheck::harness
