#include "base/files/unfinished_files.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <list>
#include <unistd.h>

#include "base/files/output_file.hpp"

namespace gpucheck {
namespace {

std::string names() {
  std::array<char, 100> buffer{};
  return {buffer.data(), name_unfinished_files(buffer)};
}

TEST(UnfinishedFiles, AreNamedWhileTheyLive) {
  EXPECT_EQ(names(), "");
  {
    const UnfinishedFile first("a.json", "");
    const UnfinishedFile second("b\x1b[2J\n.xml", "");
    EXPECT_EQ(names(), "a.json, b?[2J?.xml");
  }
  EXPECT_EQ(names(), "");
  const UnfinishedFile again("c", "");
  EXPECT_EQ(names(), "c");
}

TEST(UnfinishedFiles, AreNamedAsFarAsThereIsRoom) {
  const UnfinishedFile file(std::string(200, 'x'), "");
  EXPECT_EQ(names(), std::string(100, 'x'));
  std::list<UnfinishedFile> many;
  for (int i = 0; i < 40; ++i) many.emplace_back("y", "");
  EXPECT_EQ(names().size(), 100U);
}

TEST(UnfinishedFiles, OfAnOutputFileIsItsTemporaryOne) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("gpucheck_unfinished_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  {
    const OutputFile begun(folder + "/begun", "report");
    OutputFile whole(folder + "/whole", "report");
    whole.commit("text");
    EXPECT_EQ(names(), folder + "/begun");
    remove_unfinished_files();
    EXPECT_TRUE(std::filesystem::exists(folder + "/whole"));
    std::filesystem::remove(folder + "/whole");
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "as when a signal ends the process";
  }
  EXPECT_EQ(names(), "");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gpucheck
