#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/math/communicators.hpp"

namespace gpucheck::cuda {
namespace {

using device::Collective;
using device::CollectiveKind;
using device::Communicator;
using device::ElementType;
using device::RankOperands;
using device::Result;
using device::Status;

ncclDataType_t raw(ElementType type) {
  switch (type) {
    case ElementType::fp64:
      return ncclFloat64;
    case ElementType::fp16:
      return ncclFloat16;
    case ElementType::bf16:
      return ncclBfloat16;
    case ElementType::fp8_e4m3:
    case ElementType::fp8_e5m2:
    case ElementType::int8:
      return ncclInt8;  // fp8 is moved, never reduced
    case ElementType::int32:
      return ncclInt32;
    case ElementType::fp32:
      break;
  }
  return ncclFloat32;
}

ncclRedOp_t raw(device::Reduction reduction) {
  if (reduction == device::Reduction::minimum) return ncclMin;
  return reduction == device::Reduction::maximum ? ncclMax : ncclSum;
}

/// One rank's calls, within a group.
ncclResult_t enqueue(const Nccl& library, const Collective& collective, const Ranks& ranks, std::size_t own,
                     const RankOperands& operands) {
  const ncclComm_t part = ranks.parts[own];
  const std::size_t rank = static_cast<std::size_t>(ranks.first) + own;
  const ncclDataType_t type = raw(collective.type);
  const std::size_t count = collective.count;
  const std::size_t bytes = count * element_bytes(collective.type);
  const auto size = static_cast<std::size_t>(ranks.size);
  const auto* const sent = static_cast<const std::byte*>(operands.sent);
  auto* const received = static_cast<std::byte*>(operands.received);
  cudaStream_t const stream = cuda::raw(operands.stream);
  Calls calls;
  const auto send = [&](std::size_t block, std::size_t to) {
    calls.make([&] { return library.send(sent + block * bytes, count, type, static_cast<int>(to), part, stream); });
  };
  const auto receive = [&](std::size_t block, std::size_t from) {
    calls.make(
        [&] { return library.receive(received + block * bytes, count, type, static_cast<int>(from), part, stream); });
  };
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return library.all_reduce(sent, received, count, type, raw(collective.reduction), part, stream);
    case CollectiveKind::all_gather:
      return library.all_gather(sent, received, count, type, part, stream);
    case CollectiveKind::reduce_scatter:
      return library.reduce_scatter(sent, received, count, type, raw(collective.reduction), part, stream);
    case CollectiveKind::broadcast:
      return library.broadcast(sent, received, count, type, collective.root, part, stream);
    case CollectiveKind::all_to_all:
      for (std::size_t peer = 0; peer < size; ++peer) {
        send(peer, peer);
        receive(peer, peer);
      }
      break;
    case CollectiveKind::send_receive: {
      const std::size_t distance = static_cast<std::size_t>(collective.distance) % size;
      send(0, (rank + distance) % size);
      receive(0, (rank + size - distance) % size);
      break;
    }
  }
  return calls.result();
}

Status reject_captured(const std::vector<RankOperands>& operands) {
  for (const RankOperands& rank : operands) {
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    if (const cudaError_t error = cudaStreamIsCapturing(cuda::raw(rank.stream), &state); error != cudaSuccess) {
      return to_status(error);
    }
    if (state != cudaStreamCaptureStatusNone) return Status::stream_capture_unsupported;
  }
  return Status::success;
}

}  // namespace

Result<device::VendorLibrary> CudaDevice::collective_library() {
  const LoadedNccl& loaded = nccl();
  if (!loaded.problem.empty()) return device::VendorLibrary{"NCCL", "", loaded.problem};
  int version = 0;
  if (const ncclResult_t result = loaded.functions.get_version(&version); result != ncclSuccess) {
    return status_from(result);
  }
  return device::VendorLibrary{"NCCL", fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100),
                               ""};
}

Status CudaDevice::communicate(Communicator communicator, const Collective& collective,
                               const std::vector<RankOperands>& operands) {
  const std::shared_ptr<const Ranks> ranks = communicators().find(communicator);
  if (ranks == nullptr) return Status::invalid_resource_handle;
  if (ranks->aborted) return Status::illegal_state;
  if (operands.size() != ranks->parts.size()) return Status::invalid_value;
  if (const Status status = check_collective(collective, operands, ranks->size); status != Status::success)
    return status;
  if (const Status status = reject_captured(operands); status != Status::success) return status;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  const Nccl& library = nccl().functions;
  if (const ncclResult_t result = library.group_start(); result != ncclSuccess) return status_from(result);
  Calls calls;
  for (std::size_t rank = 0; rank < operands.size(); ++rank) {
    calls.make([&] {
      const ncclResult_t enqueued = enqueue(library, collective, *ranks, rank, operands[rank]);
      return enqueued == ncclInProgress ? ncclSuccess : enqueued;
    });
  }
  // A group that was begun has to be ended, whatever happened within.
  const ncclResult_t ended = library.group_end();
  const ncclResult_t result = calls.result() != ncclSuccess ? calls.result() : ended;
  return status_from(result == ncclInProgress ? settle(library, *ranks) : result);
}

Result<std::string> CudaDevice::collective_problem() {
  const LoadedNccl& loaded = nccl();
  if (!loaded.problem.empty()) return loaded.problem;
  const char* const words = loaded.functions.get_last_error(nullptr);
  return std::string(words == nullptr ? "" : words);
}

}  // namespace gpucheck::cuda
