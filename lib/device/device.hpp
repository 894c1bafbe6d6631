#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/handles.hpp"
#include "device/kernel.hpp"
#include "device/status.hpp"

/// The seam: everything above it drives a GPU, real or simulated, through `Device`.
///
/// No CUDA header is included here. Calls behave as the CUDA runtime API documents
/// for the call named in each comment; the contract suite in `tests/` states it for
/// every implementation. Every method may be called from any thread. Nothing here
/// throws except where a comment says so: errors are `Status` values.
namespace gpucheck::device {

struct DeviceProperties {
  std::string name;
  std::string uuid;        ///< "GPU-xxxxxxxx-...", as nvidia-smi prints it
  std::string pci_bus_id;  ///< "0000:3b:00.0"
  std::uint64_t total_memory_bytes = 0;
  int multiprocessor_count = 0;
  int max_threads_per_multiprocessor = 0;
  int max_threads_per_block = 0;
  int warp_size = 32;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  std::uint64_t l2_cache_bytes = 0;
  /// Stream priorities: 0 is lowest, `greatest_priority` (negative) is highest.
  int greatest_priority = 0;
};

struct MemoryInfo {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// What the device's default pool of stream-ordered memory holds, in bytes.
struct AsyncPoolUsage {
  std::uint64_t used_bytes = 0;           ///< asked for and not freed, to the byte
  std::uint64_t used_peak_bytes = 0;      ///< the most of it since the last reset
  std::uint64_t reserved_bytes = 0;       ///< taken from the device
  std::uint64_t reserved_peak_bytes = 0;  ///< the most of it since the last reset
};

enum class StreamKind {
  blocking,      ///< takes part in the legacy default stream's implicit ordering
  non_blocking,  ///< does not
};

enum class EventKind {
  timing,     ///< can be used with `elapsed_ms`
  no_timing,  ///< cheaper; `elapsed_ms` gives invalid_resource_handle
};

enum class CopyKind { host_to_device, device_to_host, device_to_device, host_to_host };

/// `cudaStreamCaptureMode`: which unsafe calls are refused while a capture is open.
enum class CaptureMode {
  global,         ///< unsafe calls from any thread
  thread_local_,  ///< unsafe calls from the capturing thread
  relaxed,        ///< none
};

enum class CaptureStatus { none, active, invalidated };

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::none;
  std::uint64_t id = 0;  ///< unique in the process for each capture; 0 when none
};

enum class MemoryKind { unregistered, host, device };

struct PointerInfo {
  MemoryKind kind = MemoryKind::unregistered;
};

/// Virtual memory is mapped in multiples of this many bytes
/// (`cuMemGetAllocationGranularity`: the same for every GPU so far).
inline constexpr std::size_t mapping_granularity = std::size_t{2} << 20;

using HostFunction = void (*)(void* argument);

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// 0-based position among the visible devices.
  [[nodiscard]] virtual int ordinal() const noexcept = 0;
  /// Facts about the device; read once when the device is opened.
  [[nodiscard]] virtual const DeviceProperties& properties() const noexcept = 0;
  /// The device's own words for a code (`cudaGetErrorString`). Works on any thread,
  /// also after a sticky error.
  [[nodiscard]] virtual std::string error_text(Status status) const = 0;

  // -- memory ---------------------------------------------------------------------
  /// `cudaMalloc`. 0 bytes gives a null pointer and success. At least 256-byte aligned.
  [[nodiscard]] virtual Result<void*> allocate(std::size_t bytes) = 0;
  /// `cudaFree`. Waits for the device; null is a no-op. A pointer that was not
  /// allocated gives invalid_value.
  virtual Status free(void* pointer) = 0;
  /// `cudaMallocAsync` from the device's default pool, ordered on `stream`.
  [[nodiscard]] virtual Result<void*> allocate_async(std::size_t bytes, Stream stream) = 0;
  /// `cudaFreeAsync`, ordered on `stream`.
  virtual Status free_async(void* pointer, Stream stream) = 0;
  /// `cudaMemPoolGetAttribute` of the device's default pool.
  [[nodiscard]] virtual Result<AsyncPoolUsage> async_pool_usage() = 0;
  /// `cudaMemPoolSetAttribute`: both peaks begin anew.
  virtual Status reset_async_pool_peaks() = 0;
  /// `cudaMemPoolAttrReleaseThreshold`: how much unused memory the pool may keep when the
  /// host waits for a stream, an event or the device. 0 at first.
  virtual Status set_async_pool_threshold(std::uint64_t bytes) = 0;
  /// `cudaMemPoolTrimTo`: unused memory goes back until `bytes_to_keep` are reserved.
  virtual Status trim_async_pool(std::uint64_t bytes_to_keep) = 0;
  /// `cudaHostAlloc`: page-locked host memory, usable by asynchronous copies.
  [[nodiscard]] virtual Result<void*> allocate_pinned(std::size_t bytes) = 0;
  /// `cudaFreeHost`.
  virtual Status free_pinned(void* pointer) = 0;
  /// `cudaHostRegister`: page-locks memory the host already owns.
  virtual Status register_host(void* pointer, std::size_t bytes) = 0;
  /// `cudaHostUnregister`; `pointer` must be the start of a registered range.
  virtual Status unregister_host(void* pointer) = 0;
  /// `cudaMemGetInfo`.
  [[nodiscard]] virtual Result<MemoryInfo> memory_info() = 0;
  /// `cudaPointerGetAttributes`: what kind of memory an address is.
  [[nodiscard]] virtual Result<PointerInfo> pointer_info(const void* pointer) = 0;

  // -- virtual memory ---------------------------------------------------------------
  // Addresses and memory apart: sizes and pointers are multiples of `mapping_granularity`,
  // else invalid_value. Allowed while a capture is open.
  /// `cuMemAddressReserve`: addresses that nothing else gets, with no memory behind them.
  [[nodiscard]] virtual Result<void*> reserve_addresses(std::size_t bytes) = 0;
  /// `cuMemAddressFree` of a whole reservation in which nothing is mapped.
  virtual Status release_addresses(void* pointer, std::size_t bytes) = 0;
  /// `cuMemCreate`, `cuMemMap`, `cuMemSetAccess`: memory of this device, for this device
  /// to read and write, behind reserved addresses; with its neighbours it can be used as
  /// one stretch. On an error nothing is mapped.
  virtual Status map_memory(void* pointer, std::size_t bytes) = 0;
  /// `cuMemUnmap` of exactly what one `map_memory` mapped; the memory goes back to the
  /// device. A part of that gives invalid_value; where nothing is mapped, nothing
  /// happens. Waits for nothing: no work may use it any more.
  virtual Status unmap_memory(void* pointer, std::size_t bytes) = 0;

  // -- streams and events -----------------------------------------------------------
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
  [[nodiscard]] virtual Result<Event> create_event(EventKind kind) = 0;
  /// `cudaEventDestroy`: returns at once.
  virtual Status destroy_event(Event event) = 0;
  virtual Status record(Event event, Stream stream) = 0;
  /// `cudaEventQuery`: success when complete or never recorded, else not_ready.
  virtual Status query(Event event) = 0;
  virtual Status synchronize(Event event) = 0;
  /// `cudaEventElapsedTime`, in milliseconds.
  [[nodiscard]] virtual Result<float> elapsed_ms(Event start, Event stop) = 0;
  /// `cudaDeviceSynchronize`.
  virtual Status synchronize() = 0;

  // -- work ---------------------------------------------------------------------------
  /// `cudaMemcpyAsync`. From or to pageable host memory it may block the caller.
  virtual Status copy(void* destination, const void* source, std::size_t bytes, CopyKind kind, Stream stream) = 0;
  /// `cudaMemsetAsync`.
  virtual Status fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) = 0;
  /// Runs one of the kernels of `kernels/kernel_list.hpp`; use the typed
  /// `device::launch` of `launch.hpp` rather than this. A count of 0 launches nothing.
  virtual Status launch(const KernelLaunch& launch, Stream stream) = 0;
  /// `cudaLaunchHostFunc`: `function(argument)` on a driver thread, in stream order.
  virtual Status host_callback(Stream stream, HostFunction function, void* argument) = 0;

  // -- graphs --------------------------------------------------------------------------
  /// `cudaStreamBeginCapture`.
  virtual Status begin_capture(Stream stream, CaptureMode mode) = 0;
  /// `cudaStreamEndCapture`; the caller owns the graph.
  [[nodiscard]] virtual Result<Graph> end_capture(Stream stream) = 0;
  /// `cudaStreamGetCaptureInfo`.
  [[nodiscard]] virtual Result<CaptureInfo> capture_info(Stream stream) = 0;
  /// `cudaStreamGetCaptureInfo`: the nodes that the next work captured in `stream` will
  /// depend on, in no particular order; none where the stream captures nothing or its
  /// capture is invalidated. No other thread may use the stream meanwhile.
  [[nodiscard]] virtual Result<std::vector<GraphNode>> capture_dependencies(Stream stream) = 0;
  /// `cudaGraphNodeGetDependencies`: the nodes that a node of an open capture directly
  /// depends on, in no particular order.
  [[nodiscard]] virtual Result<std::vector<GraphNode>> node_dependencies(GraphNode node) = 0;
  /// `cudaThreadExchangeStreamCaptureMode`: sets the calling thread's mode, returns
  /// the old one.
  [[nodiscard]] virtual Result<CaptureMode> exchange_capture_mode(CaptureMode mode) = 0;
  [[nodiscard]] virtual Result<std::size_t> node_count(Graph graph) = 0;
  /// `cudaGraphInstantiate` with auto-free-on-launch; the caller owns the executable.
  [[nodiscard]] virtual Result<GraphExec> instantiate(Graph graph) = 0;
  /// `cudaGraphLaunch`. Launches of one executable never overlap each other.
  virtual Status launch(GraphExec executable, Stream stream) = 0;
  /// `cudaGraphExecUpdate`: same topology, new parameters; graph_exec_update_failure
  /// when the topology differs.
  virtual Status update(GraphExec executable, Graph graph) = 0;
  virtual Status destroy_graph(Graph graph) = 0;
  virtual Status destroy_executable(GraphExec executable) = 0;

  // -- errors ---------------------------------------------------------------------------
  /// `cudaGetLastError`: the calling thread's last error, cleared; a sticky one comes back with the next call.
  virtual Status last_error() = 0;
  /// `cudaPeekAtLastError`.
  virtual Status peek_last_error() = 0;

  // -- peers ----------------------------------------------------------------------------
  [[nodiscard]] virtual Result<bool> can_access_peer(int peer_ordinal) = 0;
  virtual Status enable_peer_access(int peer_ordinal) = 0;
};

}  // namespace gpucheck::device
