#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "../simulated_devices.hpp"
#include "base/text/units.hpp"
#include "observe/history/memory_history.hpp"
#include "observe/snapshot/snapshot_file.hpp"
#include "replay/analysis/conversion.hpp"
#include "replay/analysis/what_if.hpp"
#include "replay/formats/file.hpp"
#include "replay/targets/caching_allocator_target.hpp"
#include "replay/targets/make_target.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {
namespace {

using namespace literals;

const std::string& settings_of(bool expandable) {
  static const std::string texts[] = {"expandable_segments:False", "expandable_segments:True"};
  return texts[expandable ? 1 : 0];
}

/// A program on a device of its own, whose memory is recorded.
class Program {
 public:
  Program() : device_(simulated_devices().open(64_GiB)), runtime_(*device_.device), history_(allocator(), 0) {
    history_.record({
        .context = observe::ContextLevel::none,
    });
  }

  void set(bool expandable) { runtime_.set_settings(settings_of(expandable)); }
  void* allocate(std::uint64_t bytes) { return allocator().allocate(bytes, device_.device->default_stream()); }
  void free(void* address) { allocator().free(address); }
  std::int64_t peak_reserved() { return allocator().stats().reserved_bytes.all.peak; }
  Snapshot snapshot() {
    std::ostringstream text;
    observe::write_json(history_.snapshot(), text);
    return read_snapshot_bytes("snapshot", text.str());
  }

 private:
  runtime::CachingAllocator& allocator() { return runtime_.caching_allocator(); }

  PlayedDevice device_;
  runtime::Runtime runtime_;
  observe::MemoryHistory history_;
};

std::int64_t played_peak(const Snapshot& snapshot, SettingChanges changes, const std::string& settings = "") {
  const Trace trace = convert(snapshot, 0, PrivatePools::kept, changes).trace;
  const PlayedDevice device = simulated_devices().open(64_GiB);
  TargetOptions options = options_of(trace);
  if (!settings.empty()) options.settings = settings;
  CachingAllocatorTarget target(*device.device, options);
  return what_if(trace, target).peak_reserved->reserved_bytes.value();
}

// 30 MiB free in an expandable segment do not serve while expandable segments are off, and serve again afterwards: 80
// MiB are mapped, in pages of 20 MiB, and 26 MiB allocated.
TEST(ChangingPrograms, TakeAsMuchMemoryAsRecorded) {
  Program program;
  program.set(true);
  void* const first = program.allocate(30_MiB);
  static_cast<void>(program.allocate(50_MiB));
  program.free(first);
  program.set(false);
  static_cast<void>(program.allocate(25_MiB));
  program.set(true);
  static_cast<void>(program.allocate(28_MiB));
  const Snapshot snapshot = program.snapshot();
  EXPECT_EQ(program.peak_reserved(), 106_MiB);
  EXPECT_EQ(played_peak(snapshot, SettingChanges::played), 106_MiB);
  // 25 MiB take the place of the first, and 28 MiB are new: as a segment of that size, or as two pages of 20 MiB.
  EXPECT_EQ(played_peak(snapshot, SettingChanges::left_out, settings_of(false)), 108_MiB);
  EXPECT_EQ(played_peak(snapshot, SettingChanges::left_out, settings_of(true)), 120_MiB);
}

/// Every change is followed by a request that no free block serves, so that the recording shows when it was.
void run(Program& program, unsigned seed, int steps) {
  std::minstd_rand random(seed);
  std::vector<void*> live;
  bool expandable = seed % 2 == 0;
  program.set(expandable);
  std::uint64_t never_free = 700_MiB;
  for (int step = 0; step < steps; ++step) {
    const auto draw = random() % 100;
    if (draw < 5) {
      program.set(expandable = !expandable);
      live.push_back(program.allocate(never_free));
      never_free += 20_MiB;
    } else if (draw < 55 || live.empty()) {
      live.push_back(program.allocate((1 + random() % 60) * (draw % 3 == 0 ? 1_MiB : 3_KiB)));
    } else {
      const std::size_t victim = random() % live.size();
      program.free(live[victim]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }
}

TEST(ChangingPrograms, OfAllKindsTakeAsMuchMemoryAsRecorded) {
  int differing = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Program program;
    run(program, seed, 300);
    const Snapshot snapshot = program.snapshot();
    EXPECT_EQ(played_peak(snapshot, SettingChanges::played), program.peak_reserved()) << seed;
    differing += played_peak(snapshot, SettingChanges::left_out) != program.peak_reserved() ? 1 : 0;
  }
  EXPECT_GT(differing, 10) << "the changes make a difference";
}

}  // namespace
}  // namespace gpucheck::replay
