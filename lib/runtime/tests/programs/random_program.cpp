#include "runtime/tests/programs/random_program.hpp"

#include <algorithm>

#include "device/check.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

constexpr std::size_t element_count = 64;
constexpr std::size_t variable_count = 16;
constexpr std::size_t stream_count = 4;
constexpr std::size_t max_graphs = 4;

std::vector<device::Stream> some_streams(Runtime& runtime) {
  std::vector<device::Stream> streams;
  for (std::size_t i = 0; i < stream_count; ++i) streams.push_back(runtime.streams().next());
  return streams;
}

}  // namespace

RandomProgram::RandomProgram(Runtime& runtime, std::uint64_t seed)
    : runtime_(runtime), random_(seed), streams_(some_streams(runtime)), draws_(runtime, random_, streams_) {
  for (std::size_t i = 0; i < variable_count; ++i) {
    const device::Stream stream = any_stream();
    variables_.push_back({.memory = Buffer<std::int64_t>(runtime, element_count, stream),
                          .last = stream,
                          .users = {stream},
                          .expected = static_cast<std::int64_t>(i)});
    ops::fill(runtime, variables_.back().memory.data(), element_count, static_cast<std::int64_t>(i), stream);
  }
}

void RandomProgram::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    switch (below(16)) {
      case 0:
        move_variable();
        break;
      case 1:
        capture();
        break;
      case 2:
        break_capture();
        break;
      case 3:
        destroy_graph();
        break;
      case 4:
        wait_for_something();
        break;
      case 5:
      case 6:
      case 7:
        replay();
        break;
      case 8:
      case 9:
      case 10:
      case 11:
        draws_.step();
        break;
      default:
        compute();
    }
  }
}

RandomProgram::Step RandomProgram::any_step() {
  return {.to = below(variable_count),
          .from = below(variable_count),
          .amount = static_cast<std::int64_t>(below(100)),
          .by_temporary = below(2) == 0};
}

void RandomProgram::launch(const Step& step, device::Stream stream) {
  const std::int64_t* from = variables_[step.from].memory.data();
  std::int64_t* to = variables_[step.to].memory.data();
  if (!step.by_temporary) return ops::add(runtime_, from, to, element_count, step.amount, stream);
  Buffer<std::int64_t> between(runtime_, element_count, stream);
  ops::add(runtime_, from, between.data(), element_count, std::int64_t{1}, stream);
  ops::add(runtime_, between.data(), to, element_count, step.amount - 1, stream);
}

void RandomProgram::expect(const Step& step) {
  variables_[step.to].expected = variables_[step.from].expected + step.amount;
}

/// The stream may use the variable from now on.
void RandomProgram::use(Variable& variable, device::Stream stream) {
  order(stream, variable.last);
  variable.last = stream;
  variable.users.insert(stream);
}

void RandomProgram::compute() {
  const device::Stream stream = any_stream();
  const Step step = any_step();
  use(variables_[step.from], stream);
  use(variables_[step.to], stream);
  launch(step, stream);
  expect(step);
}

/// Into new memory of another stream; the allocator keeps the old until all are done with it.
void RandomProgram::move_variable() {
  Variable& variable = variables_[below(variable_count)];
  if (variable.graphs > 0) return;
  const device::Stream stream = any_stream();
  use(variable, stream);
  Buffer<std::int64_t> moved(runtime_, element_count, stream);
  ops::add(runtime_, variable.memory.data(), moved.data(), element_count, std::int64_t{0}, stream);
  for (const device::Stream user : variable.users) runtime_.allocator().record_stream(variable.memory.data(), user);
  variable.memory = std::move(moved);
  variable.users = {stream};
}

void RandomProgram::capture() {
  if (graphs_.size() >= max_graphs) return;
  const device::Stream stream = any_stream();
  const CurrentStreamGuard current(runtime_, stream);
  Captured captured{.graph = std::make_unique<Graph>(runtime_), .steps = {}, .draws = {}, .pool = nullptr};
  if (!graphs_.empty() && below(2) == 0) captured.pool = graphs_[below(graphs_.size())].pool;
  captured.draws = draws_.register_with(*captured.graph);
  captured.graph->capture_begin(captured.pool ? captured.pool->id : PoolId{});
  captured.steps.push_back(any_step());
  launch(captured.steps.back(), stream);
  for (std::size_t i = below(5); i > 0; --i) {
    switch (below(4)) {
      case 0:
        capture_fork(captured, stream);
        break;
      case 1:
        draws_.draw_in_capture(captured.draws, stream, RandomDraws::Branch::origin);
        break;
      default:
        captured.steps.push_back(any_step());
        launch(captured.steps.back(), stream);
    }
  }
  captured.graph->capture_end();
  if (!captured.pool) captured.pool = std::make_shared<Pool>(Pool{.id = captured.graph->pool(), .last = stream});
  for (const Step& step : captured.steps) {
    ++variables_[step.to].graphs;
    ++variables_[step.from].graphs;
  }
  graphs_.push_back(std::move(captured));
}

/// Two steps side by side, on variables of their own.
void RandomProgram::capture_fork(Captured& captured, device::Stream origin) {
  const device::Stream branch = any_stream();
  const std::size_t half = variable_count / 2;
  const Step one{.to = below(half), .from = below(half), .amount = 3, .by_temporary = below(2) == 0};
  const Step other{.to = half + below(half), .from = half + below(half), .amount = 5, .by_temporary = below(2) == 0};
  order(branch, origin);
  launch(one, origin);
  launch(other, branch);
  if (below(2) == 0) draws_.draw_in_capture(captured.draws, branch, RandomDraws::Branch::forked);
  order(origin, branch);
  captured.steps.push_back(one);
  captured.steps.push_back(other);
}

/// A capture that fails changes nothing.
void RandomProgram::break_capture() {
  const device::Stream stream = any_stream();
  const CurrentStreamGuard current(runtime_, stream);
  Graph graph(runtime_);
  RandomDraws::InGraph draws = draws_.register_with(graph);
  graph.capture_begin();
  launch(any_step(), stream);
  draws_.draw_in_capture(draws, stream, RandomDraws::Branch::origin);
  draws_.expect_refusal(draws, stream);
  draws_.before_end(draws);
  if (below(2) == 0) return;  // the graph ends in the middle
  static_cast<void>(runtime_.device().synchronize(stream));
  static_cast<void>(runtime_.device().last_error());
  try {
    graph.capture_end();
  } catch (const device::DeviceError&) {  // as it must be
    return;
  }
  throw Error("a capture that was broken succeeded");
}

void RandomProgram::replay() {
  if (graphs_.empty()) return;
  const Captured& captured = graphs_[below(graphs_.size())];
  const device::Stream stream = any_stream();
  const CurrentStreamGuard current(runtime_, stream);
  // Graphs that share a pool share their temporaries.
  if (captured.pool->replayed) order(stream, captured.pool->last);
  for (const Step& step : captured.steps) {
    use(variables_[step.from], stream);
    use(variables_[step.to], stream);
  }
  draws_.before_replay(captured.draws, stream);
  captured.graph->replay();
  draws_.after_replay(captured.draws);
  captured.pool->last = stream;
  captured.pool->replayed = true;
  for (const Step& step : captured.steps) expect(step);
  ++replays_;
}

void RandomProgram::destroy_graph() {
  if (graphs_.empty()) return;
  const auto chosen = graphs_.begin() + static_cast<std::ptrdiff_t>(below(graphs_.size()));
  for (const Step& step : chosen->steps) {
    --variables_[step.to].graphs;
    --variables_[step.from].graphs;
  }
  draws_.before_end(chosen->draws);
  graphs_.erase(chosen);
}

void RandomProgram::wait_for_something() {
  switch (below(3)) {
    case 0:
      return device::check(runtime_.device().synchronize(any_stream()), "synchronize");
    case 1:
      return device::check(runtime_.device().synchronize(), "synchronize");
    default:
      runtime_.allocator().empty_cache();
  }
}

std::vector<std::int64_t> RandomProgram::results() {
  device::Device& device = runtime_.device();
  device::check(device.synchronize(), "synchronize");
  std::vector<std::int64_t> values;
  for (const Variable& variable : variables_) {
    std::vector<std::int64_t> elements(element_count);
    device::check(device.copy(elements.data(), variable.memory.data(), element_count * sizeof(std::int64_t),
                              device::CopyKind::device_to_host, variable.last),
                  "copy");
    device::check(device.synchronize(variable.last), "synchronize");
    const bool all_equal = std::ranges::count(elements, elements.front()) == static_cast<std::ptrdiff_t>(element_count);
    values.push_back(all_equal ? elements.front() : -1);
  }
  return values;
}

std::vector<std::int64_t> RandomProgram::expected() const {
  std::vector<std::int64_t> values;
  for (const Variable& variable : variables_) values.push_back(variable.expected);
  return values;
}

}  // namespace gpucheck::runtime::test
