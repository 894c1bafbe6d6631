#pragma once

#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

enum class StreamKind {
  blocking,      ///< takes part in the legacy default stream's implicit ordering
  non_blocking,  ///< does not
};

/// What an event can do, joined by `|`; the numbers are those of `cudaEventCreateWithFlags`.
enum class EventKind : unsigned {
  timing = 0,     ///< can be used with `elapsed_ms`
  blocking = 1,   ///< a host thread that waits for it gives its processor up
  no_timing = 2,  ///< cheaper; `elapsed_ms` gives invalid_resource_handle
  /// Can be known to other processes. invalid_value at its creation unless it has no_timing too.
  interprocess = 4,
};
constexpr EventKind operator|(EventKind a, EventKind b) noexcept {
  return static_cast<EventKind>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether all of `part` is in `kind`.
constexpr bool has(EventKind kind, EventKind part) noexcept {
  return (static_cast<unsigned>(kind) & static_cast<unsigned>(part)) == static_cast<unsigned>(part);
}

/// Queues of work, and the events that order them.
class Streams {
 public:
  /// The stream that work goes to when nobody chose one.
  [[nodiscard]] virtual Stream default_stream() const noexcept = 0;
  /// `cudaStreamCreateWithPriority`; a priority outside the range is clamped to it.
  [[nodiscard]] virtual Result<Stream> create_stream(StreamKind kind, int priority) = 0;
  /// `cudaStreamDestroy`: returns at once; pending work still completes.
  virtual Status destroy_stream(Stream stream) = 0;
  /// `cudaStreamQuery`: success when all work is done, not_ready before.
  virtual Status query(Stream stream) = 0;
  /// `cudaStreamSynchronize`.
  virtual Status synchronize(Stream stream) = 0;
  /// `cudaStreamWaitEvent`: later work in `stream` waits for the work captured by the
  /// last record of `event`; no-op for an event never recorded.
  virtual Status wait(Stream stream, Event event) = 0;
  /// `cudaStreamWaitEvent` with `cudaEventWaitExternal`: in a stream that is being captured,
  /// a node that waits, at each launch, for what `event` covers then. illegal_state elsewhere.
  virtual Status wait_external(Stream stream, Event event) = 0;
  [[nodiscard]] virtual Result<Event> create_event(EventKind kind) = 0;
  /// `cudaEventDestroy`: returns at once.
  virtual Status destroy_event(Event event) = 0;
  virtual Status record(Event event, Stream stream) = 0;
  /// `cudaEventRecordWithFlags` with `cudaEventRecordExternal`: in a stream that is being
  /// captured, a node that records `event` at each launch, for the host and for work outside
  /// the graph. illegal_state elsewhere.
  virtual Status record_external(Event event, Stream stream) = 0;
  /// `cudaEventQuery`: success when complete or never recorded, else not_ready.
  virtual Status query(Event event) = 0;
  virtual Status synchronize(Event event) = 0;
  /// `cudaEventElapsedTime`, in milliseconds.
  [[nodiscard]] virtual Result<float> elapsed_ms(Event start, Event stop) = 0;
  /// `cudaDeviceSynchronize`.
  virtual Status synchronize() = 0;

 protected:
  ~Streams() = default;
};

}  // namespace gpucheck::device

/// The operations of `Streams`: see `operations.hpp`.
#define GPUCHECK_STREAMS_OPERATIONS(OPERATION, ALSO)                                                                 \
  OPERATION(default_stream, device::Stream, default_stream, () const noexcept, ())                                   \
  OPERATION(create_stream, device::Result<device::Stream>, create_stream, (device::StreamKind kind, int priority),   \
            (kind, priority))                                                                                        \
  OPERATION(destroy_stream, device::Status, destroy_stream, (device::Stream stream), (stream))                       \
  OPERATION(query_stream, device::Status, query, (device::Stream stream), (stream))                                  \
  OPERATION(synchronize, device::Status, synchronize, (device::Stream stream), (stream))                             \
  OPERATION(wait, device::Status, wait, (device::Stream stream, device::Event event), (stream, event))               \
  ALSO(wait, device::Status, wait_external, (device::Stream stream, device::Event event), (stream, event))           \
  OPERATION(create_event, device::Result<device::Event>, create_event, (device::EventKind kind), (kind))             \
  OPERATION(destroy_event, device::Status, destroy_event, (device::Event event), (event))                            \
  OPERATION(record, device::Status, record, (device::Event event, device::Stream stream), (event, stream))           \
  ALSO(record, device::Status, record_external, (device::Event event, device::Stream stream), (event, stream))       \
  OPERATION(query_event, device::Status, query, (device::Event event), (event))                                      \
  ALSO(synchronize, device::Status, synchronize, (device::Event event), (event))                                     \
  OPERATION(elapsed_ms, device::Result<float>, elapsed_ms, (device::Event start, device::Event stop), (start, stop)) \
  ALSO(synchronize, device::Status, synchronize, (), ())
