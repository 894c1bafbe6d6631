#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/programs/ordering.hpp"
#include "runtime/tests/programs/random_draws.hpp"

namespace gpucheck::runtime::test {

/// A program of the runtime's own doing: kernels on several streams ordered by events,
/// memory that moves from stream to stream, graphs that are captured, forked, broken,
/// replayed and destroyed in pools of their own or shared ones, random numbers drawn in
/// graphs and out of them. The seed alone decides what it does. All it orders is what has to be ordered.
class RandomProgram {
 public:
  RandomProgram(Runtime& runtime, std::uint64_t seed);
  RandomProgram(const RandomProgram&) = delete;
  RandomProgram& operator=(const RandomProgram&) = delete;

  void run(int steps);
  /// What the variables hold, once everything is done: the elements of each have one value.
  [[nodiscard]] std::vector<std::int64_t> results();
  /// What they hold by the same steps, one after the other.
  [[nodiscard]] std::vector<std::int64_t> expected() const;
  /// The random numbers, likewise.
  [[nodiscard]] std::vector<DrawnArray> drawn() { return draws_.results(); }
  [[nodiscard]] int replays() const noexcept { return replays_; }

 private:
  /// One tensor, with whom later work on it must wait for.
  struct Variable {
    Buffer<std::int64_t> memory;
    device::Stream last;             ///< the stream that used it last
    std::set<device::Stream> users;  ///< of this memory
    int graphs = 0;                  ///< that know its address
    std::int64_t expected = 0;
  };
  /// to = from + amount
  struct Step {
    std::size_t to = 0;
    std::size_t from = 0;
    std::int64_t amount = 0;
    bool by_temporary = false;  ///< in two parts, with memory in between that is freed at once
  };
  struct Pool {
    PoolId id;
    device::Stream last;  ///< the stream of the last replay of one of its graphs
    bool replayed = false;
  };
  struct Captured {
    std::unique_ptr<Graph> graph;
    std::vector<Step> steps;
    RandomDraws::InGraph draws;
    std::shared_ptr<Pool> pool;
  };

  std::size_t below(std::size_t limit) { return random_() % limit; }
  device::Stream any_stream() { return streams_[below(streams_.size())]; }
  Step any_step();
  void order(device::Stream later, device::Stream earlier) { test::order(runtime_.device(), later, earlier); }
  void launch(const Step& step, device::Stream stream);
  void expect(const Step& step);
  void use(Variable& variable, device::Stream stream);

  void compute();
  void move_variable();
  void capture();
  void capture_fork(Captured& captured, device::Stream origin);
  void break_capture();
  void replay();
  void destroy_graph();
  void wait_for_something();

  Runtime& runtime_;
  std::mt19937_64 random_;
  std::vector<device::Stream> streams_;
  RandomDraws draws_;
  std::vector<Variable> variables_;
  std::vector<Captured> graphs_;
  int replays_ = 0;
};

}  // namespace gpucheck::runtime::test
