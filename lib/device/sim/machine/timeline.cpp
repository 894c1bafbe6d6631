#include "device/sim/machine/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/splitmix.hpp"
#include "device/sim/time/costs.hpp"

namespace gpucheck::sim {

using device::Status;

namespace {

thread_local bool host_function_on_this_thread = false;
thread_local std::uint64_t call_of_this_thread = 0;

/// What an operation is to whoever looks at a device; nothing for what only the simulator
/// has.
std::optional<device::ActivityKind> kind_of(const Action& action) {
  if (is_kernel(action)) return device::ActivityKind::kernel;
  if (std::holds_alternative<CopyBytes>(action)) return device::ActivityKind::copy;
  if (std::holds_alternative<FillBytes>(action)) return device::ActivityKind::fill;
  if (std::holds_alternative<CallHost>(action)) return device::ActivityKind::host_function;
  return std::nullopt;
}

std::uint64_t bytes_of(const Action& action) {
  if (const auto* copy = std::get_if<CopyBytes>(&action)) return copy->bytes;
  if (const auto* fill = std::get_if<FillBytes>(&action)) return fill->bytes;
  return 0;
}

}  // namespace

void Timeline::belongs_to(std::uint64_t call) noexcept { call_of_this_thread = call; }

std::vector<device::Activity> Timeline::take_activities() {
  std::vector<device::Activity> taken = activities_ ? std::move(*activities_) : std::vector<device::Activity>{};
  activities_.reset();
  return taken;
}

void Timeline::keep(const Operation& operation) {
  const std::optional<device::ActivityKind> kind = kind_of(operation.work->action);
  if (!activities_ || !kind) return;
  activities_->push_back({.kind = *kind,
                          .name = std::string(operation.work->name),
                          .device = operation.context->default_stream.device,
                          .stream = operation.actor.stream.value,
                          .start_ns = operation.start_ns,
                          .end_ns = operation.actor.finish_ns,
                          .bytes = bytes_of(operation.work->action),
                          .call = operation.call});
}

bool Timeline::inside_host_function() noexcept { return host_function_on_this_thread; }

bool Timeline::later(const Pending& a, const Pending& b) noexcept {
  return std::pair(a.finish_ns, a.sequence) > std::pair(b.finish_ns, b.sequence);
}

std::uint64_t Timeline::random() noexcept { return splitmix(splitmix(seed_) + ++draws_); }

void Timeline::advance(std::uint64_t nanoseconds) {
  now_ns_ += nanoseconds;
  run_due(HostFunctions::leave);
}

void Timeline::poll() {
  // A host function that waits for a lock of the caller's must not keep the caller here.
  constexpr std::chrono::milliseconds patience{50};
  run_due(HostFunctions::start);
  while (calling_ && idle_.wait_for(mutex_, patience, [this] { return !calling_; })) run_due(HostFunctions::start);
}

void Timeline::wait_until(std::uint64_t time_ns) {
  now_ns_ = std::max(now_ns_, time_ns);
  run_due(HostFunctions::start);
  while (calling_) {
    idle_.wait(mutex_, [this] { return !calling_; });
    run_due(HostFunctions::start);
  }
}

std::uint64_t Timeline::reached_ns() const noexcept {
  std::uint64_t reached = now_ns_;
  if (calling_) reached = std::min(reached, calling_finish_ns_ - 1);
  if (!pending_.empty()) reached = std::min(reached, pending_.front().finish_ns - 1);
  return reached;
}

void Timeline::host_learns(const VectorClock& clock) {
  host_clock_.join(clock);
  ++host_epoch_;
  races_.forget_known(host_clock_);
}

bool Timeline::forget_past() noexcept {
  if (calling_ || !pending_.empty()) return false;
  races_.forget_all();
  host_clock_.clear();
  return true;
}

void Timeline::run_due(HostFunctions host_functions) {
  while (!calling_ && !pending_.empty() && pending_.front().finish_ns <= now_ns_) {
    const bool is_call = std::holds_alternative<CallHost>(pending_.front().operation->work->action);
    if (is_call && host_functions == HostFunctions::leave) return;
    std::pop_heap(pending_.begin(), pending_.end(), later);
    const auto operation = std::move(pending_.back().operation);
    pending_.pop_back();
    if (operation->context->sticky != Status::success) continue;
    keep(*operation);
    if (is_call) {
      start_host_function(*operation);
    } else {
      perform(*operation);
    }
  }
}

void Timeline::perform(const Operation& operation) {
  if (operation.source && operation.source->host_writes == world_.host_writes) {
    const auto& copy = std::get<CopyBytes>(operation.work->action);
    if (digest(copy.source, copy.bytes) != operation.source->digest) {
      races_.host_write(operation.actor, copy.source, copy.bytes);
    }
  }
  operation.context->sticky = execute(world_, *operation.context, *operation.work);
}

void Timeline::start_host_function(const Operation& operation) {
  calling_ = true;
  calling_finish_ns_ = operation.actor.finish_ns;
  ++world_.host_writes;
  host_thread_ = std::jthread([this, call = std::get<CallHost>(operation.work->action)] {
    host_function_on_this_thread = true;
    call.function(call.argument);
    const std::lock_guard lock(mutex_);
    calling_ = false;
    idle_.notify_all();
  });
}

void Timeline::step(StreamState& stream) { stream.clock.advance({stream.component, ++stream.epoch}); }

Point Timeline::before_next(const Context& context, const StreamState& stream) const {
  const StreamState& legacy = context.default_stream;
  Point point{stream.ready_ns, stream.clock};
  if (&stream == &legacy) {
    for (const StreamState* other : context.blocking_streams) point.join(other->ready_ns, other->clock);
    point.join(context.retired_blocking.ready_ns, context.retired_blocking.clock);
  } else if (stream.kind == device::StreamKind::blocking) {
    point.join(legacy.ready_ns, legacy.clock);
  }
  point.clock.join(host_clock_);
  return point;
}

// The same as `before_next`, of which it keeps the result, without looking again at what
// has not changed. Blocking streams take over whatever the default stream has taken over:
// so that must be what its last operation came after, and nothing since.
void Timeline::order(Context& context, StreamState& stream) {
  StreamState& legacy = context.default_stream;
  if (&stream == &legacy) {
    for (StreamState* other : context.blocking_streams) {
      if (other->epoch == other->epoch_joined_by_legacy) continue;
      other->epoch_joined_by_legacy = other->epoch;
      stream.ready_ns = std::max(stream.ready_ns, other->ready_ns);
      stream.clock.join(other->clock);
    }
    stream.ready_ns = std::max(stream.ready_ns, context.retired_blocking.ready_ns);
    stream.clock.join(context.retired_blocking.clock);
    context.retired_blocking = {};
  } else if (stream.kind == device::StreamKind::blocking && stream.legacy_epoch_joined != legacy.epoch) {
    stream.legacy_epoch_joined = legacy.epoch;
    stream.ready_ns = std::max(stream.ready_ns, legacy.ready_ns);
    stream.clock.join(legacy.clock);
  }
  if (stream.host_epoch_joined != host_epoch_) {
    stream.host_epoch_joined = host_epoch_;
    stream.clock.join(host_clock_);
  }
}

std::optional<Timeline::Operation::Source> Timeline::watch(const Work& work) const {
  const auto* copy = std::get_if<CopyBytes>(&work.action);
  if (copy == nullptr || !copy->staged.empty()) return std::nullopt;
  if (!world_.host.contains({reinterpret_cast<std::uintptr_t>(copy->source), copy->bytes})) return std::nullopt;
  return Operation::Source{digest(copy->source, copy->bytes), world_.host_writes};
}

/// Puts one operation on the timeline.
void Timeline::submit_until(std::uint64_t finish_ns, Context& context, const StreamState& stream,
                            const WorkPointer& work, std::uint64_t start_ns, Stamp stamp, const VectorClock& knows) {
  const Actor actor{
      .name = work->name, .stream = stream.handle, .sequence = ++sequence_, .finish_ns = finish_ns, .stamp = stamp};
  for (const device::MemoryAccess& access : work->accesses) races_.access(actor, knows, access);
  pending_.push_back({.finish_ns = actor.finish_ns,
                      .sequence = actor.sequence,
                      .operation = std::make_unique<const Operation>(Operation{.actor = actor,
                                                                               .context = &context,
                                                                               .work = work,
                                                                               .start_ns = start_ns,
                                                                               .call = call_of_this_thread,
                                                                               .source = watch(*work)})});
  std::push_heap(pending_.begin(), pending_.end(), later);
}

/// The same, and returns when it finishes.
std::uint64_t Timeline::submit(Context& context, const StreamState& stream, const WorkPointer& work,
                               std::uint64_t start_ns, Stamp stamp, const VectorClock& knows) {
  const std::uint64_t spread = 1 + random() % (1 + work->duration_ns / 8);
  const std::uint64_t finish_ns = start_ns + work->duration_ns + spread;
  submit_until(finish_ns, context, stream, work, start_ns, stamp, knows);
  return finish_ns;
}

void Timeline::enqueue(Context& context, StreamState& stream, const WorkPointer& work) {
  order(context, stream);
  step(stream);
  const std::uint64_t earliest = now_ns_ + costs::launch_latency_ns + random() % costs::launch_jitter_ns;
  stream.ready_ns = submit(context, stream, work, std::max(stream.ready_ns, earliest), {stream.component, stream.epoch},
                           stream.clock);
}

// Who has taken part knows that all had come so far, and nothing of how far the others have got since.
void Timeline::enqueue_together(std::span<const Participant> participants) {
  std::uint64_t start_ns = now_ns_ + costs::launch_latency_ns + random() % costs::launch_jitter_ns;
  std::uint64_t duration_ns = 0;
  VectorClock arrived;
  for (const Participant& participant : participants) {
    order(*participant.context, *participant.stream);
    start_ns = std::max(start_ns, participant.stream->ready_ns);
    duration_ns = std::max(duration_ns, participant.work->duration_ns);
    arrived.join(participant.stream->clock);
  }
  const std::uint64_t finish_ns = start_ns + duration_ns + 1 + random() % (1 + duration_ns / 8);
  for (const auto& [context, stream, work] : participants) {
    stream->clock.join(arrived);
    step(*stream);
    submit_until(finish_ns, *context, *stream, work, start_ns, {stream->component, stream->epoch}, stream->clock);
    stream->ready_ns = finish_ns;
  }
}

namespace {

/// The event that a graph's node records or waits for; null for other work, and when it is gone.
template <typename EventAction>
EventState* event_of(const Work& work, const Events& events) {
  const auto* action = std::get_if<EventAction>(&work.action);
  return action == nullptr ? nullptr : events.find(action->event);
}

bool is_event_node(const Work& work) noexcept {
  return std::holds_alternative<RecordEvent>(work.action) || std::holds_alternative<WaitEvent>(work.action);
}

}  // namespace

void Timeline::launch(Context& context, StreamState& stream, Executable& executable, const Events& events) {
  order(context, stream);
  stream.clock.join(executable.clock);
  step(stream);
  const std::uint64_t earliest = now_ns_ + costs::launch_latency_ns + random() % costs::launch_jitter_ns;
  const std::uint64_t launch_ns = std::max({stream.ready_ns, executable.ready_ns, earliest});
  const VectorClock launched = stream.clock;
  std::vector<std::uint64_t> finish_ns;
  std::vector<VectorClock> clocks;
  std::uint64_t ready_ns = launch_ns;
  for (const ExecutableStep& step : executable.steps) {
    std::uint64_t start_ns = launch_ns;
    VectorClock clock = launched;
    for (const NodeIndex dependency : step.node.dependencies) {
      start_ns = std::max(start_ns, finish_ns[dependency]);
      clock.join(clocks[dependency]);
    }
    const Work& work = *step.node.work;
    if (const EventState* awaited = event_of<WaitEvent>(work, events); awaited != nullptr && awaited->recorded) {
      start_ns = std::max(start_ns, awaited->complete_ns);
      clock.join(awaited->clock);
    }
    const Stamp stamp{executable.branches[step.branch], ++executable.epoch};
    clock.advance(stamp);
    if (is_event_node(work)) {
      finish_ns.push_back(start_ns + costs::event_ns);
    } else {
      const std::uint64_t delay = random() % costs::launch_jitter_ns;
      finish_ns.push_back(submit(context, stream, step.node.work, start_ns + delay, stamp, clock));
    }
    if (EventState* recorded = event_of<RecordEvent>(work, events)) {
      *recorded = {.device = recorded->device,
                   .kind = recorded->kind,
                   .recorded = true,
                   .complete_ns = finish_ns.back(),
                   .clock = clock};
    }
    ready_ns = std::max(ready_ns, finish_ns.back());
    if (step.is_leaf) stream.clock.join(clock);
    clocks.push_back(std::move(clock));
  }
  stream.ready_ns = executable.ready_ns = ready_ns;
  executable.clock = stream.clock;
}

void Timeline::upload(Context& context, StreamState& stream, Executable& executable) {
  order(context, stream);
  stream.clock.join(executable.clock);
  step(stream);
  const std::uint64_t start_ns = std::max({stream.ready_ns, executable.ready_ns, now_ns_ + costs::launch_latency_ns});
  stream.ready_ns = start_ns + costs::upload_ns;
  executable.ready_ns = stream.ready_ns;
  executable.clock = stream.clock;
}

void Timeline::record(Context& context, StreamState& stream, EventState& event) {
  order(context, stream);
  step(stream);
  stream.ready_ns = std::max(stream.ready_ns, now_ns_) + costs::event_ns;
  event.recorded = true;
  event.complete_ns = stream.ready_ns;
  event.clock = stream.clock;
}

void Timeline::wait(Context& context, StreamState& stream, const EventState& event) {
  order(context, stream);
  stream.ready_ns = std::max(stream.ready_ns, event.complete_ns);
  stream.clock.join(event.clock);
  step(stream);
}

void Timeline::host_access(std::string_view name, const device::MemoryAccess& access) {
  const Stamp stamp{host_, ++host_steps_};
  const Actor actor{
      .name = name, .stream = {}, .sequence = ++sequence_, .finish_ns = now_ns_, .stamp = stamp, .by_host = true};
  races_.access(actor, host_clock_, access);
  host_clock_.advance(stamp);
  ++host_epoch_;
}

}  // namespace gpucheck::sim
