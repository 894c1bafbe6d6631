#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "golden/golden.hpp"

namespace gpucheck::golden {
namespace {

namespace fs = std::filesystem;

std::string golden_text(const std::string& case_name) {
  return R"({"case": ")" + case_name + R"(", "expect": {"ok": {"equals": true, "basis": "seed"}}})";
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "gpucheck_golden_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { fs::remove_all(path_); }

  void write(const std::string& relative, const std::string& text) const {
    fs::create_directories((path_ / relative).parent_path());
    std::ofstream(path_ / relative) << text;
  }
  [[nodiscard]] std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string error_of_set(const std::string& directory) {
  try {
    GoldenSet::from_directory(directory);
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(EmbeddedGoldens, AreFoundByCaseName) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::string lazy = golden_text("host.lazy_init");
  const std::array files{GoldenSet::File{"host/lazy_init.json", lazy}, GoldenSet::File{"alloc/fuzz.json", fuzz}};
  const GoldenSet set = GoldenSet::from_embedded(files);
  ASSERT_NE(set.find("alloc.fuzz"), nullptr);
  EXPECT_EQ(set.find("alloc.fuzz")->case_name(), "alloc.fuzz");
  EXPECT_EQ(set.find("alloc.fuzz")->origin(), "embedded golden/alloc/fuzz.json");
  EXPECT_EQ(set.find("alloc.other"), nullptr);
  EXPECT_EQ(set.case_names(), (std::vector<std::string>{"alloc.fuzz", "host.lazy_init"}));
}

TEST(EmbeddedGoldens, MustHaveTheirCasesName) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::array files{GoldenSet::File{"alloc/other.json", fuzz}};
  const GoldenSet set = GoldenSet::from_embedded(files);
  EXPECT_THROW((void)set.find("alloc.other"), MalformedGolden);
  EXPECT_EQ(set.find("alloc.fuzz"), nullptr);
}

TEST(EmbeddedGoldens, AreReadWhenTheyAreWanted) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::array files{GoldenSet::File{"alloc/broken.json", "{"}, GoldenSet::File{"alloc/fuzz.json", fuzz}};
  const GoldenSet set = GoldenSet::from_embedded(files);
  EXPECT_NE(set.find("alloc.fuzz"), nullptr);
  EXPECT_THROW((void)set.find("alloc.broken"), MalformedGolden);
  EXPECT_THROW((void)set.limited_values(), MalformedGolden);
}

TEST(GoldenDirectory, IsReadWholeAndIgnoresOtherFiles) {
  const TemporaryDirectory directory;
  directory.write("alloc/fuzz.json", golden_text("alloc.fuzz"));
  directory.write("graph/empty.json", golden_text("graph.empty"));
  directory.write("CMakeLists.txt", "not a golden");
  for (const std::string& spelling : {directory.string(), directory.string() + "/", directory.string() + "/./"}) {
    EXPECT_EQ(GoldenSet::from_directory(spelling).case_names(), (std::vector<std::string>{"alloc.fuzz", "graph.empty"}))
        << spelling;
  }
}

TEST(GoldenDirectory, RejectsAFileInTheWrongPlace) {
  for (const char* place : {"fuzz.json", "alloc/other.json", "alloc/deeper/fuzz.json", "graph/fuzz.json"}) {
    const TemporaryDirectory directory;
    directory.write(place, golden_text("alloc.fuzz"));
    EXPECT_EQ(
        error_of_set(directory.string()),
        directory.string() + "/" + place + ": at /case: the golden file of alloc.fuzz must be called alloc/fuzz.json");
  }
}

TEST(GoldenDirectory, NamesTheMalformedFile) {
  const TemporaryDirectory directory;
  directory.write("alloc/fuzz.json", "{\n!");
  EXPECT_TRUE(error_of_set(directory.string()).starts_with(directory.string() + "/alloc/fuzz.json:2:1: not JSON"));
}

TEST(GoldenDirectory, ThatIsMissingIsAnErrorWithItsReason) {
  EXPECT_EQ(error_of_set("/nonexistent/goldens"),
            "cannot read the golden directory /nonexistent/goldens: No such file or directory; give one with files "
            "<group>/<case>.json");
}

}  // namespace
}  // namespace gpucheck::golden
