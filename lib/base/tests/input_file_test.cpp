#include "base/input_file.hpp"

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

}  // namespace
}  // namespace gpucheck
