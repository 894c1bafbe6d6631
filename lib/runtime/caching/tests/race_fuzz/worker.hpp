#pragma once

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <span>

#include "program.hpp"
#include "runtime/graphs/graph.hpp"
#include "work.hpp"

namespace gpucheck::runtime::race_fuzz {

namespace ops = tensor::ops;

/// Blocks on their way from one thread to another. Thread-safe.
class Mailbox {
 public:
  void put(Block block);
  std::optional<Block> take();

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

/// One host thread of a program: random actions, each of them correctly ordered.
class Worker {
 public:
  Worker(Runtime& runtime, const Variant& variant, std::uint64_t seed, Mailbox& mailbox, bool with_log);

  void run(std::size_t steps);
  /// Gives everything up, as a program has to at its end.
  void finish();

  [[nodiscard]] ops::Tally verified() { return work_.verified(); }
  [[nodiscard]] const Coverage& coverage() const noexcept { return coverage_; }
  [[nodiscard]] std::vector<std::string>& log() noexcept { return log_; }

 private:
  /// A graph and what belongs to it. Its memory is touched on the replaying stream only.
  struct Captured {
    std::unique_ptr<Graph> graph;
    device::Stream captured_on;
    device::Stream replayed_on;
    std::vector<Block> outputs;  ///< allocated while capturing and kept
    std::vector<Block> inputs;   ///< read by the graph: not to be freed or written
    bool replayed = false;
  };

  // -- worker.cpp
  [[nodiscard]] std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  [[nodiscard]] bool one_in(std::uint64_t times) { return draw(times) == 0; }
  [[nodiscard]] device::Stream any_stream() { return work_.streams()[draw(work_.streams().size())]; }
  [[nodiscard]] Block& any_block() { return live_[draw(live_.size())]; }
  [[nodiscard]] std::uint64_t any_size();
  void note(std::string text);
  void step();
  void act();
  std::optional<Block> try_allocate(std::uint64_t bytes, device::Stream stream);
  void allocate();
  void use();
  void copy();
  void record_some(Block& block);
  void free(std::size_t index);
  void make_known(Block& block);
  void free(Block& block);
  void pass_on();
  void fetch();
  void pause();

  // -- captures.cpp
  void capture();
  void capture_body(Captured& captured, device::Stream forked);
  void capture_last_use(Block& block, device::Stream capturing, device::Stream forked);
  void capture_fork(Block& block, device::Stream capturing, device::Stream forked);
  void act_beside_capture(std::span<const device::Stream> capturing);
  void replay(Captured& captured);
  void drop(std::size_t index);

  Runtime& runtime_;
  CachingAllocator& allocator_;
  const Variant& variant_;
  Mailbox& mailbox_;
  Work work_;
  std::mt19937_64 random_;
  std::vector<Block> live_;
  std::vector<Captured> graphs_;
  std::set<const void*> freed_;
  Coverage coverage_;
  bool with_log_;
  std::vector<std::string> log_;
};

}  // namespace gpucheck::runtime::race_fuzz
