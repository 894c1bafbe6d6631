#include "base/files/input_file.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "base/error.hpp"
#include "temporary_folder.hpp"

namespace gpucheck {
namespace {

std::string error_of_reading(const std::string& path) {
  try {
    static_cast<void>(read_input_file_if_any(path, "golden file"));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "read";
}

TEST(InputFile, IsReadWhole) {
  const TemporaryFolder folder;
  const std::string text = std::string(100'000, 'x') + '\0' + "end";
  std::ofstream(folder.file("file"), std::ios::binary) << text;
  EXPECT_EQ(read_input_file(folder.file("file"), "golden file"), text);
}

TEST(InputFile, MayBeAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(folder.file("pipe")) << std::string(200'000, 'y'); });
  EXPECT_EQ(read_input_file(folder.file("pipe"), "golden file"), std::string(200'000, 'y'));
  writer.join();
}

TEST(InputFile, ThatIsNotThereIsToldFromOneThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_input_file_if_any(folder.file("missing"), "golden file"), std::nullopt);
  EXPECT_THROW(static_cast<void>(read_input_file(folder.file("missing"), "golden file")), EnvironmentError);
  EXPECT_EQ(error_of_reading(folder.file("")), "cannot read the golden file " + folder.file("") + ": Is a directory");
  std::filesystem::create_symlink("loop", folder.file("loop"));
  EXPECT_EQ(error_of_reading(folder.file("loop")),
            "cannot read the golden file " + folder.file("loop") + ": Too many levels of symbolic links");
  EXPECT_EQ(error_of_reading("/proc/self/mem"), "cannot read the golden file /proc/self/mem: Input/output error");
}

std::string error_of_reading(const std::string& path, std::uint64_t limit) {
  try {
    static_cast<void>(read_input_file(path, "waivers", limit));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "read";
}

TEST(InputFile, IsReadUpToItsLimitAndNotBeyond) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << std::string(100'000, 'x');
  EXPECT_EQ(read_input_file(folder.file("file"), "waivers", 100'000).size(), 100'000U);
  EXPECT_EQ(error_of_reading(folder.file("file"), 99'999),
            "cannot read the waivers " + folder.file("file") +
                ": it is longer than 97.66 KiB, the most that is read of such a file");
}

TEST(InputFile, ThatNeverEndsIsLeftAtItsLimit) {
  EXPECT_EQ(error_of_reading("/dev/zero", max_document_bytes),
            "cannot read the waivers /dev/zero: it is longer than 64.00 MiB, the most that is read of such a file");
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  // Writes until its reader has gone; SIGPIPE would end the test.
  std::thread writer([&] {
    ::signal(SIGPIPE, SIG_IGN);
    std::ofstream pipe(folder.file("pipe"));
    while (pipe << std::string(4096, 'y')) {
    }
  });
  EXPECT_NE(error_of_reading(folder.file("pipe"), 1_MiB).find("longer than 1024.00 KiB"), std::string::npos);
  writer.join();
}

TEST(InputFile, TellsTheSizeOfARegularFileOnly) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "four";
  EXPECT_EQ(InputFile(folder.file("file")).size(), 4U);
  EXPECT_EQ(InputFile("/dev/zero").size(), std::nullopt);
  EXPECT_EQ(InputFile(folder.file("missing")).size(), std::nullopt);
}

}  // namespace
}  // namespace gpucheck
