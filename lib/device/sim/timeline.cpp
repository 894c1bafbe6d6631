#include "device/sim/timeline.hpp"

#include <algorithm>
#include <utility>

#include "device/sim/costs.hpp"
#include "device/sim/splitmix.hpp"

namespace gpucheck::sim {

using device::Status;

namespace {

thread_local bool host_function_on_this_thread = false;

}  // namespace

bool Timeline::inside_host_function() noexcept { return host_function_on_this_thread; }

bool Timeline::later(const Operation& a, const Operation& b) noexcept {
  return std::pair(a.actor.finish_ns, a.actor.sequence) > std::pair(b.actor.finish_ns, b.actor.sequence);
}

std::uint64_t Timeline::random() noexcept { return splitmix(splitmix(seed_) + ++draws_); }

void Timeline::advance(std::uint64_t nanoseconds) {
  now_ns_ += nanoseconds;
  run_due();
}

void Timeline::wait_until(std::uint64_t time_ns) {
  now_ns_ = std::max(now_ns_, time_ns);
  run_due();
  while (running_) {  // another thread is inside a host function
    idle_.wait(mutex_);
    run_due();
  }
}

bool Timeline::reached(std::uint64_t time_ns) const noexcept {
  return time_ns <= now_ns_ && (!running_ || time_ns < running_finish_ns_);
}

void Timeline::host_learns(const VectorClock& clock) {
  host_clock_.join(clock);
  ++host_epoch_;
}

void Timeline::settle() noexcept {
  races_.forget_all();
  host_clock_.clear();
}

void Timeline::run_due() {
  if (running_) return;
  while (!pending_.empty() && pending_.front().actor.finish_ns <= now_ns_) {
    std::pop_heap(pending_.begin(), pending_.end(), later);
    const Operation operation = std::move(pending_.back());
    pending_.pop_back();
    running_ = true;
    running_finish_ns_ = operation.actor.finish_ns;
    perform(operation);
    running_ = false;
  }
}

void Timeline::perform(const Operation& operation) {
  Context& context = *operation.context;
  if (context.sticky != Status::success) return;
  if (const auto* call = std::get_if<CallHost>(&operation.work->action)) {
    call_host(*call);
    return;
  }
  if (operation.source && operation.source->host_writes == world_.host_writes) {
    const auto& copy = std::get<CopyBytes>(operation.work->action);
    if (digest(copy.source, copy.bytes) != operation.source->digest) {
      races_.host_write(operation.actor, copy.source, copy.bytes);
    }
  }
  context.sticky = execute(world_, context, *operation.work);
}

void Timeline::call_host(const CallHost& call) noexcept {
  ++world_.host_writes;
  mutex_.unlock();
  host_function_on_this_thread = true;
  call.function(call.argument);
  host_function_on_this_thread = false;
  mutex_.lock();
  idle_.notify_all();
}

void Timeline::step(StreamState& stream) { stream.clock.advance({stream.component, ++stream.epoch}); }

void Timeline::order(Context& context, StreamState& stream) {
  StreamState& legacy = context.default_stream;
  if (&stream == &legacy) {
    for (StreamState* other : context.blocking_streams) {
      if (other->epoch == other->epoch_joined_by_legacy) continue;
      other->epoch_joined_by_legacy = other->epoch;
      stream.ready_ns = std::max(stream.ready_ns, other->ready_ns);
      stream.clock.join(other->clock);
    }
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

/// Puts one operation on the timeline and returns when it finishes.
std::uint64_t Timeline::submit(Context& context, const StreamState& stream, const WorkPointer& work,
                               std::uint64_t start_ns, Stamp stamp, const VectorClock& knows) {
  const std::uint64_t spread = 1 + random() % (1 + work->duration_ns / 8);
  const Actor actor{.name = work->name,
                    .stream = stream.handle,
                    .sequence = ++sequence_,
                    .finish_ns = start_ns + work->duration_ns + spread,
                    .stamp = stamp};
  for (const device::MemoryAccess& access : work->accesses) races_.access(actor, knows, access);
  pending_.push_back({.actor = actor, .context = &context, .work = work, .source = watch(*work)});
  std::push_heap(pending_.begin(), pending_.end(), later);
  return actor.finish_ns;
}

void Timeline::enqueue(Context& context, StreamState& stream, WorkPointer work) {
  order(context, stream);
  step(stream);
  const std::uint64_t earliest = now_ns_ + costs::launch_latency_ns + random() % costs::launch_jitter_ns;
  stream.ready_ns = submit(context, stream, work, std::max(stream.ready_ns, earliest), {stream.component, stream.epoch},
                           stream.clock);
}

void Timeline::launch(Context& context, StreamState& stream, Executable& executable) {
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
    const Stamp stamp{executable.branches[step.branch], ++executable.epoch};
    clock.advance(stamp);
    const std::uint64_t delay = random() % costs::launch_jitter_ns;
    finish_ns.push_back(submit(context, stream, step.node.work, start_ns + delay, stamp, clock));
    ready_ns = std::max(ready_ns, finish_ns.back());
    if (step.is_leaf) stream.clock.join(clock);
    clocks.push_back(std::move(clock));
  }
  stream.ready_ns = executable.ready_ns = ready_ns;
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
  const Actor actor{.name = name, .stream = {}, .sequence = ++sequence_, .finish_ns = now_ns_, .stamp = {}};
  races_.access(actor, host_clock_, access);
}

}  // namespace gpucheck::sim
