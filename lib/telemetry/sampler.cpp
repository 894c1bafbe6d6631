#include "telemetry/sampler.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::telemetry {

using Clock = std::chrono::steady_clock;

class Sampler::Pending {
 public:
  Question question;
  bool is_answered = false;
  Machine machine;
  std::exception_ptr problem;
};

/// Guarded by `mutex`, but for what is the thread's own.
struct Sampler::State {
  State(Open open, Pace the_pace) : make_source(std::move(open)), pace(the_pace) {}

  Open make_source;
  Pace pace;
  std::unique_ptr<Source> source;   ///< the thread's own
  std::exception_ptr open_problem;  ///< likewise

  std::mutex mutex;
  std::condition_variable wake;      ///< there is something to do
  std::condition_variable answered;  ///< something is done
  std::deque<std::shared_ptr<Pending>> waiting;
  std::optional<Clock::time_point> busy_since;  ///< with the driver
  bool stopping = false;
  bool stopped = false;

  std::vector<GpuId> sampled;  ///< none: no series goes on
  std::vector<Series> series;
  Clock::time_point began;
  Clock::time_point next_sample;
  std::size_t series_number = 0;  ///< a sample of one that has ended meanwhile is dropped

  /// When the driver will count as stuck, if it is asked something now.
  [[nodiscard]] std::optional<Clock::time_point> stuck_at() const {
    return busy_since ? std::optional(*busy_since + pace.patience) : std::nullopt;
  }
  [[nodiscard]] bool is_stuck() const { return busy_since && Clock::now() >= *stuck_at(); }
  [[nodiscard]] NoAnswer no_answer() const { return NoAnswer(no_answer_text(pace.patience)); }

  void run();

 private:
  Machine ask(const Question& question);
  void answer_next(std::unique_lock<std::mutex>& lock);
  void take_sample(std::unique_lock<std::mutex>& lock);
};

Machine Sampler::State::ask(const Question& question) {
  if (open_problem) std::rethrow_exception(open_problem);
  try {
    if (!source) source = make_source();
  } catch (...) {
    open_problem = std::current_exception();
    throw;
  }
  return source->read(question);
}

void Sampler::State::answer_next(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Pending> pending = std::move(waiting.front());
  waiting.pop_front();
  busy_since = Clock::now();
  lock.unlock();
  Machine machine;
  std::exception_ptr problem;
  try {
    machine = ask(pending->question);
  } catch (...) {
    problem = std::current_exception();
  }
  lock.lock();
  busy_since.reset();
  pending->machine = std::move(machine);
  pending->problem = problem;
  pending->is_answered = true;
  answered.notify_all();
}

void Sampler::State::take_sample(std::unique_lock<std::mutex>& lock) {
  const Question question{.subset = Subset::gauges, .gpus = sampled};
  const std::size_t number = series_number;
  next_sample = Clock::now() + pace.interval;
  busy_since = Clock::now();
  lock.unlock();
  Machine machine;
  std::string problem;
  try {
    machine = ask(question);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  lock.lock();
  busy_since.reset();
  answered.notify_all();
  if (number != series_number) return;
  const double at_ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Gpu* const gpu = find_gpu(machine, question.gpus[i]);
    if (gpu != nullptr) {
      series[i].add(sample_of(*gpu, at_ms));
    } else {
      series[i].add_problem(problem.empty() ? "the driver has no such GPU" : problem);
    }
  }
}

void Sampler::State::run() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    if (!waiting.empty()) {
      answer_next(lock);
    } else if (sampled.empty()) {
      wake.wait(lock);
    } else if (Clock::now() >= next_sample) {
      take_sample(lock);
    } else {
      wake.wait_until(lock, next_sample);
    }
  }
  // Closing a driver's library may take its time, too.
  const std::unique_ptr<Source> last = std::move(source);
  lock.unlock();
}

Sampler::Sampler(Open open, Pace pace) : state_(std::make_shared<State>(std::move(open), pace)) {
  std::thread([state = state_] {
    state->run();
    const std::lock_guard lock(state->mutex);
    state->stopped = true;
    state->answered.notify_all();
  }).detach();
}

Sampler::~Sampler() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->wake.notify_all();
  const bool known_to_hang = state_->is_stuck();
  state_->answered.wait_for(lock, known_to_hang ? std::chrono::milliseconds(0) : state_->pace.patience,
                            [this] { return state_->stopped; });
}

std::shared_ptr<Sampler::Pending> Sampler::put(Question question) {
  auto pending = std::make_shared<Pending>();
  pending->question = std::move(question);
  const std::lock_guard lock(state_->mutex);
  if (state_->is_stuck()) {
    pending->problem = std::make_exception_ptr(state_->no_answer());
    pending->is_answered = true;
    return pending;
  }
  state_->waiting.push_back(pending);
  state_->wake.notify_all();
  return pending;
}

Machine Sampler::answer(const std::shared_ptr<Pending>& pending) {
  std::unique_lock lock(state_->mutex);
  const Clock::time_point end = Clock::now() + state_->pace.patience;
  while (!pending->is_answered) {
    // A driver that is stuck has been waited for already, by whoever came first.
    if (state_->is_stuck() || Clock::now() >= end) {
      std::erase(state_->waiting, pending);
      throw state_->no_answer();
    }
    state_->answered.wait_until(lock, std::min(end, state_->stuck_at().value_or(end)));
  }
  if (pending->problem) std::rethrow_exception(pending->problem);
  return pending->machine;
}

void Sampler::begin(std::vector<GpuId> gpus) {
  const std::lock_guard lock(state_->mutex);
  ++state_->series_number;
  state_->series.assign(gpus.size(), {});
  state_->sampled = std::move(gpus);
  state_->began = state_->next_sample = Clock::now();
  state_->wake.notify_all();
}

void Sampler::end() {
  const std::lock_guard lock(state_->mutex);
  state_->sampled.clear();
}

std::vector<Series> Sampler::series() const {
  const std::lock_guard lock(state_->mutex);
  return state_->series;
}

}  // namespace gpucheck::telemetry
