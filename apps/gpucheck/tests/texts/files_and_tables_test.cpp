#include <array>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "output/distinct_files.hpp"
#include "output/outputs.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TextTable, AlignsTheFirstColumnsLeftAndTheOthersRight) {
  EXPECT_EQ(text_table({{"a", "long name", "1"}, {"longer", "b", "100"}, {"c"}}, 1, "  "),
            "  a       long name    1\n"
            "  longer          b  100\n"
            "  c\n");
  EXPECT_EQ(text_table({{"a", "b", "c"}, {"aa", "bb", "cc"}}, 2), "a   b    c\naa  bb  cc\n");
  EXPECT_EQ(text_table({{"left", ""}}, 2), "left\n") << "no spaces at the end of a line";
  EXPECT_EQ(text_table({}, 1), "");
  EXPECT_EQ(text_table({{"\xC3\xA4", "1"}, {"ab", "2"}}, 1), "\xC3\xA4   1\nab  2\n") << "one column, two bytes";
}

/// The text of the error; "accepted" where there is none.
template <typename Check>
std::string error_from(Check check) {
  try {
    check();
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(DistinctFiles, AreComparedEachWithEach) {
  const TemporaryFolder folder;
  const std::string first = folder.file("first");
  const std::string second = folder.file("second");
  const std::string again = folder.file("./first");
  const auto check = [](const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
    return error_from([&] { check_distinct(outputs, inputs); });
  };
  EXPECT_EQ(check({{"--a", first}, {"--b", second}, {"--c", ""}, {"--d", ""}}, {{"the waivers", ""}}), "accepted");
  EXPECT_THAT(check({{"--a", first}, {"--b", second}, {"--c", again}}, {}),
              HasSubstr("--a and --c both name one file"));
  EXPECT_THAT(check({{"--b", second}, {"--a", first}, {"--c", again}}, {}),
              HasSubstr("--a and --c both name one file"));
  EXPECT_THAT(check({{"--a", first}, {"--a", again}}, {}), HasSubstr("--a twice names one file"));
  EXPECT_THAT(check({{"--a", second}, {"--b", first}}, {{"the limits", ""}, {"the waivers", again}}),
              AllOf(HasSubstr("--b"), HasSubstr("would replace the waivers")));
  EXPECT_EQ(check({{"--a", second}}, {{"one", first}, {"other", again}}), "accepted") << "what is read may be one file";
}

TEST(DistinctFiles, AGoldenFileIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string goldens = folder.file("goldens");
  std::filesystem::create_directories(goldens + "/alloc");
  for (const char* name : {"/alloc/fuzz.json", "/alloc/notes.txt"}) std::ofstream(goldens + name) << "{}";
  std::ofstream(folder.file("beside.json")) << "{}";
  const auto check = [&](const std::vector<std::string>& paths) {
    std::vector<NamedFile> outputs;
    for (const std::string& path : paths) outputs.push_back({"--json", path});
    return error_from([&] { check_outside(outputs, {"the golden files", goldens}); });
  };
  EXPECT_THAT(check({goldens + "/alloc/fuzz.json"}), HasSubstr("would replace one of the golden files in " + goldens));
  EXPECT_THAT(check({"", folder.file("beside.json"), goldens + "/../goldens/alloc/fuzz.json"}),
              HasSubstr("would replace one of the golden files"));
  EXPECT_EQ(check({goldens + "/alloc/new.json"}), "accepted") << "there is no such file yet";
  EXPECT_EQ(check({goldens + "/alloc/notes.txt"}), "accepted") << "not a golden file";
  EXPECT_EQ(check({folder.file("beside.json"), ""}), "accepted");
  const std::array inside{NamedFile{"--json", goldens + "/alloc/fuzz.json"}};
  EXPECT_EQ(error_from([&] { check_outside(inside, {"the golden files", ""}); }), "accepted");
}

TEST(DistinctFiles, ATraceReplacesNone) {
  const TemporaryFolder folder;
  const std::string traces = folder.file("traces");
  constexpr std::array<std::string_view, 2> cases{"alloc.fuzz", "graph.empty"};
  const auto check = [&](const std::string& path, const std::string& trace_folder) {
    const std::array files{NamedFile{"the limits", ""}, NamedFile{"--json", path}};
    return error_from([&] { check_no_trace(files, trace_folder, cases); });
  };
  EXPECT_THAT(check(traces + "/graph.empty.sim.json", traces),
              AllOf(HasSubstr("a trace in " + traces), HasSubstr("would replace --json")));
  EXPECT_EQ(check(traces + "/graph.empty.sim.json", ""), "accepted");
  EXPECT_EQ(check(traces + "/graph.empty.sim.txt", traces), "accepted");
  EXPECT_EQ(check(traces + "/graph.emptyness.json", traces), "accepted");
  EXPECT_EQ(check(traces + "/deeper/graph.empty.sim.json", traces), "accepted");
  EXPECT_EQ(check(folder.file("graph.empty.sim.json"), traces), "accepted");
  EXPECT_THAT(check(traces + "/alloc.fuzz.sim.json", traces + "/"), HasSubstr("would replace --json"));
}

TEST(Outputs, AreReadAsFormatAndFile) {
  const Output markdown = parse_output("markdown=a=b.md", false);
  EXPECT_EQ(markdown.format->name, "markdown");
  EXPECT_EQ(markdown.path, "a=b.md") << "the first equals sign parts the two";
  EXPECT_EQ(markdown.option(), "--output markdown");
  EXPECT_EQ(markdown.words(), "--output markdown=a=b.md");
  const Output json = parse_output("json=my file", true);
  EXPECT_EQ(json.option(), "--json");
  EXPECT_EQ(json.words(), "--json 'my file'");
  EXPECT_EQ(parse_output("journal=j", true).format->write, nullptr);
  for (const char* wrong : {"journal=j", "xml=f", "json", "json=", "=f", ""}) {
    EXPECT_THROW(static_cast<void>(parse_output(wrong, false)), UsageError) << wrong;
  }
  EXPECT_THAT(format_names(true), HasSubstr("journal"));
  EXPECT_EQ(format_names(false).find("journal"), std::string::npos);
  EXPECT_EQ(formats_text(false).find("journal ("), std::string::npos);
}

TEST(Outputs, AJournalLiesBesideTheFirstJsonReportThatIsAFile) {
  const TemporaryFolder folder;
  const auto output = [](const std::string& text) { return parse_output(text, true); };
  const std::string first = folder.file("first.json");
  const std::string second = folder.file("second.json");
  EXPECT_EQ(default_journal({}), "");
  EXPECT_EQ(default_journal({output("markdown=" + first), output("json=-"), output("json=" + second)}),
            second + ".journal");
  EXPECT_EQ(default_journal({output("json=" + first), output("json=" + second)}), first + ".journal");
  EXPECT_EQ(default_journal({output("json=/dev/null")}), "") << "no file";
  EXPECT_EQ(default_journal({output("junit=" + first)}), "");
  EXPECT_FALSE(has_journal({}));
  EXPECT_FALSE(has_journal({output("json=" + first)}));
  EXPECT_TRUE(has_journal({output("json=" + first), output("journal=" + second)}));
}

}  // namespace
}  // namespace gpucheck::application
