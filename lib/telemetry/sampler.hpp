#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "telemetry/series.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {

/// Thrown to who has waited long enough for a driver.
class NoAnswer : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

struct SamplingPace {
  std::chrono::milliseconds interval{100};   ///< between two samples of a series
  std::chrono::milliseconds patience{5000};  ///< how long an answer is waited for
};

/// Asks a source on a thread of its own, which alone may wait for the driver: who asks waits a bounded time. While a
/// question is stuck no further one is put, and who asks hears that at once. A thread that never comes back is left
/// behind; the process can end all the same. All methods may be called by any thread.
class Sampler {
 public:
  /// Makes the source; called once, on the thread, before the first question. May throw: each question then does.
  using Open = std::function<std::unique_ptr<Source>()>;
  using Pace = SamplingPace;
  /// A question that was put.
  class Pending;

  explicit Sampler(Open open, Pace pace = {});
  /// Waits for the question under way, but no longer than its patience.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Puts a question and waits for nothing.
  [[nodiscard]] std::shared_ptr<Pending> put(Question question);
  /// @throws NoAnswer after the patience, or at once where the driver is known to be stuck; what the source threw.
  [[nodiscard]] Machine answer(const std::shared_ptr<Pending>& pending);
  [[nodiscard]] Machine read(Question question = {}) { return answer(put(std::move(question))); }

  /// Begins a series for each of these GPUs anew, the first sample at once; ends what was begun before.
  void begin(std::vector<GpuId> gpus);
  /// Takes no further sample.
  void end();
  /// The series of each GPU that was begun, in their order, as far as it has come.
  [[nodiscard]] std::vector<Series> series() const;

 private:
  struct State;

  std::shared_ptr<State> state_;  ///< shared with the thread, which may outlive this
};

}  // namespace gpucheck::telemetry
