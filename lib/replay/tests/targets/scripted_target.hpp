#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "replay/targets/target.hpp"

namespace gpucheck::replay {

/// The simplest allocator there is: reserves the most that was ever allocated, gives it
/// back when the cache is emptied, keeps to a limit, and never uses an address twice.
/// It writes down what it is asked.
class ScriptedTarget final : public ComparableTarget {
 public:
  explicit ScriptedTarget(std::uint64_t limit_bytes = UINT64_MAX) : limit_(limit_bytes) {}

  Allocation allocate(std::uint64_t size, std::uint16_t stream) override {
    calls.push_back("allocate " + std::to_string(size) + " on " + std::to_string(stream));
    if (size > limit_ - allocated_) return {nullptr, true};
    if (size == 0) return {nullptr, false};
    allocated_ += size;
    reserved_ = std::max(reserved_, allocated_);
    void* const address = reinterpret_cast<void*>(next_address_ += 512);  // NOLINT: never dereferenced
    sizes_[address] = size;
    return {address, false};
  }
  void free(void* address) override {
    calls.push_back("free " + std::to_string(sizes_.at(address)));
    allocated_ -= sizes_.at(address);
    sizes_.erase(address);
  }
  void record_stream(void* address, std::uint16_t stream) override {
    calls.push_back("record " + std::to_string(sizes_.at(address)) + " on " + std::to_string(stream));
  }
  void synchronize() override { calls.emplace_back("synchronize"); }
  void empty_cache() override {
    calls.emplace_back("empty cache");
    reserved_ = allocated_;
  }
  Usage usage() override {
    Usage now{static_cast<std::int64_t>(allocated_), std::nullopt};
    if (tells_reserved) now.reserved_bytes = static_cast<std::int64_t>(reserved_);
    return now;
  }
  StepStatistics step_statistics() override {
    StepStatistics now{};
    now[allocated_bytes_statistic] = static_cast<std::int64_t>(allocated_);
    now[reserved_bytes_statistic] = static_cast<std::int64_t>(reserved_);
    return now;
  }
  std::vector<NamedStatistic> statistics() override { return final_statistics; }
  std::vector<SegmentLayout> segments() override { return final_segments; }

  std::vector<std::string> calls;
  bool tells_reserved = true;
  std::vector<NamedStatistic> final_statistics;
  std::vector<SegmentLayout> final_segments;

 private:
  std::uint64_t limit_;
  std::uint64_t allocated_ = 0;
  std::uint64_t reserved_ = 0;
  std::uintptr_t next_address_ = 0;
  std::map<void*, std::uint64_t> sizes_;
};

}  // namespace gpucheck::replay
