#include "runtime/pinned/pinned_statistics.hpp"

#include <algorithm>

namespace gpucheck::runtime {
namespace {

void append(FlatStatistics& out, const std::string& name, const DurationStatistic& statistic) {
  out.emplace_back(name + ".total", statistic.total);
  out.emplace_back(name + ".max", statistic.max);
  out.emplace_back(name + ".min", statistic.min);
  out.emplace_back(name + ".count", statistic.count);
  out.emplace_back(name + ".avg", statistic.average());
}

}  // namespace

void DurationStatistic::add(std::int64_t microseconds) noexcept {
  total += microseconds;
  max = std::max(max, microseconds);
  min = count == 0 ? microseconds : std::min(min, microseconds);
  ++count;
}

void DurationStatistic::add_since(std::chrono::steady_clock::time_point start) noexcept {
  add(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count());
}

FlatStatistics flatten(const PinnedStatistics& statistics) {
  FlatStatistics out;
  append(out, "allocations", statistics.allocations);
  append(out, "allocated_bytes", statistics.allocated_bytes);
  append(out, "active_requests", statistics.active_requests);
  append(out, "active_bytes", statistics.active_bytes);
  append(out, "host_alloc_time", statistics.host_alloc_time);
  append(out, "host_free_time", statistics.host_free_time);
  out.emplace_back("num_host_alloc", statistics.num_host_alloc);
  out.emplace_back("num_host_free", statistics.num_host_free);
  std::ranges::sort(out);
  return out;
}

}  // namespace gpucheck::runtime
