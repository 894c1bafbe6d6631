#include "runner/limits/oom_watch.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>

/// Counters of cgroups as the kernel writes them, in a folder that stands for the machine.
namespace gpucheck::runner {
namespace {

namespace files = std::filesystem;

class OomWatchTest : public ::testing::Test {
 protected:
  OomWatchTest() {
    std::string name = (files::temp_directory_path() / "gpucheck_oom_XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~OomWatchTest() override {
    std::error_code ignored;
    files::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    files::create_directories(files::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }

  /// Version 2, the process in `path`, seen through a mount that shows `mounted` at its top.
  void mount_version_2(const std::string& path, const std::string& mounted = "/") const {
    write("/proc/self/cgroup", "0::" + path + "\n");
    write("/proc/self/mountinfo", "24 1 0:5 / /proc rw - proc proc rw\n30 24 0:26 " + mounted +
                                      " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  void mount_version_1(const std::string& path, const std::string& mounted = "/") const {
    write("/proc/self/cgroup", "9:name=systemd:/x\n4:cpu,cpuacct:/x\n3:hugetlb,memory:" + path + "\n0::/\n");
    write(
        "/proc/self/mountinfo",
        "30 24 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n31 24 0:27 " + mounted +
            " /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n32 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup "
            "cgroup rw,cpu\n");
  }

  void write_events(const std::string& folder, int oom, int kills, int local_oom) const {
    const auto text = [](int limit_hit, int killed) {
      return "low 0\nhigh 7\nmax 12\noom " + std::to_string(limit_hit) + "\noom_kill " + std::to_string(killed) +
             "\noom_group_kill 0\n";
    };
    write(folder + "/memory.events", text(oom, kills));
    write(folder + "/memory.events.local", text(local_oom, kills));
  }

  void write_version_1(const std::string& folder, int failcnt, int kills, const std::string& limit) const {
    write(folder + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill " + std::to_string(kills) + "\n");
    write(folder + "/memory.failcnt", std::to_string(failcnt) + "\n");
    write(folder + "/memory.limit_in_bytes", limit + "\n");
  }

  std::string root_;
};

TEST_F(OomWatchTest, AKillAtTheOwnLimitOfVersion2IsThatLimits) {
  mount_version_2("/job.slice/step");
  write_events("/sys/fs/cgroup/job.slice/step", 3, 2, 3);
  write_events("/sys/fs/cgroup/job.slice", 3, 2, 0);
  write("/sys/fs/cgroup/job.slice/step/memory.max", "62914560\n");
  write("/sys/fs/cgroup/job.slice/memory.max", "max\n");
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  EXPECT_FALSE(watch.why_killed(before, 1)) << "nothing has happened yet";
  write_events("/sys/fs/cgroup/job.slice/step", 4, 3, 4);
  write_events("/sys/fs/cgroup/job.slice", 4, 3, 0);
  const auto kill = watch.why_killed(before, 1);
  ASSERT_TRUE(kill);
  EXPECT_TRUE(kill->by_limit);
  EXPECT_EQ(kill->text, "the memory limit of its cgroup was reached (60.00 MiB, /sys/fs/cgroup/job.slice/step)");
}

TEST_F(OomWatchTest, TheLimitMayBeThatOfACgroupFurtherUp) {
  mount_version_2("/pod/container");
  write_events("/sys/fs/cgroup/pod/container", 0, 0, 0);
  write("/sys/fs/cgroup/pod/container/memory.max", "max\n");
  write_events("/sys/fs/cgroup/pod", 0, 0, 0);
  write("/sys/fs/cgroup/pod/memory.max", "1073741824\n");
  const OomWatch watch(root_);
  EXPECT_EQ(watch.limit_text(), "1024.00 MiB, /sys/fs/cgroup/pod");
  const OomReading before = watch.read();
  write_events("/sys/fs/cgroup/pod/container", 0, 1, 0);
  write_events("/sys/fs/cgroup/pod", 1, 1, 1);
  const auto kill = watch.why_killed(before, 1);
  ASSERT_TRUE(kill);
  EXPECT_TRUE(kill->by_limit);
  EXPECT_EQ(kill->text, "the memory limit of its cgroup was reached (1024.00 MiB, /sys/fs/cgroup/pod)");
}

TEST_F(OomWatchTest, WhatIsKilledInANeighboursCgroupIsNothing) {
  mount_version_2("/pod/container");
  write_events("/sys/fs/cgroup/pod/container", 0, 0, 0);
  write_events("/sys/fs/cgroup/pod", 0, 0, 0);
  write("/proc/vmstat", "nr_free_pages 1\noom_kill 5\n");
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  write_events("/sys/fs/cgroup/pod", 1, 1, 1);
  write("/proc/vmstat", "nr_free_pages 1\noom_kill 6\n");
  EXPECT_FALSE(watch.why_killed(before, 1));
}

TEST_F(OomWatchTest, AKillWithoutALimitIsTheMachines) {
  mount_version_2("/job");
  write_events("/sys/fs/cgroup/job", 0, 0, 0);
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  write_events("/sys/fs/cgroup/job", 0, 1, 0);
  const auto kill = watch.why_killed(before, 1);
  ASSERT_TRUE(kill);
  EXPECT_FALSE(kill->by_limit);
  EXPECT_EQ(kill->text, "the machine had no memory left");
}

TEST_F(OomWatchTest, InAContainerTheOwnPathMayBeTheTop) {
  mount_version_2("/");
  write_events("/sys/fs/cgroup", 0, 0, 0);
  write("/sys/fs/cgroup/memory.max", "62914560\n");
  const OomWatch watch(root_);
  EXPECT_EQ(watch.limit_text(), "60.00 MiB, /sys/fs/cgroup");
  const OomReading before = watch.read();
  write_events("/sys/fs/cgroup", 1, 1, 1);
  EXPECT_TRUE(watch.why_killed(before, 1).value().by_limit);
}

TEST_F(OomWatchTest, AMountMayShowTheContainersCgroupAtItsTop) {
  for (const char* path : {"/docker/1f2e", "/docker/1f2e/inner", "/../1f2e"}) {
    mount_version_1(path, "/docker/1f2e");
    write_version_1("/sys/fs/cgroup/memory", 0, 0, "62914560");
    const OomWatch watch(root_);
    EXPECT_EQ(watch.limit_text(), "60.00 MiB, /sys/fs/cgroup/memory") << path;
  }
}

TEST_F(OomWatchTest, ACgroupThatDoesNotManageMemoryIsCountedWithTheOneAbove) {
  mount_version_2("/job/without/memory");
  write("/sys/fs/cgroup/job/without/memory/cgroup.procs", "");
  write_events("/sys/fs/cgroup/job", 0, 0, 0);
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  write_events("/sys/fs/cgroup/job", 1, 1, 1);
  EXPECT_TRUE(watch.why_killed(before, 1).value().by_limit);
}

TEST_F(OomWatchTest, Version1CountsItsKillsToo) {
  mount_version_1("/slurm/job");
  write_version_1("/sys/fs/cgroup/memory/slurm/job", 100, 1, "62914560");
  write_version_1("/sys/fs/cgroup/memory/slurm", 0, 0, "9223372036854771712");
  const OomWatch watch(root_);
  EXPECT_EQ(watch.limit_text(), "60.00 MiB, /sys/fs/cgroup/memory/slurm/job");
  const OomReading before = watch.read();
  write_version_1("/sys/fs/cgroup/memory/slurm/job", 150, 1, "62914560");
  EXPECT_FALSE(watch.why_killed(before, 1)) << "what the limit holds back is not a kill";
  write_version_1("/sys/fs/cgroup/memory/slurm/job", 190, 2, "62914560");
  const auto kill = watch.why_killed(before, 1);
  ASSERT_TRUE(kill);
  EXPECT_TRUE(kill->by_limit);
  EXPECT_EQ(kill->text, "the memory limit of its cgroup was reached (60.00 MiB, /sys/fs/cgroup/memory/slurm/job)");
}

TEST_F(OomWatchTest, AVersion1CgroupThatDoesNotKillLetsItsProcessesStandStill) {
  mount_version_1("/job");
  write_version_1("/sys/fs/cgroup/memory/job", 1, 0, "62914560");
  EXPECT_FALSE(OomWatch(root_).read().waits);
  write("/sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 1\nunder_oom 1\noom_kill 0\n");
  EXPECT_TRUE(OomWatch(root_).read().waits);
}

TEST_F(OomWatchTest, OldKernelsCountWhatTheLimitHeldBackAlone) {
  mount_version_1("/job");
  write_version_1("/sys/fs/cgroup/memory/job", 1, 0, "62914560");
  write("/sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  EXPECT_FALSE(watch.why_killed(before, 1));
  write("/sys/fs/cgroup/memory/job/memory.failcnt", "30\n");
  EXPECT_TRUE(watch.why_killed(before, 1).value().by_limit);
}

TEST_F(OomWatchTest, WithoutCgroupsTheMachinesCounterSpeaks) {
  write("/proc/vmstat", "oom_kill 5\n");
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  EXPECT_FALSE(watch.why_killed(before, 1));
  write("/proc/vmstat", "oom_kill 6\n");
  EXPECT_FALSE(watch.why_killed(before, 1).value().by_limit);
}

TEST_F(OomWatchTest, WithoutAnyCounterTheKernelsLogDoes) {
  write("/dev/kmsg",
        "6,1,1,-;nothing\n3,2,2,-;Out of memory: Killed process 4711 (gpucheck) total-vm:1kB, anon-rss:1kB, UID:0\n");
  const OomWatch watch(root_);
  EXPECT_TRUE(watch.why_killed({}, 4711));
  EXPECT_FALSE(watch.why_killed({}, 471));
  EXPECT_FALSE(watch.why_killed({}, 47110));
  write("/dev/kmsg", "3,2,2,-;Memory cgroup out of memory: Kill process 12 (gpucheck) score 900 or sacrifice child\n");
  EXPECT_TRUE(watch.why_killed({}, 12));
}

TEST_F(OomWatchTest, WhereNothingCanBeReadNothingIsKnown) {
  const OomWatch watch(root_);
  EXPECT_FALSE(watch.read().kills);
  EXPECT_EQ(watch.limit_text(), "");
  EXPECT_FALSE(watch.why_killed(watch.read(), 1));
  write("/proc/self/cgroup", "no colon\n0::/gone\n");
  write("/proc/self/mountinfo", "short line\n30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("/sys/fs/cgroup/memory.events", "oom_kill many\n");
  EXPECT_FALSE(OomWatch(root_).read().kills);
}

TEST_F(OomWatchTest, PathsMayHoldSpaces) {
  write("/proc/self/cgroup", "0::/a job\n");
  write("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/c\\040group rw - cgroup2 cgroup2 rw\n");
  write_events("/sys/fs/c group/a job", 0, 3, 0);
  EXPECT_EQ(OomWatch(root_).read().kills, 3);
}

}  // namespace
}  // namespace gpucheck::runner
