#include "device/sim/tests/racy_programs.hpp"

#include <array>
#include <cstring>

namespace gpucheck::sim {

namespace {

using device::CopyKind;
using device::Event;
using device::GraphExec;
using device::Stream;
using device::StreamKind;

constexpr std::size_t count = 1024;
constexpr std::size_t bytes = count * sizeof(std::int32_t);

void producer_and_consumer(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, a);
  if (ordered) lab.order(a, b);
  lab.add(shared, result, count, b);
}

void write_after_read(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  lab.add(shared, lab.memory(count), count, a);
  if (ordered) lab.synchronize(a);
  lab.fill(shared, 7, count, b);
}

void copy_and_kernel(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  const std::int32_t* source = lab.memory(count);
  lab.copy(shared, source, bytes, CopyKind::device_to_device, a);
  if (ordered) lab.order(a, b);
  lab.add(shared, lab.memory(count), count, b);
}

void source_changed_by_the_host(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  std::int32_t* source = lab.pinned(count);
  std::memset(source, 1, bytes);
  lab.copy(lab.memory(count), source, bytes, CopyKind::host_to_device, a);
  if (ordered) lab.synchronize(a);
  std::memset(source, 2, bytes);
  lab.synchronize(a);
}

void landing_buffer_sent_on_too_early(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* landing = lab.pinned(count);
  const std::int32_t* source = lab.memory(count);
  std::int32_t* destination = lab.memory(count);
  lab.copy(landing, source, bytes, CopyKind::device_to_host, a);
  if (ordered) lab.order(a, b);
  lab.copy(destination, landing, bytes, CopyKind::host_to_device, b);
}

void default_stream_and_non_blocking_stream(Lab& lab, bool ordered) {
  const Stream other = lab.stream(ordered ? StreamKind::blocking : StreamKind::non_blocking);
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, device::legacy_default_stream);
  lab.add(shared, result, count, other);
}

void blocking_stream_and_default_stream(Lab& lab, bool ordered) {
  const Stream other = lab.stream(ordered ? StreamKind::blocking : StreamKind::non_blocking);
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, other);
  lab.add(shared, result, count, device::legacy_default_stream);
}

void branches_of_a_graph(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  const GraphExec executable = lab.captured(a, [&] {
    lab.order(a, b);
    lab.iota(shared, count, a);
    if (ordered) lab.order(a, b);
    lab.add(shared, result, count, b);
    lab.order(b, a);
  });
  check(lab.device().launch(executable, a), "launch");
}

void freed_before_its_consumer(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  auto* shared = static_cast<std::int32_t*>(lab.device().allocate_async(bytes, a).value());
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, a);
  lab.order(a, b);
  lab.add(shared, result, count, b);
  if (ordered) lab.order(b, a);
  check(lab.device().free_async(shared, a), "free_async");
}

void used_before_its_allocation(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  auto* shared = static_cast<std::int32_t*>(lab.device().allocate_async(bytes, a).value());
  if (ordered) lab.order(a, b);
  lab.iota(shared, count, b);
}

void event_recorded_too_early(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  const Event done = lab.event();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  if (!ordered) lab.record(done, a);
  lab.iota(shared, count, a);
  if (ordered) lab.record(done, a);
  lab.wait(b, done);
  lab.add(shared, result, count, b);
}

void wait_for_the_wrong_event(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  const Stream c = lab.stream();
  const Event right = lab.event();
  const Event wrong = lab.event();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, a);
  lab.record(right, a);
  lab.record(wrong, c);
  lab.wait(b, ordered ? right : wrong);
  lab.add(shared, result, count, b);
}

// What a caching allocator does that forgets record_stream: the block goes back to its
// own stream while another one still reads it.
void block_reused_without_record_stream(Lab& lab, bool ordered) {
  const Stream own = lab.stream();
  const Stream side = lab.stream();
  std::int32_t* block = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(block, count, own);
  lab.order(own, side);
  lab.add(block, result, count, side);
  const Event last_use = lab.event();
  lab.record(last_use, side);
  if (ordered) check(lab.device().synchronize(last_use), "synchronize");
  lab.fill(block, 3, count, own);
}

void two_graphs_share_a_buffer(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  const GraphExec producer = lab.captured(a, [&] { lab.iota(shared, count, a); });
  const GraphExec consumer = lab.captured(b, [&] { lab.add(shared, result, count, b); });
  check(lab.device().launch(producer, a), "launch");
  if (ordered) lab.order(a, b);
  check(lab.device().launch(consumer, b), "launch");
}

void unfinished_query_taken_for_an_answer(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, a);
  while (lab.device().query(a) == device::Status::not_ready && ordered) continue;
  lab.add(shared, result, count, b);
}

void stream_destroyed_and_forgotten(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  const Stream b = lab.stream();
  std::int32_t* shared = lab.memory(count);
  std::int32_t* result = lab.memory(count);
  lab.iota(shared, count, a);
  if (ordered) lab.synchronize(a);
  check(lab.device().destroy_stream(a), "destroy_stream");
  lab.add(shared, result, count, b);
}

void pool_memory_freed_without_waiting(Lab& lab, bool ordered) {
  const Stream a = lab.stream();
  auto* shared = static_cast<std::int32_t*>(lab.device().allocate_async(bytes, a).value());
  lab.synchronize(a);
  lab.iota(shared, count, a);
  if (ordered) lab.synchronize(a);
  check(lab.device().free(shared), "free");
}

void copy_from_another_device(Lab& lab, bool ordered) {
  const auto second = lab.driver().open(1).value();
  const Stream a = lab.stream();
  const Stream b = second->create_stream(StreamKind::non_blocking, 0).value();
  std::int32_t* shared = lab.memory(count);
  void* destination = second->allocate(bytes).value();
  lab.iota(shared, count, a);
  if (ordered) {
    const Event done = lab.event();
    lab.record(done, a);
    check(second->wait(b, done), "wait");
  }
  check(second->copy(destination, shared, bytes, CopyKind::device_to_device, b), "copy");
}

constexpr std::array programs{
    RacyProgram{"producer_and_consumer", "iota", "add_scalar", producer_and_consumer},
    RacyProgram{"write_after_read", "add_scalar", "fill", write_after_read},
    RacyProgram{"copy_and_kernel", "copy device_to_device", "add_scalar", copy_and_kernel},
    RacyProgram{"source_changed_by_the_host", "copy host_to_device", "host write", source_changed_by_the_host},
    RacyProgram{"landing_buffer_sent_on_too_early", "copy device_to_host", "copy host_to_device",
                landing_buffer_sent_on_too_early},
    RacyProgram{"default_stream_and_non_blocking_stream", "iota", "add_scalar", default_stream_and_non_blocking_stream},
    RacyProgram{"blocking_stream_and_default_stream", "iota", "add_scalar", blocking_stream_and_default_stream},
    RacyProgram{"branches_of_a_graph", "iota", "add_scalar", branches_of_a_graph},
    RacyProgram{"freed_before_its_consumer", "add_scalar", "free_async", freed_before_its_consumer},
    RacyProgram{"used_before_its_allocation", "allocate_async", "iota", used_before_its_allocation},
    RacyProgram{"event_recorded_too_early", "iota", "add_scalar", event_recorded_too_early},
    RacyProgram{"wait_for_the_wrong_event", "iota", "add_scalar", wait_for_the_wrong_event},
    RacyProgram{"block_reused_without_record_stream", "add_scalar", "fill", block_reused_without_record_stream},
    RacyProgram{"two_graphs_share_a_buffer", "iota", "add_scalar", two_graphs_share_a_buffer},
    RacyProgram{"unfinished_query_taken_for_an_answer", "iota", "add_scalar", unfinished_query_taken_for_an_answer},
    RacyProgram{"stream_destroyed_and_forgotten", "iota", "add_scalar", stream_destroyed_and_forgotten},
    RacyProgram{"pool_memory_freed_without_waiting", "iota", "free", pool_memory_freed_without_waiting},
    RacyProgram{"copy_from_another_device", "iota", "copy device_to_device", copy_from_another_device, 2},
};

}  // namespace

std::span<const RacyProgram> racy_programs() { return programs; }

}  // namespace gpucheck::sim
