#include "site/site_cases.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"

namespace gpucheck::site {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string program = "#!/bin/sh\necho '{\"ok\": true}' >&3\n";

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string golden_of(const std::string& name) {
  return R"({"case": ")" + name + R"(", "expect": {"ok": {"equals": true, "basis": "site"}}})";
}

/// Folders of cases in a folder that is removed.
class SiteCases : public ::testing::Test {
 protected:
  SiteCases() {
    fs::create_directory(root());
    // Whoever runs the tests may have a umask of 0, and everybody could write then.
    ::umask(022);
  }

  [[nodiscard]] std::string root() const { return folder_.file("cases"); }

  /// A whole case, in a folder that is called like it unless another is named.
  fs::path add_case(const std::string& name, std::string folder = "") {
    const fs::path own = fs::path(root()) / (folder.empty() ? name : folder);
    fs::create_directories(own);
    write(own / "case.toml", "name = '" + name + "'\nsummary = 's'\nprogram = 'check'\n");
    write(own / "golden.json", golden_of(name));
    write(own / "check", program);
    ::chmod((own / "check").c_str(), 0755);
    return own;
  }

  static std::string rejection_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const UsageError& problem) {
      return problem.what();
    }
    return "";
  }
  [[nodiscard]] std::string rejection() const {
    return rejection_of([this] { static_cast<void>(read_cases({root()})); });
  }

  TemporaryFolder folder_;
};

TEST_F(SiteCases, AreAllFoldersButThoseThatSayOtherwise) {
  const fs::path own = add_case("site.disk");
  add_case("site.net", "any other name");
  fs::create_directories(fs::path(root()) / ".git");
  fs::create_directories(fs::path(root()) / "__pycache__");
  write(fs::path(root()) / "README", "what this is");
  const std::vector<harness::Case> cases = read_cases({root()});
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].name, "site.disk");
  EXPECT_EQ(cases[1].name, "site.net");
  EXPECT_EQ(cases[0].program->folder, fs::canonical(own).string());
  EXPECT_EQ(cases[0].program->file, "check");
  EXPECT_NE(cases[0].program->digest, cases[1].program->digest);
}

TEST_F(SiteCases, OfSeveralFoldersAreTogether) {
  add_case("site.disk");
  const std::string second = folder_.file("more");
  fs::create_directories(second);
  fs::rename(add_case("site.net"), fs::path(second) / "x");
  EXPECT_EQ(read_cases({root(), second}).size(), 2U);
  EXPECT_TRUE(read_cases({}).empty());
}

TEST_F(SiteCases, HaveADigestOfTheirThreeFiles) {
  const fs::path own = add_case("site.disk");
  const auto digest = [&] { return read_case(own.string()).program->digest; };
  const std::string first = digest();
  EXPECT_EQ(digest(), first);
  write(own / "notes", "nothing that counts");
  EXPECT_EQ(digest(), first);
  std::vector<std::string> digests{first};
  write(own / "check", program + "\n");
  digests.push_back(digest());
  write(own / "golden.json", golden_of("site.disk") + "\n");
  digests.push_back(digest());
  write(own / "case.toml", "name = 'site.disk'\nsummary = 't'\nprogram = 'check'\n");
  digests.push_back(digest());
  fs::remove(own / "golden.json");
  digests.push_back(digest());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    EXPECT_EQ(digests[i].size(), 16U);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " and " << j;
  }
}

TEST_F(SiteCases, MustBeInTheFolder) {
  EXPECT_THAT(rejection(),
              HasSubstr("there is no case in it: each is a folder of its own; gpucheck case new writes one"));
  EXPECT_THAT(rejection_of([] { static_cast<void>(read_cases({"/nowhere"})); }),
              HasSubstr("/nowhere: the folder of cases cannot be read"));
  write(folder_.file("file"), "");
  EXPECT_THAT(rejection_of([&] { static_cast<void>(read_cases({folder_.file("file")})); }),
              HasSubstr("it is not a folder"));
  const fs::path own = add_case("site.disk");
  EXPECT_THAT(rejection_of([&] { static_cast<void>(read_cases({own.string()})); }),
              HasSubstr("it is the folder of one case: --cases takes the folder in which that lies"));
}

TEST_F(SiteCases, NeedADescriptionAndAProgram) {
  const fs::path own = add_case("site.disk");
  ::chmod((own / "check").c_str(), 0644);
  EXPECT_THAT(rejection(), HasSubstr("check: it cannot be executed: Permission denied; chmod +x it"));
  fs::remove(own / "check");
  EXPECT_THAT(rejection(), HasSubstr("check: cannot be read: No such file or directory"));
  fs::create_directory(own / "check");
  EXPECT_THAT(rejection(), HasSubstr("check: it is not a regular file"));
  fs::remove(own / "case.toml");
  EXPECT_THAT(
      rejection(),
      HasSubstr("there is no case.toml in it: a folder that is not a case must have a name that begins with \"_\""));
  ASSERT_EQ(::mkfifo((own / "case.toml").c_str(), 0644), 0);
  EXPECT_THAT(rejection(), HasSubstr("case.toml: it is not a regular file"));
}

TEST_F(SiteCases, WithADescriptionThatIsTooLongAreRefused) {
  const fs::path own = add_case("site.disk");
  write(own / "case.toml", std::string((std::size_t{1} << 20) + 1, '#'));
  EXPECT_THAT(rejection(), HasSubstr("case.toml"));
}

// Whoever can write a file, or put another in its place, decides what is run.
TEST_F(SiteCases, ThatEverybodyCanWriteAreRefused) {
  const fs::path own = add_case("site.disk");
  const std::vector<fs::path> places{root(), own, own / "case.toml", own / "golden.json", own / "check"};
  for (const fs::path& place : places) {
    const mode_t usual = place.has_extension() ? 0644 : 0755;
    ::chmod(place.c_str(), usual | S_IWOTH);
    EXPECT_THAT(rejection(), HasSubstr("everybody can write it, and so decide what is run: chmod o-w it")) << place;
    ::chmod(place.c_str(), usual | S_IWOTH | S_ISVTX);
    EXPECT_NE(rejection(), "") << place << ", as /tmp is";
    ::chmod(place.c_str(), usual | S_IWGRP);
    EXPECT_EQ(rejection(), "") << place << ": a group is somebody's choice";
    ::chmod(place.c_str(), usual);
    EXPECT_EQ(rejection(), "") << place;
  }
}

TEST_F(SiteCases, RunNothingFromOutsideOfTheFolder) {
  const fs::path own = add_case("site.disk");
  const fs::path elsewhere = folder_.file("elsewhere");
  for (const char* file : {"case.toml", "golden.json", "check"}) {
    fs::rename(own / file, elsewhere);
    fs::create_symlink(elsewhere, own / file);
    EXPECT_THAT(rejection(), HasSubstr("it is a link out of")) << file;
    fs::remove(own / file);
    fs::rename(elsewhere, own / file);
  }
  // As a volume of Kubernetes has its files.
  fs::create_directory(fs::path(root()) / "..data");
  fs::rename(own / "check", fs::path(root()) / "..data" / "check");
  fs::create_symlink("../..data/check", own / "check");
  EXPECT_EQ(rejection(), "");
  fs::rename(own, elsewhere);
  fs::create_directory_symlink(elsewhere, own);
  EXPECT_THAT(rejection(), HasSubstr("it is a link out of"));
}

TEST_F(SiteCases, HaveNamesOfTheirOwn) {
  add_case("site.disk");
  add_case("site.disk", "second");
  EXPECT_THAT(rejection(), ::testing::MatchesRegex(".*/site.disk/case.toml: the name site.disk is taken by "
                                                   ".*/second/case.toml: give one of them another"));
}

TEST_F(SiteCases, StandBesidesThoseThatAreBuiltIn) {
  const auto run = [](harness::Context&) {};
  const harness::Registry built_in({{.name = "alloc.fuzz", .summary = "", .source = "", .run = run}});
  EXPECT_EQ(with_site_cases(built_in, {}).cases().size(), 1U);
  const fs::path own = add_case("alloc.own");
  const harness::Registry both = with_site_cases(built_in, {root()});
  EXPECT_FALSE(both.require("alloc.fuzz").program.has_value());
  EXPECT_TRUE(both.require("alloc.own").program.has_value());
  write(own / "case.toml", "name = 'alloc.fuzz'\nsummary = 's'\nprogram = 'check'\n");
  EXPECT_THAT(rejection_of([&] { static_cast<void>(with_site_cases(built_in, {root()})); }),
              HasSubstr("the name alloc.fuzz is that of a case of gpucheck's: give it another, such as site.fuzz"));
}

TEST_F(SiteCases, BringTheirGoldenFiles) {
  const fs::path own = add_case("site.disk");
  const harness::Registry registry = with_site_cases(harness::Registry({}), {root()});
  golden::GoldenSet goldens;
  add_goldens(goldens, registry);
  ASSERT_NE(goldens.find("site.disk"), nullptr);
  EXPECT_EQ(goldens.find("site.disk")->origin(), (fs::canonical(own) / "golden.json").string());
  add_goldens(goldens, registry);  // one that is there goes before
  EXPECT_EQ(goldens.case_names().size(), 1U);
}

TEST_F(SiteCases, WithoutAGoldenFileOfTheirsAreRefused) {
  const fs::path own = add_case("site.disk");
  const harness::Registry registry = with_site_cases(harness::Registry({}), {root()});
  const auto rejection_of_golden = [&] {
    return rejection_of([&] {
      golden::GoldenSet goldens;
      add_goldens(goldens, registry);
    });
  };
  EXPECT_EQ(rejection_of_golden(), "");
  write(own / "golden.json", golden_of("site.net"));
  EXPECT_THAT(rejection_of_golden(),
              HasSubstr("it is for the case site.net, and lies beside the description of site.disk"));
  write(own / "golden.json", R"({"case": "site.disk", "expect": {"ok": {"equals": true}}})");
  EXPECT_THAT(rejection_of_golden(), HasSubstr("golden.json"));
  write(own / "golden.json", R"({"case": "site.disk", "expect": {"ok": {"equals": true, "basis": "unapproved"}}})");
  EXPECT_THAT(rejection_of_golden(), HasSubstr("basis"));
  fs::remove(own / "golden.json");
  EXPECT_THAT(rejection_of_golden(), HasSubstr("let gpucheck golden approve site.disk --cases FOLDER propose it"));
}

}  // namespace
}  // namespace gpucheck::site
