#include "device/cuda/math/nccl.hpp"

#include <cstdlib>

#include "device/cuda/math/function_finder.hpp"

namespace gpucheck::cuda {
namespace {

constexpr const char* library_name = "libnccl.so.2";

LoadedNccl load() {
  // It is read once, when the library is initialised. A multicast group that a program dies with can take the GPUs of a
  // shared host out of service; whoever wants it asks for it.
  constexpr int keep_what_is_set = 0;
  static_cast<void>(::setenv("NCCL_NVLS_ENABLE", "0", keep_what_is_set));  // NOLINT(concurrency-mt-unsafe)
  // Never closed: it leaves threads behind.
  void* const library = ::dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {.functions = {}, .problem = ::dlerror()};  // NOLINT(concurrency-mt-unsafe)
  LoadedNccl loaded;
  Nccl& functions = loaded.functions;
  FunctionFinder finder{.library = library, .library_name = library_name};
  finder.find(functions.get_version, "ncclGetVersion");
  finder.find(functions.get_last_error, "ncclGetLastError");
  finder.find(functions.init_all, "ncclCommInitAll");
  finder.find(functions.get_unique_id, "ncclGetUniqueId");
  finder.find(functions.init_rank, "ncclCommInitRankConfig");
  finder.find(functions.abort, "ncclCommAbort");
  finder.find(functions.destroy, "ncclCommDestroy");
  finder.find(functions.get_async_error, "ncclCommGetAsyncError");
  finder.find(functions.group_start, "ncclGroupStart");
  finder.find(functions.group_end, "ncclGroupEnd");
  finder.find(functions.all_reduce, "ncclAllReduce");
  finder.find(functions.all_gather, "ncclAllGather");
  finder.find(functions.reduce_scatter, "ncclReduceScatter");
  finder.find(functions.broadcast, "ncclBroadcast");
  finder.find(functions.send, "ncclSend");
  finder.find(functions.receive, "ncclRecv");
  loaded.problem = std::move(finder.problem);
  return loaded;
}

}  // namespace

const LoadedNccl& nccl() {
  static const LoadedNccl loaded = load();
  return loaded;
}

}  // namespace gpucheck::cuda
