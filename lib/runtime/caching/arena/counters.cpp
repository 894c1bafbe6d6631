#include "runtime/caching/arena/counters.hpp"

namespace gpucheck::runtime::detail {
namespace {

template <typename Predicate>
bool any_spare(const Counters& counters, Predicate predicate) noexcept {
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      if (predicate(counters.spare(scope, counter))) return true;
    }
  }
  return false;
}

}  // namespace

bool Counters::exceeds_any() const noexcept {
  return any_spare(*this, [](std::int64_t spare) { return spare < 0; });
}

bool Counters::has_spare() const noexcept {
  return any_spare(*this, [](std::int64_t spare) { return spare > 0; });
}

Quotas Counters::spare() const noexcept {
  Quotas result{};
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) result[scope][counter] = spare(scope, counter);
  }
  return result;
}

Quotas Counters::give_spare(const Quotas& theirs, bool all_of_it) noexcept {
  Quotas result{};
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      const std::int64_t own = std::max(spare(scope, counter), std::int64_t{0});
      const std::int64_t difference = std::max(own - theirs[scope][counter], std::int64_t{0});
      const std::int64_t given = all_of_it ? own : std::min(own, difference / 2);
      quota[scope][counter] -= given;
      result[scope][counter] = given;
    }
  }
  return result;
}

void Counters::add_quotas(const Quotas& more) noexcept {
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) quota[scope][counter] += more[scope][counter];
  }
}

}  // namespace gpucheck::runtime::detail
