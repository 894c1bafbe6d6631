#include "runtime/caching/arena/pointer_map.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void PointerMap::grow() {
  const std::vector<Bucket> old = std::exchange(buckets_, std::vector<Bucket>(buckets_.size() * 2));
  mask_ = static_cast<std::uint32_t>(buckets_.size() - 1);
  max_size_ = max_size_with(buckets_.size());
  --shift_;
  for (const Bucket& bucket : old) {
    for (std::size_t lane = 0; lane < room; ++lane) {
      if (bucket.hashes[lane] != no_hash) put(bucket.hashes[lane], bucket.indices[lane]);
    }
  }
}

}  // namespace gpucheck::runtime::detail
