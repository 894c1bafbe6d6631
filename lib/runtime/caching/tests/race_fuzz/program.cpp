#include "program.hpp"

#include <fmt/format.h>
#include <mutex>
#include <ostream>
#include <thread>

#include "device/sim/sim_driver.hpp"
#include "worker.hpp"

namespace gpucheck::runtime::race_fuzz {

namespace ops = tensor::ops;
namespace {

/// The machine that one program runs on, and its threads.
class Program {
 public:
  Program(const Variant& variant, std::uint64_t seed, bool with_log)
      : variant_(variant),
        driver_(sim::make_driver({.profile = sim::profile(variant.profile), .seed = seed})),
        device_(driver_->open(0).value()),
        runtime_(std::make_unique<Runtime>(*device_)) {
    runtime_->caching_allocator().set_settings(variant.settings);
    runtime_->caching_allocator().set_memory_fraction(variant.memory_fraction);
    for (std::size_t i = 0; i < variant.threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(*runtime_, variant, seed * 64 + i, mailbox_, with_log));
    }
  }

  Outcome run(std::size_t steps) {
    try {
      work(steps);
      judge();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    return std::move(outcome_);
  }

 private:
  void fail(std::string text) {
    const std::scoped_lock lock(mutex_);
    outcome_.failures.push_back(std::move(text));
  }

  void work(std::size_t steps) {
    if (workers_.size() == 1) {
      workers_[0]->run(steps);
    } else {
      work_side_by_side(steps);
    }
    for (const auto& worker : workers_) worker->finish();
  }

  void work_side_by_side(std::size_t steps) {
    std::vector<std::jthread> threads;
    for (const auto& worker : workers_) {
      threads.emplace_back([this, steps, &worker] {
        try {
          worker->run(steps);
        } catch (const std::exception& error) {
          fail(error.what());
        }
      });
    }
  }

  void judge() {
    for (const auto& worker : workers_) {
      const ops::Tally found = worker->verified();
      outcome_.coverage.add(worker->coverage());
      outcome_.coverage.reads_verified += found.verified;
      outcome_.log.insert(outcome_.log.end(), worker->log().begin(), worker->log().end());
      if (found.wrong > 0) fail(fmt::format("{} of {} elements read were wrong", found.wrong, found.verified));
    }
    for (const sim::Race& race : driver_->races()) fail(race.description);
    judge_statistics();
  }

  void judge_statistics() {
    runtime_->caching_allocator().empty_cache();
    const MemoryStatistics stats = runtime_->caching_allocator().stats();
    outcome_.coverage.retries += static_cast<std::uint64_t>(stats.num_alloc_retries);
    outcome_.coverage.segments_freed += static_cast<std::uint64_t>(stats.num_device_free);
    for (const PoolStatistic* statistic :
         {&stats.allocation, &stats.active, &stats.allocated_bytes, &stats.active_bytes, &stats.requested_bytes,
          &stats.inactive_split, &stats.inactive_split_bytes, &stats.segment, &stats.reserved_bytes}) {
      if (statistic->all.current != 0) fail(fmt::format("a statistic is {} at the end", statistic->all.current));
    }
  }

  const Variant& variant_;
  std::unique_ptr<sim::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<Runtime> runtime_;
  Mailbox mailbox_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  Outcome outcome_;
};

}  // namespace

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

void Coverage::add(const Coverage& other) noexcept {
  reads_verified += other.reads_verified;
  uses_on_other_streams += other.uses_on_other_streams;
  blocks_reused += other.blocks_reused;
  frees_deferred += other.frees_deferred;
  blocks_passed_on += other.blocks_passed_on;
  captures += other.captures;
  replays += other.replays;
  retries += other.retries;
  shortages += other.shortages;
  segments_freed += other.segments_freed;
}

Outcome run_program(const Variant& variant, std::uint64_t seed, std::size_t steps, bool with_log) {
  return Program(variant, seed, with_log).run(steps);
}

}  // namespace gpucheck::runtime::race_fuzz
