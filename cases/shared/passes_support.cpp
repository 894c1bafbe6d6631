#include "cases/shared/passes_support.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "cases/support.hpp"

namespace gpucheck::cases::in_memtest {
namespace {

using device::kernels::MemoryMismatch;
using device::kernels::MismatchLog;
using device::kernels::SpreadCounter;

std::uint64_t bytes_of(std::span<const TestedMemory> memory) {
  std::uint64_t bytes = 0;
  for (const TestedMemory& stretch : memory) bytes += stretch.bytes();
  return bytes;
}

/// Where an address lies in the memory under test, as if that were one piece.
std::uint64_t offset_of(std::uint64_t address, std::span<const TestedMemory> memory) {
  std::uint64_t offset = 0;
  for (const TestedMemory& stretch : memory) {
    const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(stretch.data);
    if (address >= begin && address - begin < stretch.bytes()) return offset + (address - begin);
    offset += stretch.bytes();
  }
  return offset;
}

}  // namespace

std::string to_text(const MemoryMismatch& mismatch, std::span<const TestedMemory> memory) {
  const bool known = mismatch.multiprocessor != device::kernels::Invocation::no_multiprocessor;
  return fmt::format(
      "offset {:#x}, address {:#x}: expected {:#018x}, seen {:#018x} (differs in {:#x}), then {:#018x}, pass {}, "
      "multiprocessor {}",
      offset_of(mismatch.address, memory), mismatch.address, mismatch.expected, mismatch.seen,
      mismatch.expected ^ mismatch.seen, mismatch.seen_again, mismatch.pass + 1,
      known ? std::to_string(mismatch.multiprocessor) : "unknown");
}

Passes::Passes(runtime::Runtime& runtime, device::Stream stream, std::size_t comparing_passes)
    : runtime_(runtime), device_(runtime.device()), stream_(stream), comparing_passes_(comparing_passes) {
  const std::size_t bytes = sizeof(MismatchLog) + comparing_passes * sizeof(SpreadCounter);
  evidence_ = device::own<device::UniqueDeviceMemory>(device_, device_.allocate(bytes));
  device::check(device_, device_.fill(evidence_.get(), 0, bytes, stream_), "fill");
}

MismatchLog* Passes::log() const { return static_cast<MismatchLog*>(evidence_.get()); }

SpreadCounter* Passes::compared() const { return reinterpret_cast<SpreadCounter*>(log() + 1); }

std::size_t Passes::next_comparing_pass() {
  if (passes_begun_ == comparing_passes_) throw Error("a memory test makes more passes than it has counters for");
  return passes_begun_++;
}

void Passes::begin_pass(Kind kind, std::span<const TestedMemory> memory) {
  const auto event = [&] {
    return device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::timing));
  };
  const std::uint64_t directions = kind == Kind::replace ? 2 : 1;
  passes_.push_back({kind, directions * bytes_of(memory), event(), event()});
  device::check(device_, device_.record(passes_.back().start.get(), stream_), "record");
}

Findings Passes::finish() {
  Findings findings;
  findings.log = read_one(runtime_, log(), stream_);
  for (const SpreadCounter& counter : read(runtime_, compared(), comparing_passes_, stream_)) {
    findings.compared_bytes.push_back(counter.total());
  }
  for (const Pass& pass : passes_) {
    Traffic& traffic = pass.kind == Kind::write    ? findings.write
                       : pass.kind == Kind::verify ? findings.verify
                                                   : findings.replace;
    traffic.bytes += pass.bytes;
    traffic.ms += static_cast<double>(device_.elapsed_ms(pass.start.get(), pass.stop.get()).value());
  }
  return findings;
}

}  // namespace gpucheck::cases::in_memtest
