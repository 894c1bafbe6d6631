#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
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

TEST(EmbeddedGoldens, AreKeptAsTheyAreWrittenAndSoAreThoseOfAFolder) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::string limits =
      R"({"schema": "gpucheck.limits/1", "classes": [{"name": "any", "limits": {"a.b.c": {"fail_below": 1, "source": "s"}}}]})";
  const std::array files{GoldenSet::File{"alloc/fuzz.json", fuzz}, GoldenSet::File{"limits.json", limits}};
  const TemporaryDirectory directory;
  for (const GoldenSet::File& file : files) directory.write(std::string(file.path), std::string(file.text));
  for (const GoldenSet& set : {GoldenSet::from_files(files, "here/"), GoldenSet::from_directory(directory.string())}) {
    EXPECT_EQ(set.text_of("alloc.fuzz"), fuzz);
    EXPECT_EQ(set.limits_text(), limits);
    EXPECT_EQ(set.text_of("alloc.other"), std::nullopt);
  }
  EXPECT_EQ(GoldenSet::from_files(files, "here/").find("alloc.fuzz")->origin(), "here/alloc/fuzz.json");
  EXPECT_EQ(GoldenSet::from_files({}, "").limits_text(), "");
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

TEST(EmbeddedGoldens, TakeOneMoreForACaseThatHasNone) {
  const std::string text = golden_text("alloc.fuzz");
  const std::array files{GoldenSet::File{"alloc/fuzz.json", text}};
  GoldenSet set = GoldenSet::from_embedded(files);
  EXPECT_TRUE(set.contains("alloc.fuzz"));
  EXPECT_FALSE(set.contains("site.disk"));
  const std::string own = golden_text("site.disk");
  set.add(Golden::parse(own, "mine"), own);
  ASSERT_NE(set.find("site.disk"), nullptr);
  EXPECT_EQ(set.find("site.disk")->origin(), "mine");
  EXPECT_EQ(set.text_of("site.disk"), own);
  EXPECT_THROW(set.add(Golden::parse(text, "mine"), text), Error);
  EXPECT_EQ(set.case_names().size(), 2U);
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

constexpr const char* limits_text =
    R"({"schema": "gpucheck.limits/1", "classes": [{"name": "ours", "limits": {"a.b.c": {"fail_below": 1, "source": "s"}}}]})";

std::string limited_text(const std::string& case_name) {
  return R"({"case": ")" + case_name + R"(", "expect": {"gbps": {"limit": true, "basis": "vendor"}}})";
}

/// The limits lie beside the golden files and are none.
TEST(GoldenDirectory, HasItsLimitsBesideTheFiles) {
  const TemporaryDirectory directory;
  directory.write("alloc/fuzz.json", golden_text("alloc.fuzz"));
  EXPECT_TRUE(GoldenSet::from_directory(directory.string()).limits().classes().empty());
  directory.write("limits.json", limits_text);
  const GoldenSet set = GoldenSet::from_directory(directory.string());
  ASSERT_EQ(set.limits().classes().size(), 1U);
  EXPECT_EQ(set.limits().classes()[0].name, "ours");
  EXPECT_EQ(set.case_names(), std::vector<std::string>{"alloc.fuzz"});
  directory.write("limits.json", "{}");
  EXPECT_TRUE(error_of_set(directory.string()).starts_with(directory.string() + "/limits.json: "));
}

TEST(EmbeddedGoldens, HaveTheirLimitsAndTheValuesThatTheyAreFor) {
  const std::string read = limited_text("bandwidth.read");
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::string write = limited_text("bandwidth.write");
  const std::array files{GoldenSet::File{"bandwidth/write.json", write}, GoldenSet::File{"limits.json", limits_text},
                         GoldenSet::File{"alloc/fuzz.json", fuzz}, GoldenSet::File{"bandwidth/read.json", read}};
  const GoldenSet set = GoldenSet::from_embedded(files);
  EXPECT_EQ(set.limits().classes().size(), 1U);
  EXPECT_EQ(set.case_names(), (std::vector<std::string>{"alloc.fuzz", "bandwidth.read", "bandwidth.write"}));
  EXPECT_EQ(set.limited_values(), (std::vector<std::string>{"bandwidth.read.gbps", "bandwidth.write.gbps"}));
}

/// Whoever has the same files in a folder judges by the same.
TEST(GoldenDigest, IsThatOfTheFilesWhereverTheyLie) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::string empty = golden_text("graph.empty");
  const std::array files{GoldenSet::File{"limits.json", limits_text}, GoldenSet::File{"graph/empty.json", empty},
                         GoldenSet::File{"alloc/fuzz.json", fuzz}};
  const std::string digest = GoldenSet::from_embedded(files).digest();
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos);
  const TemporaryDirectory directory;
  directory.write("alloc/fuzz.json", fuzz);
  directory.write("graph/empty.json", empty);
  directory.write("limits.json", limits_text);
  directory.write("README.md", "judges nothing");
  EXPECT_EQ(GoldenSet::from_directory(directory.string()).digest(), digest);
}

TEST(GoldenDigest, IsAnotherForOneFileMoreOrLessAndForOneThatDiffersInAByte) {
  const std::string fuzz = golden_text("alloc.fuzz");
  const std::string empty = golden_text("graph.empty");
  const std::array one{GoldenSet::File{"alloc/fuzz.json", fuzz}};
  const std::array two{GoldenSet::File{"alloc/fuzz.json", fuzz}, GoldenSet::File{"graph/empty.json", empty}};
  const std::string changed_text = fuzz + " ";
  const std::array changed{GoldenSet::File{"alloc/fuzz.json", changed_text}};
  const std::array swapped{GoldenSet::File{"alloc/fuzz.json", empty}, GoldenSet::File{"graph/empty.json", fuzz}};
  const std::set<std::string> digests{GoldenSet::from_embedded({}).digest(), GoldenSet::from_embedded(one).digest(),
                                      GoldenSet::from_embedded(two).digest(),
                                      GoldenSet::from_embedded(changed).digest(),
                                      GoldenSet::from_embedded(swapped).digest()};
  EXPECT_EQ(digests.size(), 5U);
}

TEST(GoldenDigest, IsAnotherWithLimitsOfOnesOwn) {
  const std::string read = limited_text("bandwidth.read");
  const std::array files{GoldenSet::File{"bandwidth/read.json", read}};
  GoldenSet set = GoldenSet::from_embedded(files);
  const std::string before = set.digest();
  set.override_limits(Limits::parse(limits_text, "limits"), limits_text);
  EXPECT_NE(set.digest(), before);
  EXPECT_EQ(set.limits().classes().size(), 1U);
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
