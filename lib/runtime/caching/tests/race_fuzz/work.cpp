#include "work.hpp"

#include <algorithm>

#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"

namespace gpucheck::runtime::race_fuzz {

namespace ops = tensor::ops;
namespace {

namespace kernels = device::kernels;

/// Few elements are touched, so that programs run fast; all of them count as accessed.
std::size_t stride_of(const Block& block) { return std::max<std::size_t>(1, block.bytes / 16); }

}  // namespace

Work::Work(Runtime& runtime, std::vector<device::Stream> streams)
    : runtime_(runtime), device_(runtime.device()), streams_(std::move(streams)) {
  const std::size_t bytes = streams_.size() * sizeof(ops::Tally);
  tallies_ = device::own<device::UniqueDeviceMemory>(device_, device_.allocate(bytes));
  device::check(device_, device_.fill(tallies_.get(), 0, bytes, streams_[0]), "fill");
  device::check(device_, device_.synchronize(streams_[0]), "synchronize");
}

bool Work::has(device::Stream stream) const noexcept { return std::ranges::find(streams_, stream) != streams_.end(); }

Use Work::mark(device::Stream stream) {
  auto event = device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::no_timing));
  device::check(device_, device_.record(event.get(), stream), "record");
  return {stream, std::make_shared<const device::UniqueEvent>(std::move(event))};
}

void Work::wait(device::Stream stream, const Use& use) {
  if (use.stream != stream) device::check(device_, device_.wait(stream, use.done->get()), "wait");
}

void Work::wait_for_all(Block& block, device::Stream stream) {
  wait(stream, block.writer);
  for (const Use& reader : block.readers) wait(stream, reader);
}

void Work::used(Block& block, device::Stream stream) {
  if (stream == block.owner || std::ranges::find(block.unrecorded, stream) != block.unrecorded.end()) return;
  block.unrecorded.push_back(stream);
}

void Work::write(Block& block, device::Stream stream) {
  wait_for_all(block, stream);
  launch_write(block, stream);
  block.writer = mark(stream);
  block.readers.clear();
  used(block, stream);
}

void Work::read(Block& block, device::Stream stream) {
  wait(stream, block.writer);
  launch_read(block, stream, stream);
  block.readers.push_back(mark(stream));
  used(block, stream);
}

void Work::copy(Block& from, Block& to, device::Stream stream) {
  wait(stream, from.writer);
  wait_for_all(to, stream);
  device::check(device_, device_.copy(to.data, from.data, to.bytes, device::CopyKind::device_to_device, stream),
                "copy");
  const Use done = mark(stream);
  from.readers.push_back(done);
  to.writer = done;
  to.readers.clear();
  to.value = from.value;
  used(from, stream);
  used(to, stream);
}

void Work::spin(device::Stream stream, std::uint64_t nanoseconds) {
  device::check(device_, device::launch(device_, kernels::Spin{nanoseconds}, 1, stream), "spin");
}

void Work::launch_write(Block& block, device::Stream stream) {
  block.value = ++last_value_;
  ops::fill_strided(runtime_, block.data, block.bytes, *block.value, stride_of(block), stream, ops::Claim::all);
}

void Work::launch_read(const Block& block, device::Stream stream, device::Stream counted_by) {
  ops::verify(runtime_, block.data, block.bytes, block.value.value(), stride_of(block), tally(counted_by), stream,
              ops::Claim::all);
}

ops::Tally* Work::tally(device::Stream stream) noexcept {
  return static_cast<ops::Tally*>(tallies_.get()) + (std::ranges::find(streams_, stream) - streams_.begin());
}

ops::Tally Work::verified() {
  std::vector<ops::Tally> found(streams_.size());
  for (const device::Stream stream : streams_) device::check(device_, device_.synchronize(stream), "synchronize");
  device::check(device_,
                device_.copy(found.data(), tallies_.get(), found.size() * sizeof(ops::Tally),
                             device::CopyKind::device_to_host, streams_[0]),
                "copy");
  device::check(device_, device_.synchronize(streams_[0]), "synchronize");
  ops::Tally total;
  for (const ops::Tally& each : found) {
    total.verified += each.verified;
    total.wrong += each.wrong;
  }
  return total;
}

}  // namespace gpucheck::runtime::race_fuzz
