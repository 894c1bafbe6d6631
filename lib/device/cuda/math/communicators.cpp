#include "device/cuda/math/communicators.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "device/cuda/cuda_device.hpp"

namespace gpucheck::cuda {

using device::Communicator;
using device::Result;
using device::Status;

namespace {

void abort(const Nccl& library, const Ranks& ranks) {
  if (ranks.aborted.exchange(true)) return;
  for (const ncclComm_t part : ranks.parts) {
    if (part != nullptr) static_cast<void>(library.abort(part));
  }
}

/// The unique id as hexadecimal digits, and back.
std::string to_text(const ncclUniqueId& id) {
  std::string text;
  for (const char byte : id.internal) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::optional<ncclUniqueId> id_from(std::string_view text) {
  ncclUniqueId id{};
  if (text.size() != 2 * sizeof id.internal) return std::nullopt;
  for (std::size_t i = 0; i < sizeof id.internal; ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + 2 * i;
    const auto [end, problem] = std::from_chars(digits, digits + 2, byte, 16);
    if (problem != std::errc() || end != digits + 2) return std::nullopt;
    std::memcpy(&id.internal[i], &byte, 1);
  }
  return id;
}

}  // namespace

Communicators& communicators() {
  static Communicators all;
  return all;
}

Status status_from(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return Status::success;
    case ncclInvalidArgument:
      return Status::invalid_value;
    case ncclInvalidUsage:
      return Status::not_permitted;
    case ncclInProgress:
      return Status::not_ready;
    default: {
      const cudaError_t error = cudaPeekAtLastError();
      return error != cudaSuccess ? to_status(error) : Status::unknown;
    }
  }
}

ncclResult_t state_of(const Nccl& library, ncclComm_t part) {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = library.get_async_error(part, &state);
  return asked == ncclSuccess ? state : asked;
}

ncclResult_t settle(const Nccl& library, const Ranks& ranks) {
  const auto deadline = std::chrono::steady_clock::now() + ranks.patience;
  for (const ncclComm_t part : ranks.parts) {
    ncclResult_t state = state_of(library, part);
    while (state == ncclInProgress && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      state = state_of(library, part);
    }
    if (state != ncclSuccess) return state;
  }
  return ncclSuccess;
}

Result<Communicator> CudaDevice::create_communicator(const std::vector<int>& ordinals) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return to_status(error);
  if (std::ranges::any_of(ordinals, [&](int ordinal) { return ordinal < 0 || ordinal >= count; })) {
    return Status::invalid_device;
  }
  const bool repeats = std::set<int>(ordinals.begin(), ordinals.end()).size() != ordinals.size();
  if (repeats || std::ranges::find(ordinals, ordinal_) == ordinals.end()) return Status::invalid_value;
  const LoadedNccl& loaded = nccl();
  if (!loaded.problem.empty()) return Status::shared_object_init_failed;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  const auto ranks = std::make_shared<Ranks>();
  ranks->parts.resize(ordinals.size());
  ranks->size = static_cast<int>(ordinals.size());
  const ncclResult_t result = loaded.functions.init_all(ranks->parts.data(), ranks->size, ordinals.data());
  if (result != ncclSuccess) return status_from(result);
  return communicators().add(ranks);
}

Result<std::string> CudaDevice::open_meeting() {
  const LoadedNccl& loaded = nccl();
  if (!loaded.problem.empty()) return Status::shared_object_init_failed;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  ncclUniqueId id{};
  if (const ncclResult_t result = loaded.functions.get_unique_id(&id); result != ncclSuccess) {
    return status_from(result);
  }
  return cuda::to_text(id);
}

Result<Communicator> CudaDevice::join_communicator(const device::Seats& seats) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return to_status(error);
  if (std::ranges::any_of(seats.ordinals, [&](int ordinal) { return ordinal < 0 || ordinal >= count; })) {
    return Status::invalid_device;
  }
  if (const Status status = check_seats(seats, ordinal_); status != Status::success) return status;
  const std::optional<ncclUniqueId> id = id_from(seats.meeting);
  if (!id) return Status::invalid_value;
  const LoadedNccl& loaded = nccl();
  if (!loaded.problem.empty()) return Status::shared_object_init_failed;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  const Nccl& library = loaded.functions;
  const auto ranks = std::make_shared<Ranks>();
  ranks->parts.resize(seats.ordinals.size());
  ranks->first = seats.first_rank;
  ranks->size = seats.size;
  ranks->patience = seats.patience;
  // Only what does not block can be given up when somebody never comes.
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const auto join = [&](std::size_t part) -> ncclResult_t {
    if (::cudaSetDevice(seats.ordinals[part]) != cudaSuccess) return ncclUnhandledCudaError;
    const ncclResult_t result =
        library.init_rank(&ranks->parts[part], seats.size, *id, seats.first_rank + static_cast<int>(part), &config);
    return result == ncclInProgress ? ncclSuccess : result;
  };
  if (const ncclResult_t result = library.group_start(); result != ncclSuccess) return status_from(result);
  Calls calls;
  for (std::size_t part = 0; part < ranks->parts.size(); ++part) calls.make([&] { return join(part); });
  const ncclResult_t ended = library.group_end();
  ncclResult_t result = calls.result() != ncclSuccess ? calls.result() : ended;
  if (result == ncclInProgress || result == ncclSuccess) result = settle(library, *ranks);
  if (const cudaError_t error = make_current(); error != cudaSuccess && result == ncclSuccess) {
    result = ncclUnhandledCudaError;
  }
  if (result == ncclSuccess) return communicators().add(ranks);
  const Status status = status_from(result);
  abort(library, *ranks);
  return status;
}

Status CudaDevice::abort_communicator(Communicator communicator) {
  const std::shared_ptr<const Ranks> ranks = communicators().find(communicator);
  if (ranks == nullptr) return Status::invalid_resource_handle;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  abort(nccl().functions, *ranks);
  return Status::success;
}

Status CudaDevice::destroy_communicator(Communicator communicator) {
  const std::shared_ptr<const Ranks> ranks = communicators().take(communicator);
  if (ranks == nullptr) return Status::invalid_resource_handle;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  if (ranks->aborted) return Status::success;
  const Nccl& library = nccl().functions;
  Calls calls;
  calls.make([&] { return library.group_start(); });
  for (const ncclComm_t part : ranks->parts) calls.make([&] { return library.destroy(part); });
  calls.make([&] { return library.group_end(); });
  return status_from(calls.result());
}

Status CudaDevice::communicator_status(Communicator communicator) {
  const std::shared_ptr<const Ranks> ranks = communicators().find(communicator);
  if (ranks == nullptr) return Status::invalid_resource_handle;
  if (ranks->aborted) return Status::illegal_state;
  for (const ncclComm_t part : ranks->parts) {
    if (const ncclResult_t state = state_of(nccl().functions, part); state != ncclSuccess) return status_from(state);
  }
  return Status::success;
}

}  // namespace gpucheck::cuda
