#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "runtime/allocator/memory_recorder.hpp"
#include "runtime/streams/pools/stream_table.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;
using Ids = std::vector<std::int64_t>;

/// Frees of blocks that streams use, and the order in which PyTorch completed them.
struct Round {
  bool starts_process = false;
  bool polls = false;              ///< an allocation completes them; else empty_cache
  std::vector<Ids> uses;           ///< of each block, in the order of the frees
  std::vector<std::size_t> order;  ///< of completion
};

Ids split(const std::string& text) {
  Ids ids;
  std::istringstream in(text);
  for (std::string id; std::getline(in, id, ',');) ids.push_back(std::stoll(id));
  return ids;
}

Round read_round(const std::string& call, std::istream& rest) {
  Round round;
  round.polls = call == "poll";
  for (std::string word; rest >> word && word != ">";) round.uses.push_back(split(word));
  for (std::size_t block = 0; rest >> block;) round.order.push_back(block);
  return round;
}

std::vector<Round> load_rounds() {
  const std::string path = GPUCHECK_RUNTIME_FOLDER "/streams/tests/data/stream_order.txt";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Round> rounds;
  bool starts_process = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string call;
    if (!(in >> call) || call[0] == '#') continue;
    if (call == "process") {
      starts_process = true;
      continue;
    }
    rounds.push_back(read_round(call, in));
    rounds.back().starts_process = std::exchange(starts_process, false);
  }
  return rounds;
}

/// Notes the addresses of the blocks whose frees are completed.
class Completions : public MemoryRecorder {
 public:
  CallContext context_of(MemoryCall) noexcept override { return no_call_context; }
  void prepare_shards(std::size_t) override {}
  void record(std::size_t, const MemoryEvent& event, CallContext) noexcept override {
    if (event.action == MemoryAction::free_completed) addresses.push_back(event.address);
  }
  void record_free(std::size_t, const MemoryEvent& requested, CallContext) noexcept override {
    addresses.push_back(requested.address);
  }

  std::vector<std::uintptr_t> addresses;
};

/// An allocator in a process of its own, with the streams that the recording had.
class Process {
 public:
  Process() {
    const auto add = [this](device::Stream stream) {
      streams_[machine_.runtime().streams().stream_id(stream)] = stream;
    };
    add(machine_.default_stream());
    for (int i = 0; i < StreamPool::streams_per_level; ++i) add(machine_.side_stream());
    for (int i = 0; i < StreamPool::streams_per_level; ++i) add(machine_.runtime().streams().next(-1));
    machine_.allocator().set_memory_recorder(&completions_);
  }
  ~Process() { machine_.allocator().set_memory_recorder(nullptr); }

  std::vector<std::size_t> order_of(const Round& round) {
    std::map<std::uintptr_t, std::size_t> positions;
    std::vector<void*> blocks;
    for (const Ids& uses : round.uses) {
      blocks.push_back(machine_.allocator().allocate(1_MiB, owner_for(uses)));
      positions.emplace(reinterpret_cast<std::uintptr_t>(blocks.back()), positions.size());
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const std::int64_t id : round.uses[i]) machine_.allocator().record_stream(blocks[i], streams_.at(id));
    }
    for (void* block : blocks) machine_.allocator().free(block);
    EXPECT_EQ(machine_.device().synchronize(), device::Status::success);
    completions_.addresses.clear();
    complete(round);
    std::vector<std::size_t> order;
    for (const std::uintptr_t address : completions_.addresses) order.push_back(positions.at(address));
    return order;
  }

 private:
  /// A stream that is not among those that use the block.
  device::Stream owner_for(const Ids& uses) const {
    const bool is_used_by_default = std::ranges::find(uses, 0) != uses.end();
    return is_used_by_default ? streams_.rbegin()->second : streams_.at(0);
  }
  void complete(const Round& round) {
    if (!round.polls) return machine_.allocator().empty_cache();
    void* block = machine_.allocator().allocate(1, machine_.default_stream());
    const std::vector<std::uintptr_t> before_its_own_free = completions_.addresses;
    machine_.allocator().free(block);
    completions_.addresses = before_its_own_free;
  }

  Simulated machine_;
  std::map<std::int64_t, device::Stream> streams_;
  Completions completions_;
};

TEST(StreamOrder, IsPyTorchs) {
  std::unique_ptr<Process> process;
  int rounds = 0;
  for (const Round& round : load_rounds()) {
    if (round.starts_process) process = std::make_unique<Process>();
    ASSERT_EQ(process->order_of(round), round.order) << "round " << rounds;
    ++rounds;
  }
  EXPECT_EQ(rounds, 540);
}

TEST(StreamTable, HoldsWhatAModelHolds) {
  std::mt19937_64 random(3);
  detail::StreamTable<int> table(0);
  std::map<std::int64_t, int> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto id = static_cast<std::int64_t>(random() % 128);
    const bool grows = step % 2'000 < 1'000;
    if (grows || random() % 8 == 0) {
      table[id] = step;
      model[id] = step;
    } else {
      const auto is_chosen = [&](std::int64_t other, int) { return other % 7 == id % 7; };
      table.erase_if(is_chosen);
      std::erase_if(model, [&](const auto& entry) { return is_chosen(entry.first, entry.second); });
    }
    std::map<std::int64_t, int> seen;
    table.erase_if([&](std::int64_t key, int value) {
      EXPECT_TRUE(seen.emplace(key, value).second);
      return false;
    });
    ASSERT_EQ(seen, model) << "step " << step;
    ASSERT_EQ(table.empty(), model.empty());
  }
}

}  // namespace
}  // namespace gpucheck::runtime::test
