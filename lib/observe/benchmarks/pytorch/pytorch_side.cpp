// Built against libtorch by scripts/compare_with_pytorch, not by CMake.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "loops.hpp"

namespace {

namespace caching = c10::cuda::CUDACachingAllocator;

struct CurrentStream {
  void* allocate(std::size_t bytes) { return caching::raw_alloc(bytes); }
  void free(void* pointer) { caching::raw_delete(pointer); }
};

struct OwnStream : CurrentStream {
  c10::cuda::CUDAStreamGuard guard{c10::cuda::getStreamFromPool()};
};

void record(bool on) { caching::recordHistory(on, nullptr, 100'000, caching::RecordContext::NEVER, false, {}); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER_OF_TRAINING_STEPS\n", argv[0]);
    return 2;
  }
  caching::init(1);
  c10::cuda::device_synchronize();
  CurrentStream allocator;
  peers::run(
      allocator, [] { return OwnStream(); }, [] { caching::emptyCache(); }, record, peers::training_steps_in(argv[1]));
}
