#include "runtime/tests/programs/random_draws.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/tests/programs/ordering.hpp"
#include "tensor/random/distributions.hpp"
#include "tensor/random/integers.hpp"

namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

constexpr std::size_t generator_count = 4;
/// Large enough that on a small device each sequence gives more than four numbers.
constexpr std::size_t large_count = 20'000;
constexpr std::size_t programs_to_a_large_array = 16;

struct Shape {
  DrawKind kind;
  std::size_t count;
};
/// Those with even places belong to a capture's origin, the others to its branches.
constexpr std::array shapes = {Shape{DrawKind::uniforms, 64}, Shape{DrawKind::normals, 64},
                               Shape{DrawKind::integers, 64}, Shape{DrawKind::uniforms, 1000},
                               Shape{DrawKind::normals, 6},   Shape{DrawKind::integers, 1000}};

constexpr std::size_t words_of(const Shape& shape) {
  return shape.kind == DrawKind::integers ? shape.count : shape.count / 2;
}

}  // namespace

RandomDraws::RandomDraws(Runtime& runtime, std::mt19937_64& random, std::vector<device::Stream> streams)
    : runtime_(runtime), random_(random), streams_(std::move(streams)) {
  for (std::size_t i = 0; i < generator_count; ++i) {
    if (i > 0) others_.emplace_back(runtime);
    generator(i).manual_seed(i);
    states_.push_back(std::make_shared<State>(State{.seed = i}));
  }
  saved_ = generator(0).state();
  saved_as_ = *states_[0];
  const bool is_large = below(programs_to_a_large_array) == 0;
  for (Shape shape : shapes) {
    if (is_large && shape.kind == DrawKind::normals && arrays_.size() < 2) shape.count = large_count;
    const device::Stream stream = streams_[below(streams_.size())];
    Array array{.kind = shape.kind, .count = shape.count, .last = stream, .seed = arrays_.size()};
    array.memory = Buffer<std::int64_t>(runtime, words_of(shape), stream);
    Generator first(runtime, array.seed);
    draw(array, first, stream);
    array.increment = first.offset();
    arrays_.push_back(std::move(array));
  }
}

/// On a stream that may use the array.
void RandomDraws::draw(Array& array, Generator& generator, device::Stream stream) {
  const CurrentStreamGuard current(runtime_, stream);
  auto* const floats = reinterpret_cast<float*>(array.memory.data());
  switch (array.kind) {
    case DrawKind::uniforms:
      return ops::uniform(generator, floats, array.count);
    case DrawKind::normals:
      return ops::normal(generator, floats, array.count);
    case DrawKind::integers:
      return ops::random(generator, array.memory.data(), array.count, -1000, 5'000'000'000);
  }
}

void RandomDraws::use(Array& array, device::Stream stream) {
  order(runtime_.device(), stream, array.last);
  array.last = stream;
}

void RandomDraws::step() {
  if (below(3) == 0) {
    change_generator();
  } else {
    draw_directly();
  }
}

void RandomDraws::draw_directly() {
  Array& array = arrays_[below(arrays_.size())];
  const std::size_t chosen = below(generator_count);
  const device::Stream stream = streams_[below(streams_.size())];
  use(array, stream);
  draw(array, generator(chosen), stream);
  State& state = *states_[chosen];
  array.seed = state.seed;
  array.offset = std::exchange(state.offset, state.offset + array.increment);
}

void RandomDraws::change_generator() {
  const std::size_t chosen = below(generator_count);
  const std::size_t other = below(generator_count);
  State& state = *states_[chosen];
  switch (below(6)) {
    case 0:
      state.seed = random_();
      state.offset = 0;
      return generator(chosen).manual_seed(state.seed);
    case 1:
      state.offset = 4 * below(1'000);
      return generator(chosen).set_offset(state.offset);
    case 2:
      saved_ = generator(chosen).state();
      saved_as_ = state;
      return;
    case 3:
      state.seed = saved_as_.seed;
      state.offset = saved_as_.offset;
      return generator(chosen).set_state(saved_);
    case 4:
      generator(chosen).graphsafe_set_state(generator(other).graphsafe_state());
      states_[chosen] = states_[other];
      return;
    default:
      generator(chosen).graphsafe_set_state(generator(other).clone());
      states_[chosen] = std::make_shared<State>(State{.seed = states_[other]->seed, .offset = states_[other]->offset});
  }
}

/// Beside the default one, which the capture registers itself.
RandomDraws::InGraph RandomDraws::register_with(Graph& graph) {
  InGraph in_graph;
  for (std::size_t i = 0; i < generator_count; ++i) {
    if (i > 0 && below(2) == 0) continue;
    if (i > 0) graph.register_generator_state(generator(i));
    const SharedState& state = states_[i];
    if (std::ranges::find(in_graph.registered, state, &InGraph::Registered::state) != in_graph.registered.end())
      continue;
    if (state->graphs++ == 0) state->numbers = state->last = runtime_.current_stream();
    in_graph.registered.push_back({state});
  }
  return in_graph;
}

void RandomDraws::draw_in_capture(InGraph& graph, device::Stream stream, Branch branch) {
  std::vector<std::size_t> able;
  const auto place_of = [&](std::size_t index) {
    const auto found = std::ranges::find(graph.registered, states_[index], &InGraph::Registered::state);
    return static_cast<std::size_t>(found - graph.registered.begin());
  };
  for (std::size_t i = 0; i < generator_count; ++i) {
    if (place_of(i) < graph.registered.size()) able.push_back(i);
  }
  const std::size_t chosen = able[below(able.size())];
  const std::size_t array = 2 * below(arrays_.size() / 2) + (branch == Branch::forked ? 1 : 0);
  draw(arrays_[array], generator(chosen), stream);
  const std::size_t place = place_of(chosen);
  std::uint64_t& drawn = graph.registered[place].increment;
  graph.draws.push_back({.array = array, .registered = place, .offset = drawn});
  drawn += arrays_[array].increment;
}

void RandomDraws::expect_refusal(const InGraph& graph, device::Stream stream) {
  for (std::size_t i = 0; i < generator_count; ++i) {
    if (std::ranges::find(graph.registered, states_[i], &InGraph::Registered::state) != graph.registered.end())
      continue;
    try {
      draw(arrays_[0], generator(i), stream);
    } catch (const device::DeviceError&) {
      throw;
    } catch (const Error&) {  // as it must be
      continue;
    }
    throw Error("a generator that is not registered with a graph drew in its capture");
  }
}

void RandomDraws::before_replay(const InGraph& graph, device::Stream stream) {
  for (const InGraph::Registered& registered : graph.registered) {
    if (registered.increment == 0) continue;
    // Graphs of one state share the two numbers on the device that each replay sets.
    order(runtime_.device(), stream, std::exchange(registered.state->last, stream));
  }
  for (const InGraph::Draw& drawn : graph.draws) use(arrays_[drawn.array], stream);
}

void RandomDraws::after_replay(const InGraph& graph) {
  for (const InGraph::Draw& drawn : graph.draws) {
    const State& state = *graph.registered[drawn.registered].state;
    arrays_[drawn.array].seed = state.seed;
    arrays_[drawn.array].offset = state.offset + drawn.offset;
  }
  for (const InGraph::Registered& registered : graph.registered) registered.state->offset += registered.increment;
}

/// The last graph of a state gives the two numbers back, to the stream that they belong to.
void RandomDraws::before_end(const InGraph& graph) {
  for (const InGraph::Registered& registered : graph.registered) {
    State& state = *registered.state;
    if (--state.graphs == 0) order(runtime_.device(), state.numbers, state.last);
  }
}

DrawnBits RandomDraws::read(const Array& array) {
  device::Device& device = runtime_.device();
  DrawnBits bits(array.memory.size());
  device::check(device,
                device.copy(bits.data(), array.memory.data(), array.memory.size_bytes(),
                            device::CopyKind::device_to_host, array.last),
                "copy");
  device::check(device, device.synchronize(array.last), "synchronize");
  return bits;
}

/// Drawn again, directly, by a generator that nobody else has.
DrawnBits RandomDraws::expected_of(Array& array) {
  Generator again(runtime_, array.seed);
  again.set_offset(array.offset);
  draw(array, again, array.last);
  return read(array);
}

std::vector<DrawnArray> RandomDraws::results() {
  device::check(runtime_.device(), runtime_.device().synchronize(), "synchronize");
  std::vector<DrawnArray> found;
  for (Array& array : arrays_) {
    const DrawnBits drawn = read(array);
    found.push_back({.kind = array.kind, .drawn = drawn, .expected = expected_of(array)});
  }
  return found;
}

}  // namespace gpucheck::runtime::test
