#include "runtime/caching/shared/configuration.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void Configuration::set_settings(AllocatorSettings settings) {
  settings_ = std::move(settings);
  policy_ = {settings_.max_split_size, settings_.max_non_split_rounding, settings_.expandable_segments};
  has_divisions_ = settings_.roundup_power2_divisions != AllocatorSettings{}.roundup_power2_divisions;
  update_slow_path();
}

void Configuration::set_fraction(double fraction, std::uint64_t total) {
  fraction_ = fraction;
  const double limit = fraction * static_cast<double>(total);
  limit_ = fraction < 1.0 ? std::optional(static_cast<std::uint64_t>(limit)) : std::nullopt;
  update_slow_path();
}

void Configuration::set_caching(bool enabled) {
  caching_ = enabled;
  update_slow_path();
}

void Configuration::update_slow_path() {
  slow_path_.set(SlowPathReason::uncached, !caching_);
  slow_path_.set(SlowPathReason::garbage_collection, limit_ && settings_.garbage_collection_threshold > 0.0);
}

}  // namespace gpucheck::runtime::detail
