#include "telemetry/nvml/side_by_side.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::telemetry {
namespace {

using Clock = std::chrono::steady_clock;

/// One GPU: what it is asked, and what it answered. Guarded by the mutex of `Shared`.
struct Line {
  std::optional<Question> asked;  ///< until its thread takes it
  std::uint64_t number = 0;       ///< of the question that it was asked last
  bool is_busy = false;           ///< and has not answered yet
  bool is_silent = false;         ///< it was waited for in vain, and has not answered since
  bool has_ended = false;         ///< its thread
  Machine answer;                 ///< the last
  std::string problem;            ///< why there is none
  std::optional<Gpu> identity;    ///< once it has said which it is
};

/// What the threads have in common; each may outlive the source.
struct Shared {
  OpenGpu open;
  std::mutex mutex;
  std::condition_variable asked;
  std::condition_variable answered;
  std::vector<Line> lines;
  bool stopping = false;
};

/// All that stays known of a GPU that is not asked.
Gpu identity_of(const Gpu& gpu) {
  Gpu identity = silent_gpu(std::string(not_asked));
  for (const Reading reading : {Reading::name, Reading::uuid, Reading::serial, Reading::pci_address,
                                Reading::vbios_version, Reading::board_part_number}) {
    identity[reading] = gpu[reading];
  }
  return identity;
}

std::unique_ptr<Source> open(Shared& shared, unsigned number) {
  OpenedGpu opened = shared.open(number);
  const std::lock_guard lock(shared.mutex);
  if (opened.identity) shared.lines[number].identity = identity_of(*opened.identity);
  shared.answered.notify_all();
  return std::move(opened.source);
}

void serve(const std::shared_ptr<Shared>& shared, unsigned number) {
  std::unique_ptr<Source> source;
  std::unique_lock lock(shared->mutex);
  Line& line = shared->lines[number];
  while (true) {
    shared->asked.wait(lock, [&] { return shared->stopping || line.asked; });
    if (shared->stopping) break;
    const Question question = *std::exchange(line.asked, {});
    lock.unlock();
    Machine answer;
    std::string problem;
    try {
      if (!source) source = open(*shared, number);
      answer = source->read(question);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    lock.lock();
    if (!answer.gpus.empty()) line.identity = identity_of(answer.gpus.front());
    line.answer = std::move(answer);
    line.problem = std::move(problem);
    line.is_busy = line.is_silent = false;
    shared->answered.notify_all();
  }
  lock.unlock();
  source.reset();
  lock.lock();
  line.has_ended = true;
  shared->answered.notify_all();
}

bool is_meant(const Question& question, const Gpu& gpu) {
  return question.gpus.empty() ||
         std::ranges::any_of(question.gpus, [&gpu](const GpuId& id) { return is_gpu(gpu, id); });
}

class SideBySide final : public Source {
 public:
  SideBySide(Machine versions, unsigned count, OpenGpu open, GpuPatience patience)
      : versions_(std::move(versions)), patience_(std::move(patience)), shared_(std::make_shared<Shared>()) {
    shared_->open = std::move(open);
    shared_->lines.resize(count);
    for (unsigned number = 0; number < count; ++number) {
      std::thread([shared = shared_, number] { serve(shared, number); }).detach();
    }
  }
  /// Waits for the threads, as closing the library takes its time, but not for long: one may hang, known or not.
  ~SideBySide() override {
    std::unique_lock lock(shared_->mutex);
    shared_->stopping = true;
    shared_->asked.notify_all();
    constexpr std::chrono::milliseconds moment{300};
    shared_->answered.wait_for(lock, moment, [this] {
      return std::ranges::all_of(shared_->lines, [](const Line& line) { return line.has_ended || line.is_silent; });
    });
  }

  Machine read(const Question& question) override {
    Machine machine = versions_;
    if (question.with_gpus) {
      std::unique_lock lock(shared_->mutex);
      ++number_;
      wait(question, lock);
      collect(question, machine);
    }
    if (question.with_host) machine.host = read_host();
    if (question.with_host && question.with_gpus) name_silent_gpus(machine);
    if (question.with_network) machine.network = read_network_files();
    return machine;
  }

 private:
  /// Whether the GPU is, or may be, one of those that are meant.
  static bool may_be_meant(const Question& question, const Line& line) {
    return !line.identity || is_meant(question, *line.identity);
  }

  /// Those that are free and have not been asked this question: one may still be busy with an earlier one.
  void ask(const Question& question) {
    for (Line& line : shared_->lines) {
      if (line.is_busy || line.number == number_ || !may_be_meant(question, line)) continue;
      // Which GPU it is has to be known first: all of it is asked, whatever GPU is meant.
      line.asked = question;
      line.asked->with_host = line.asked->with_network = false;
      if (!line.identity) line.asked->gpus.clear();
      line.number = number_;
      line.is_busy = true;
    }
    shared_->asked.notify_all();
  }

  /// Whether all GPUs that were asked for by their identity have answered.
  [[nodiscard]] bool has_found_all(const Question& question) const {
    return !question.gpus.empty() && std::ranges::all_of(question.gpus, [this](const GpuId& id) {
      return std::ranges::any_of(shared_->lines, [this, &id](const Line& line) {
        return !line.is_busy && line.number == number_ && line.identity && is_gpu(*line.identity, id);
      });
    });
  }

  /// GPUs that are waited for.
  [[nodiscard]] std::int64_t missing(const Question& question) const {
    if (has_found_all(question)) return 0;
    return std::ranges::count_if(shared_->lines, [&question](const Line& line) {
      return line.is_busy && !line.is_silent && may_be_meant(question, line);
    });
  }

  void wait(const Question& question, std::unique_lock<std::mutex>& lock) {
    const Clock::time_point start = Clock::now();
    while (true) {
      ask(question);
      const std::int64_t left = missing(question);
      if (left == 0) break;
      const int silent = patience_.silent == nullptr ? 0 : patience_.silent->load();
      const Clock::time_point end = start + (left <= silent ? patience_.for_silent : patience_.usual);
      if (shared_->answered.wait_until(lock, end) == std::cv_status::timeout && Clock::now() >= end) break;
    }
    if (has_found_all(question)) return;
    for (Line& line : shared_->lines) line.is_silent = line.is_busy;
  }

  [[nodiscard]] std::string no_answer() const { return no_answer_text(patience_.usual); }

  /// A GPU that is meant, and that none of those that answer is, is taken to be one of those that do not.
  void collect(const Question& question, Machine& machine) const {
    std::int64_t unknown = 0;
    for (const Line& line : shared_->lines) {
      if (!may_be_meant(question, line)) continue;
      if (line.is_busy && !line.identity && !question.gpus.empty()) {
        ++unknown;
      } else if (line.is_busy) {
        machine.gpus.push_back(silent_gpu(no_answer()));
        if (line.identity) take_identity(*line.identity, machine.gpus.back());
      } else if (!line.problem.empty()) {
        if (question.gpus.empty()) machine.gpus.push_back(silent_gpu(line.problem));
      } else {
        std::ranges::copy_if(line.answer.gpus, std::back_inserter(machine.gpus),
                             [&question](const Gpu& gpu) { return is_meant(question, gpu); });
      }
    }
    for (const GpuId& id : question.gpus) {
      if (unknown == 0 || find_gpu(machine, id) != nullptr) continue;
      --unknown;
      Gpu& gpu = machine.gpus.emplace_back(silent_gpu(no_answer()));
      if (!id.uuid.empty()) gpu[Reading::uuid] = id.uuid;
      if (!id.pci_address.empty()) gpu[Reading::pci_address] = id.pci_address;
    }
  }

  static void take_identity(const Gpu& identity, Gpu& gpu) {
    for (std::size_t i = 0; i < reading_count; ++i) {
      if (!is_not_asked(identity.values[i])) gpu.values[i] = identity.values[i];
    }
  }
  static bool is_not_asked(const Value& value) {
    const std::string* const why = problem(value);
    return why != nullptr && *why == not_asked;
  }

  Machine versions_;
  GpuPatience patience_;
  std::shared_ptr<Shared> shared_;
  std::uint64_t number_ = 0;  ///< of the question that is put now
};

}  // namespace

std::unique_ptr<Source> ask_side_by_side(Machine versions, unsigned count, OpenGpu open, GpuPatience patience) {
  return std::make_unique<SideBySide>(std::move(versions), count, std::move(open), std::move(patience));
}

Gpu silent_gpu(const std::string& reason) {
  Gpu gpu;
  gpu.values.fill(Unavailable{.reason = reason, .is_failure = true});
  gpu.links_problem = gpu.processes_problem = gpu.xids_problem = reason;
  gpu.links_failed = gpu.processes_failed = gpu.xids_failed = true;
  return gpu;
}

void name_silent_gpus(Machine& machine) {
  std::vector<std::string> unheard;
  for (const PciGpu& on_bus : machine.host.pci_gpus) {
    const bool is_heard = find_gpu(machine, {.uuid = "", .pci_address = on_bus.address}) != nullptr;
    if (on_bus.driver == "nvidia" && !is_heard) unheard.push_back(on_bus.address);
  }
  const auto is_nameless = [](const Gpu& gpu) { return text(gpu[Reading::pci_address]) == nullptr; };
  if (std::ranges::count_if(machine.gpus, is_nameless) != std::ssize(unheard)) return;
  auto next = unheard.begin();
  for (Gpu& gpu : machine.gpus) {
    if (is_nameless(gpu)) gpu[Reading::pci_address] = *next++;
  }
}

}  // namespace gpucheck::telemetry
