#include <fmt/format.h>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

void CachingAllocator::State::set_memory_fraction(double fraction) {
  if (!(fraction >= 0.0 && fraction <= 1.0)) {
    throw UsageError(fmt::format("Invalid fraction value: {:#}. Allowed range: 0~1", fraction));
  }
  const Exclusive lock(*this);
  fraction_ = fraction;
  const auto total = static_cast<double>(device_.properties().total_memory_bytes);
  limit_ = fraction < 1.0 ? std::optional(static_cast<std::uint64_t>(fraction * total)) : std::nullopt;
  update_attention();
}

double CachingAllocator::State::memory_fraction() {
  const Exclusive lock(*this);
  return fraction_;
}

void CachingAllocator::State::set_settings(std::string_view text) {
  const Exclusive lock(*this);
  AllocatorSettings parsed = parse_settings(text, settings_);
  require_same_backend(parsed, settings_);
  apply(std::move(parsed));
}

AllocatorSettings CachingAllocator::State::settings() {
  const Exclusive lock(*this);
  return settings_;
}

void CachingAllocator::State::set_caching(bool enabled) {
  const Exclusive lock(*this);
  caching_ = enabled;
  update_attention();
}

void CachingAllocator::State::add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer) {
  const Exclusive lock(*this);
  observers_.push_back(std::move(observer));
}

void CachingAllocator::State::add_free_memory_callback(std::function<bool()> callback) {
  const Exclusive lock(*this);
  free_memory_callbacks_.push_back(std::move(callback));
}

void CachingAllocator::State::set_process_memory_query(std::function<std::optional<std::uint64_t>()> query) {
  const Exclusive lock(*this);
  process_memory_query_ = std::move(query);
}

}  // namespace gpucheck::runtime
