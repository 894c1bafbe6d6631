#include "runtime/allocator/limited_allocator.hpp"

#include <fmt/format.h>
#include <utility>

namespace gpucheck::runtime {

void LimitedAllocator::reject(std::string_view function) const {
  throw UnsupportedError(fmt::format(
      "{} does not yet support {}. Choose the caching allocator (--allocator caching) for it.", backend_, function));
}

void LimitedAllocator::set_settings(std::string_view text) {
  std::unique_lock lock(settings_mutex_);
  AllocatorSettings parsed = parse_settings(text, settings_);
  require_same_backend(parsed, settings_);
  settings_ = std::move(parsed);
  const AllocatorSettings taken = settings_;
  lock.unlock();
  settings_changed(taken);
}

AllocatorSettings LimitedAllocator::settings() const {
  const std::scoped_lock lock(settings_mutex_);
  return settings_;
}

}  // namespace gpucheck::runtime
