#include "device/sim/machine/race_detector.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "device/sim/memory/address.hpp"

namespace gpucheck::sim {

namespace {

std::string on_stream(const Actor& actor) {
  if (actor.by_host) return "by the host";
  return actor.stream ? fmt::format("on stream {:#x}", actor.stream.value) : std::string("on the default stream");
}

bool is_within(device::Stretch inner, device::Stretch outer) noexcept {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

void RaceDetector::access(const Actor& actor, const VectorClock& knows, const device::MemoryAccess& access) {
  const auto extent = device::extent_of(access);
  if (!extent || extent->begin == extent->end) return;  // nothing, or what will be an illegal address
  parts_left_ = most_parts;
  if (!patterns_.empty()) check_patterns(actor, knows, access, *extent);
  if (!access.repetitions.empty()) {
    check_cells(actor, knows, access, *extent);
    keep(actor, knows, access, *extent);
  } else if (access.mode == device::AccessMode::read) {
    read(actor, knows, extent->begin, extent->end);
  } else {
    write(actor, knows, extent->begin, extent->end);
    if (!patterns_.empty()) {
      std::erase_if(patterns_, [&](const Pattern& kept) { return is_within(kept.extent, *extent); });
    }
  }
  report_disputes(actor);
}

/// The first cell that starts at `address` or later, after cutting the one that crosses it.
RaceDetector::Cells::iterator RaceDetector::split(std::uintptr_t address) {
  const auto next = cells_.lower_bound(address);
  if (next == cells_.begin()) return next;
  const auto before = std::prev(next);
  if (before->second.end <= address) return next;
  Cell tail = before->second;
  before->second.end = address;
  return cells_.emplace_hint(next, address, std::move(tail));
}

void RaceDetector::read(const Actor& actor, const VectorClock& knows, std::uintptr_t begin, std::uintptr_t end) {
  auto cell = split(begin);
  split(end);
  for (std::uintptr_t at = begin; at < end; ++cell) {
    if (cell == cells_.end() || cell->first > at) {
      const std::uintptr_t gap_end = cell == cells_.end() ? end : std::min(end, cell->first);
      cell = cells_.emplace_hint(cell, at, Cell{.end = gap_end, .writer = {}, .readers = {}});
    }
    const Actor& writer = cell->second.writer;
    const bool other_writer = writer.sequence != 0 && writer.sequence != actor.sequence;
    if (other_writer && !knows.covers(writer.stamp)) dispute_cell(writer, at, cell->second.end);
    std::vector<Actor>& readers = cell->second.readers;
    // A reader that this one comes after adds nothing: who is ordered after this one
    // is ordered after it too.
    std::erase_if(readers,
                  [&](const Actor& reader) { return reader.sequence == actor.sequence || knows.covers(reader.stamp); });
    readers.push_back(actor);
    at = cell->second.end;
  }
}

void RaceDetector::write(const Actor& actor, const VectorClock& knows, std::uintptr_t begin, std::uintptr_t end) {
  const auto unordered = [&](const Actor& other) {
    return other.sequence != 0 && other.sequence != actor.sequence && !knows.covers(other.stamp);
  };
  auto cell = split(begin);
  const auto last = split(end);
  if (cell == last) {  // never touched
    cells_.emplace_hint(last, begin, Cell{.end = end, .writer = actor, .readers = {}});
    return;
  }
  for (auto at = cell; at != last; ++at) {
    if (unordered(at->second.writer)) dispute_cell(at->second.writer, at->first, at->second.end);
    for (const Actor& reader : at->second.readers) {
      if (unordered(reader)) dispute_cell(reader, at->first, at->second.end);
    }
  }
  if (cell->first != begin) {
    cell = cells_.emplace_hint(cell, begin, Cell{});
  }
  cell->second.end = end;
  cell->second.writer = actor;
  cell->second.readers.clear();
  cells_.erase(std::next(cell), last);
}

void RaceDetector::forget(const void* address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto first = split(address_of(address));
  const auto last = split(address_of(address) + bytes);
  cells_.erase(first, last);
  if (!patterns_.empty()) forget_patterns({address_of(address), address_of(address) + bytes});
}

void RaceDetector::dispute(const Actor& other, std::uintptr_t begin, std::uintptr_t end) {
  const auto known = std::find_if(disputes_.begin(), disputes_.end(),
                                  [&](const Dispute& dispute) { return dispute.other.sequence == other.sequence; });
  if (known == disputes_.end()) {
    disputes_.push_back({other, begin, end});
  } else if (known->end == begin) {
    known->end = end;
  }
}

void RaceDetector::report_disputes(const Actor& actor) {
  for (const Dispute& dispute : disputes_) report(dispute.other, actor, dispute.begin, dispute.end);
  disputes_.clear();
}

void RaceDetector::report(const Actor& first, const Actor& second, std::uintptr_t begin, std::uintptr_t end) {
  if (!reported_.emplace(first.sequence, second.sequence).second) return;
  const bool in_order = first.finish_ns <= second.finish_ns;
  const Actor& earlier = in_order ? first : second;
  const Actor& later = in_order ? second : first;
  const auto* address = reinterpret_cast<const void*>(begin);
  races_.push_back({.earlier = std::string(earlier.name),
                    .later = std::string(later.name),
                    .earlier_stream = earlier.stream,
                    .later_stream = later.stream,
                    .address = address,
                    .bytes = end - begin,
                    .description = fmt::format(
                        "\"{}\" {} and \"{}\" {} touch the same {} bytes at {}, one of them writes, and nothing "
                        "orders them: add an event wait or a synchronisation between them",
                        earlier.name, on_stream(earlier), later.name, on_stream(later), end - begin, address)});
}

void RaceDetector::host_write(const Actor& actor, const void* address, std::uint64_t bytes) {
  races_.push_back(
      {.earlier = "host write",
       .later = std::string(actor.name),
       .earlier_stream = actor.stream,
       .later_stream = actor.stream,
       .address = address,
       .bytes = bytes,
       .description = fmt::format(
           "host write: the host changed the {} bytes at {} while \"{}\" {} had not read them yet: wait for the "
           "operation before reusing its source",
           bytes, address, actor.name, on_stream(actor))});
}

}  // namespace gpucheck::sim
