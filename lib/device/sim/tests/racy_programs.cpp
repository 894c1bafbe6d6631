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
constexpr std::size_t array_bytes = count * sizeof(std::int32_t);

void producer_and_consumer(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, a);
  if (ordered) fixture.order(a, b);
  fixture.add(shared, result, count, b);
}

void write_after_read(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  fixture.add(shared, fixture.memory(count), count, a);
  if (ordered) fixture.synchronize(a);
  fixture.fill(shared, 7, count, b);
}

void copy_and_kernel(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  const std::int32_t* source = fixture.memory(count);
  fixture.copy(shared, source, array_bytes, CopyKind::device_to_device, a);
  if (ordered) fixture.order(a, b);
  fixture.add(shared, fixture.memory(count), count, b);
}

void source_changed_by_the_host(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  std::int32_t* source = fixture.pinned(count);
  std::memset(source, 1, array_bytes);
  fixture.copy(fixture.memory(count), source, array_bytes, CopyKind::host_to_device, a);
  if (ordered) fixture.synchronize(a);
  std::memset(source, 2, array_bytes);
  fixture.synchronize(a);
}

void landing_buffer_read_by_the_host_too_early(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  std::int32_t* landing = fixture.pinned(count);
  fixture.copy(landing, fixture.memory(count), array_bytes, CopyKind::device_to_host, a);
  if (ordered) fixture.synchronize(a);
  check(fixture.device().host_access(device::reads(landing, array_bytes)), "host_access");
}

void mapped_memory_read_by_the_host_too_early(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Event done = fixture.event();
  std::int32_t* mapped = fixture.pinned(count);
  fixture.iota(mapped, count, a);
  fixture.record(done, a);
  static_cast<void>(ordered ? fixture.poll(done) : fixture.device().query(done));
  check(fixture.device().host_access(device::reads(mapped + count - 1, sizeof *mapped)), "host_access");
}

void mapped_memory_written_by_the_host_under_a_reader(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  std::int32_t* mapped = fixture.pinned(count);
  fixture.add(mapped, fixture.memory(count), count, a);
  if (ordered) fixture.synchronize(a);
  check(fixture.device().host_access(device::writes(mapped, array_bytes)), "host_access");
}

void landing_buffer_sent_on_too_early(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* landing = fixture.pinned(count);
  const std::int32_t* source = fixture.memory(count);
  std::int32_t* destination = fixture.memory(count);
  fixture.copy(landing, source, array_bytes, CopyKind::device_to_host, a);
  if (ordered) fixture.order(a, b);
  fixture.copy(destination, landing, array_bytes, CopyKind::host_to_device, b);
}

void default_stream_and_non_blocking_stream(Fixture& fixture, bool ordered) {
  const Stream other = fixture.stream(ordered ? StreamKind::blocking : StreamKind::non_blocking);
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, device::legacy_default_stream);
  fixture.add(shared, result, count, other);
}

void blocking_stream_and_default_stream(Fixture& fixture, bool ordered) {
  const Stream other = fixture.stream(ordered ? StreamKind::blocking : StreamKind::non_blocking);
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, other);
  fixture.add(shared, result, count, device::legacy_default_stream);
}

void branches_of_a_graph(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  const GraphExec executable = fixture.captured(a, [&] {
    fixture.order(a, b);
    fixture.iota(shared, count, a);
    if (ordered) fixture.order(a, b);
    fixture.add(shared, result, count, b);
    fixture.order(b, a);
  });
  check(fixture.device().launch(executable, a), "launch");
}

void freed_before_its_consumer(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  auto* shared = static_cast<std::int32_t*>(fixture.device().allocate_async(array_bytes, a).value());
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, a);
  fixture.order(a, b);
  fixture.add(shared, result, count, b);
  if (ordered) fixture.order(b, a);
  check(fixture.device().free_async(shared, a), "free_async");
}

void used_before_its_allocation(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  auto* shared = static_cast<std::int32_t*>(fixture.device().allocate_async(array_bytes, a).value());
  if (ordered) fixture.order(a, b);
  fixture.iota(shared, count, b);
}

void event_recorded_too_early(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  const Event done = fixture.event();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  if (!ordered) fixture.record(done, a);
  fixture.iota(shared, count, a);
  if (ordered) fixture.record(done, a);
  fixture.wait(b, done);
  fixture.add(shared, result, count, b);
}

void wait_for_the_wrong_event(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  const Stream c = fixture.stream();
  const Event right = fixture.event();
  const Event wrong = fixture.event();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, a);
  fixture.record(right, a);
  fixture.record(wrong, c);
  fixture.wait(b, ordered ? right : wrong);
  fixture.add(shared, result, count, b);
}

// What a caching allocator does that forgets record_stream: the block goes back to its
// own stream while another one still reads it.
void block_reused_without_record_stream(Fixture& fixture, bool ordered) {
  const Stream own = fixture.stream();
  const Stream side = fixture.stream();
  std::int32_t* block = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(block, count, own);
  fixture.order(own, side);
  fixture.add(block, result, count, side);
  const Event last_use = fixture.event();
  fixture.record(last_use, side);
  if (ordered) check(fixture.device().synchronize(last_use), "synchronize");
  fixture.fill(block, 3, count, own);
}

void two_graphs_share_a_buffer(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  const GraphExec producer = fixture.captured(a, [&] { fixture.iota(shared, count, a); });
  const GraphExec consumer = fixture.captured(b, [&] { fixture.add(shared, result, count, b); });
  check(fixture.device().launch(producer, a), "launch");
  if (ordered) fixture.order(a, b);
  check(fixture.device().launch(consumer, b), "launch");
}

void unfinished_query_taken_for_an_answer(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, a);
  static_cast<void>(ordered ? fixture.poll(a) : fixture.device().query(a));
  fixture.add(shared, result, count, b);
}

void stream_destroyed_and_forgotten(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  const Stream b = fixture.stream();
  std::int32_t* shared = fixture.memory(count);
  std::int32_t* result = fixture.memory(count);
  fixture.iota(shared, count, a);
  if (ordered) fixture.synchronize(a);
  check(fixture.device().destroy_stream(a), "destroy_stream");
  fixture.add(shared, result, count, b);
}

void pool_memory_freed_without_waiting(Fixture& fixture, bool ordered) {
  const Stream a = fixture.stream();
  auto* shared = static_cast<std::int32_t*>(fixture.device().allocate_async(array_bytes, a).value());
  fixture.synchronize(a);
  fixture.iota(shared, count, a);
  if (ordered) fixture.synchronize(a);
  check(fixture.device().free(shared), "free");
}

void copy_from_another_device(Fixture& fixture, bool ordered) {
  const auto second = fixture.driver().open(1).value();
  const Stream a = fixture.stream();
  const Stream b = second->create_stream(StreamKind::non_blocking, 0).value();
  std::int32_t* shared = fixture.memory(count);
  void* destination = second->allocate(array_bytes).value();
  fixture.iota(shared, count, a);
  if (ordered) {
    const Event done = fixture.event();
    fixture.record(done, a);
    check(second->wait(b, done), "wait");
  }
  check(second->copy(destination, shared, array_bytes, CopyKind::device_to_device, b), "copy");
}

constexpr std::array programs{
    RacyProgram{"producer_and_consumer", "iota", "add_scalar", producer_and_consumer},
    RacyProgram{"write_after_read", "add_scalar", "fill", write_after_read},
    RacyProgram{"copy_and_kernel", "copy device_to_device", "add_scalar", copy_and_kernel},
    RacyProgram{"source_changed_by_the_host", "copy host_to_device", "host write", source_changed_by_the_host},
    RacyProgram{"landing_buffer_read_by_the_host_too_early", "copy device_to_host", "host read",
                landing_buffer_read_by_the_host_too_early},
    RacyProgram{"mapped_memory_read_by_the_host_too_early", "iota", "host read",
                mapped_memory_read_by_the_host_too_early},
    RacyProgram{"mapped_memory_written_by_the_host_under_a_reader", "add_scalar", "host write",
                mapped_memory_written_by_the_host_under_a_reader},
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
