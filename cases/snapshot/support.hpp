#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cases/support.hpp"
#include "harness/case/case.hpp"
#include "observe/history/memory_history.hpp"
#include "observe/snapshot/snapshot_file.hpp"
#include "replay/formats/snapshot/snapshot.hpp"
#include "tensor/random/distributions.hpp"

/// What the cases of snapshots share.
namespace gpucheck::cases::in_snapshot {

/// The seed's tensor: bytes of rand(311, 411).
inline constexpr std::size_t seed_elements = std::size_t{311} * 411;
inline constexpr std::uint64_t seed_bytes = seed_elements * sizeof(float);

/// @throws Skip when this program cannot name its own functions and files: it was
/// stripped, and every check of a stack would fail for that reason alone.
void require_symbols();

/// A tensor of random numbers on the current stream.
[[nodiscard]] runtime::Buffer<float> random_tensor(runtime::Runtime& runtime, std::size_t elements);

/// Has `allocate` make what the case takes a snapshot of. Observes `key`, the text of its
/// error, or of the work's that it submitted: a device without memory shows there and in the
/// snapshot, which has nothing in it.
template <typename Allocate>
void observe_error_of(harness::Context& context, const std::string& key, Allocate&& allocate) {
  context.observe(key, error_text<Error>([&] {
                    std::forward<Allocate>(allocate)();
                    device::check(context.device(), context.device().synchronize(), "synchronize");
                  }));
}

/// x * x + x * x as three tensors' worth of allocations. The values do not matter here,
/// so that additions stand for the products.
void combine(runtime::Runtime& runtime, const runtime::Buffer<float>& x);

[[nodiscard]] std::string json_of(const observe::MemorySnapshot& snapshot);
[[nodiscard]] std::string pickle_of(const observe::MemorySnapshot& snapshot);
/// What gpucheck's own reader makes of a file's bytes.
[[nodiscard]] replay::Snapshot read_back(const std::string& bytes);

[[nodiscard]] bool contains(std::string_view text, std::string_view part);

/// A block of a snapshot and the stack of its allocation.
struct FoundBlock {
  runtime::BlockInfo info;
  observe::Stack stack;
};
/// The first block in use for which the caller asked for `requested_bytes`; all zero and
/// without a stack when there is none.
[[nodiscard]] FoundBlock find_live(const observe::MemorySnapshot& snapshot, std::uint64_t requested_bytes);

/// What the youngest event of a trace is called; "" when there is none.
[[nodiscard]] std::string last_action(const observe::MemorySnapshot& snapshot);

/// Whether some frame's function or file contains the text.
[[nodiscard]] bool names(const observe::Stack& stack, std::string_view text);

/// The faults that every one of these cases has to notice.
[[nodiscard]] std::vector<harness::Fault> allocation_faults();

}  // namespace gpucheck::cases::in_snapshot
