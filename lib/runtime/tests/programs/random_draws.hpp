#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/random/generator.hpp"

namespace gpucheck::runtime::test {

enum class DrawKind { uniforms, normals, integers };

/// Numbers as they lie in memory: two of 32 bits, or one of 64, in each.
using DrawnBits = std::vector<std::int64_t>;

/// What an array holds, and what a generator draws that begins where its numbers should begin.
struct DrawnArray {
  DrawKind kind{};
  DrawnBits drawn;
  DrawnBits expected;
};

/// The random numbers of a random program: several generators, of which some share a state, that are
/// reseeded, moved, saved and restored, and draw into arrays on several streams, directly and in
/// graphs. Follows with which seed and at which offset each array's numbers should begin.
class RandomDraws {
 public:
  /// `random` decides what is done.
  RandomDraws(Runtime& runtime, std::mt19937_64& random, std::vector<device::Stream> streams);
  RandomDraws(const RandomDraws&) = delete;
  RandomDraws& operator=(const RandomDraws&) = delete;

  /// Draws on some stream, or does something to a generator.
  void step();

  /// A state of generators as it should be.
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;
    std::size_t graphs = 0;    ///< registered with it
    device::Stream numbers{};  ///< the stream that its two numbers on the device belong to
    device::Stream last{};     ///< the stream of the last replay that used them, else that one
  };
  using SharedState = std::shared_ptr<State>;
  /// What a graph draws.
  struct InGraph {
    struct Registered {
      SharedState state;
      std::uint64_t increment = 0;  ///< by each replay
    };
    struct Draw {
      std::size_t array = 0;
      std::size_t registered = 0;
      std::uint64_t offset = 0;  ///< from where the replay begins
    };
    std::vector<Registered> registered;
    std::vector<Draw> draws;
  };
  /// The streams of a capture draw into arrays of their own.
  enum class Branch { origin, forked };

  /// Registers some generators with a graph whose capture is to begin next, on the current stream.
  [[nodiscard]] InGraph register_with(Graph& graph);
  /// Draws on a stream of the open capture.
  void draw_in_capture(InGraph& graph, device::Stream stream, Branch branch);
  /// A generator that is not registered draws nothing in the capture of this stream. @throws Error if it does.
  void expect_refusal(const InGraph& graph, device::Stream stream);
  /// Before a replay on that stream, and after it.
  void before_replay(const InGraph& graph, device::Stream stream);
  void after_replay(const InGraph& graph);
  /// Before the graph ends, whether or not it was ever captured.
  void before_end(const InGraph& graph);

  /// Waits for the device.
  [[nodiscard]] std::vector<DrawnArray> results();

 private:
  struct Array {
    DrawKind kind{};
    std::size_t count = 0;
    Buffer<std::int64_t> memory{};
    device::Stream last;          ///< the stream that used it last
    std::uint64_t increment = 0;  ///< of a sequence, by drawing it once
    std::uint64_t seed = 0;       ///< its numbers begin here
    std::uint64_t offset = 0;
  };

  std::size_t below(std::size_t limit) { return random_() % limit; }
  Generator& generator(std::size_t index) { return index == 0 ? default_generator(runtime_) : others_[index - 1]; }
  void draw_directly();
  void change_generator();
  void use(Array& array, device::Stream stream);
  void draw(Array& array, Generator& generator, device::Stream stream);
  [[nodiscard]] DrawnBits read(const Array& array);
  [[nodiscard]] DrawnBits expected_of(Array& array);

  Runtime& runtime_;
  std::mt19937_64& random_;
  std::vector<device::Stream> streams_;
  std::vector<Array> arrays_;
  std::vector<Generator> others_;    ///< all but the default one
  std::vector<SharedState> states_;  ///< of each generator, the default one first
  Generator::StateBytes saved_{};
  State saved_as_;
};

}  // namespace gpucheck::runtime::test
