#include "site/new_case.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "site/site_cases.hpp"

namespace gpucheck::site {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(NewCase, IsACaseInEachLanguage) {
  EXPECT_THAT(example_languages(), ElementsAre("python", "shell"));
  for (const std::string_view language : example_languages()) {
    const TemporaryFolder folder;
    const std::string cases = folder.file("a/b");  // made on the way
    const std::vector<std::string> paths = write_example("own.disk", language, cases);
    EXPECT_EQ(paths.size(), 3U) << language;
    for (const std::string& path : paths) EXPECT_THAT(text_of(path), ::testing::Not(HasSubstr("site.example"))) << path;
    const std::vector<harness::Case> read = read_cases({cases});
    ASSERT_EQ(read.size(), 1U) << language;
    EXPECT_EQ(read[0].name, "own.disk");
    golden::GoldenSet goldens;
    add_goldens(goldens, with_site_cases(harness::Registry({}), {cases}));
    EXPECT_TRUE(goldens.contains("own.disk"));
  }
}

TEST(NewCase, IsOneThatNotEverybodyCanWrite) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0);
  static_cast<void>(write_example("own.disk", "shell", folder.file("cases")));
  ::umask(before);
  fs::permissions(folder.file("cases"), fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(read_cases({folder.file("cases")}).size(), 1U);
}

TEST(NewCase, ReplacesNothing) {
  const TemporaryFolder folder;
  const std::string cases = folder.file("cases");
  const std::string path = write_example("own.disk", "shell", cases).front();
  std::ofstream(path) << "mine";
  for (const char* language : {"shell", "python"}) {
    EXPECT_THROW(static_cast<void>(write_example("own.disk", language, cases)), UsageError) << language;
  }
  EXPECT_EQ(text_of(path), "mine");
  EXPECT_EQ(fs::exists(fs::path(cases) / "own.disk" / "check.py"), false);
}

TEST(NewCase, NeedsANameALanguageAndAPlace) {
  const TemporaryFolder folder;
  for (const char* name : {"", "disk", "../x.y", "a.b/c", "A.b", "a.b.c", "a.\n"}) {
    EXPECT_THROW(static_cast<void>(write_example(name, "shell", folder.file("cases"))), UsageError) << name;
  }
  EXPECT_THROW(static_cast<void>(write_example("a." + std::string(99, 'b'), "shell", folder.file("cases"))),
               UsageError);
  EXPECT_THROW(static_cast<void>(write_example("a.b", "perl", folder.file("cases"))), UsageError);
  EXPECT_FALSE(fs::exists(folder.file("cases")));
  std::ofstream(folder.file("file")) << "";
  EXPECT_THROW(static_cast<void>(write_example("a.b", "shell", folder.file("file"))), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::site
