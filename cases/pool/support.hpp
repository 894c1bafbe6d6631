#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cases/support.hpp"
#include "runtime/allocator/storage.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

/// What the cases of private pools share: byte tensors, capturing a function into a
/// pool, and looking at the pool.
namespace gpucheck::cases::in_pool {

using runtime::PoolId;
using runtime::Storage;

inline constexpr std::size_t min_block_bytes = 512;
inline constexpr std::size_t small_bytes = 1048576;
inline constexpr std::size_t small_buffer_bytes = 2097152;
inline constexpr std::size_t large_buffer_bytes = 20971520;

/// Writes the same value to every byte, in the order of `stream`.
void fill(runtime::Runtime& runtime, const Storage& storage, std::uint8_t value, device::Stream stream);
/// New memory on the current stream, every byte 1.
Storage ones(runtime::Runtime& runtime, std::size_t bytes);
/// The sum of two as new memory; values wrap at 256.
Storage plus(runtime::Runtime& runtime, const Storage& a, const Storage& b);

using Outputs = std::vector<Storage>;
using Function = std::function<Outputs(runtime::Runtime&)>;
/// Storages over the same memory that own nothing.
Outputs without_owners(const Outputs& outputs);

/// Makes eleven of the smallest blocks, every byte 1, and keeps those at `positions`
/// (from 0).
Outputs kept_of_eleven(runtime::Runtime& runtime, const std::vector<std::size_t>& positions);

/// A function captured into a private pool, and what it returned.
struct Captured {
  explicit Captured(runtime::Runtime& runtime) : graph(runtime), stream(runtime.streams().next()) {}
  runtime::Graph graph;
  device::Stream stream;
  Outputs outputs;
};
/// Runs the function once on a side stream, then captures it there into `pool`, or into
/// a pool of its own. @throws what the function throws, Error, DeviceError.
std::unique_ptr<Captured> capture(runtime::Runtime& runtime, const Function& function, PoolId pool = {});

/// Waits for all work of the device. @throws DeviceError.
void synchronize(runtime::Runtime& runtime);
/// Replays on the capture's stream and waits for it. Fills the outputs with other bytes
/// first, so that a replay that does nothing is seen. @throws DeviceError.
void replay(runtime::Runtime& runtime, Captured& captured);
/// Bytes that are not `value`; -1 when fewer were looked at than there are.
std::int64_t wrong_bytes(runtime::Runtime& runtime, const Storage& storage, std::uint8_t value);

/// The same for all outputs, each of which must hold one of `values`.
std::int64_t wrong_bytes_in_all(runtime::Runtime& runtime, const Outputs& outputs,
                                const std::vector<std::uint8_t>& values);

/// A pool's segments: "small 2097152: 512 used, 2096640 free; ...".
std::string layout(runtime::Runtime& runtime, PoolId pool);
std::int64_t live_blocks(runtime::Runtime& runtime, PoolId pool);
/// Segments of private pools, all together.
std::int64_t private_segments(runtime::Runtime& runtime);
/// Whether every segment of `before` is in `after` with the same address, sizes, kind,
/// pool and list of blocks.
bool same_segments(const std::vector<runtime::SegmentInfo>& before, const std::vector<runtime::SegmentInfo>& after);

/// The common end: nothing of the graph's pool may stay once its owners are gone.
/// Observes `private_segments_left`, those more than `before`.
void observe_nothing_left(harness::Context& context, std::int64_t before);

/// A block of a pool that exists, for use on `stream`. @throws OutOfMemoryError, DeviceError.
Storage allocate_in_pool(runtime::Runtime& runtime, PoolId pool, device::Stream stream, std::size_t bytes);

/// Captures the function, takes a checkpoint of its pool and restores it at once, as the seed does, with the outputs
/// alive and nothing named: observes the error, and whether the segments are the same. Then drops the outputs, has
/// another block cut and written in the pool, and restores the checkpoint. Observes
/// `wrong_bytes` of the outputs, each of which must hold one of `values`, before, and after
/// a replay when all is restored; whether the segments are as they were when changed and
/// when restored; `live_blocks`, and how many outputs own their memory again; and, when
/// asked for, the pool's `layout` before and when changed.
void check_restored(harness::Context& context, const Function& function, const std::vector<std::uint8_t>& values,
                    bool observe_layout);

/// Faults that every case must notice which looks at the bytes of a captured function.
/// `launch`: the number of a captured kernel that writes an output, counted from the
/// case's first.
std::vector<harness::Fault> capture_faults(std::uint64_t launch);

}  // namespace gpucheck::cases::in_pool
