#include "base/toml/toml_document.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gpucheck {
namespace {

using Kind = TomlValue::Kind;

std::string rejection_of(const std::string& text) {
  try {
    static_cast<void>(parse_toml(text, "f.toml"));
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

TEST(TomlDocument, HasEachKindAsAnOptionWouldSayIt) {
  const std::vector<std::pair<std::string, TomlValue>> expected{
      {"'a b'", {.key = "k", .kind = Kind::text, .text = "a b", .elements = {}}},
      {"7", {.key = "k", .kind = Kind::whole_number, .text = "7", .elements = {}}},
      {"-7", {.key = "k", .kind = Kind::whole_number, .text = "-7", .elements = {}}},
      {"0.5", {.key = "k", .kind = Kind::number, .text = "0.5", .elements = {}}},
      {"true", {.key = "k", .kind = Kind::truth, .text = "true", .elements = {}}},
      {"false", {.key = "k", .kind = Kind::truth, .text = "false", .elements = {}}},
      {"[]", {.key = "k", .kind = Kind::list, .text = "", .elements = {}}},
      {"{}", {.key = "k", .kind = Kind::table, .text = "", .elements = {}}},
      {"2026-01-02", {.key = "k", .kind = Kind::time, .text = "", .elements = {}}}};
  for (const auto& [text, value] : expected) {
    const TomlValue document = parse_toml("k = " + text, "f.toml");
    ASSERT_EQ(document.elements.size(), 1U) << text;
    EXPECT_EQ(document.elements[0].key, value.key) << text;
    EXPECT_EQ(document.elements[0].kind, value.kind) << text;
    EXPECT_EQ(document.elements[0].text, value.text) << text;
    EXPECT_TRUE(document.elements[0].elements.empty()) << text;
  }
}

TEST(TomlDocument, NamesEachKind) {
  const std::vector<std::pair<Kind, std::string>> expected{{Kind::text, "text"},
                                                           {Kind::whole_number, "a whole number"},
                                                           {Kind::number, "a number with a fraction"},
                                                           {Kind::truth, "true or false"},
                                                           {Kind::list, "a list"},
                                                           {Kind::table, "a table"},
                                                           {Kind::time, "a date or a time"}};
  for (const auto& [kind, text] : expected) EXPECT_EQ(kind_text(kind), text);
}

TEST(TomlDocument, HasMembersInTheOrderOfTheirPlaces) {
  const TomlValue document = parse_toml("z = 1\n  a = [10, 'x']\n[m]\nk = 2\n[b]\n", "f.toml");
  std::vector<std::string> keys;
  for (const TomlValue& one : document.elements) keys.push_back(one.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"z", "a", "m", "b"}));
  EXPECT_EQ(document.elements[0].line, 1);
  EXPECT_EQ(document.elements[0].column, 1);
  EXPECT_EQ(document.elements[1].line, 2);
  EXPECT_EQ(document.elements[1].column, 3) << "of the key, not of its value";
  ASSERT_EQ(document.elements[1].elements.size(), 2U);
  EXPECT_EQ(document.elements[1].elements[0].text, "10");
  EXPECT_EQ(document.elements[1].elements[1].text, "x");
  EXPECT_EQ(document.elements[1].elements[1].line, 2);
  EXPECT_EQ(document.elements[1].elements[1].column, 12);
  ASSERT_EQ(document.elements[2].elements.size(), 1U);
  EXPECT_EQ(document.elements[2].elements[0].key, "k");
  EXPECT_EQ(document.elements[2].elements[0].line, 4);
  const TomlValue one_line = parse_toml("t = {b = 1, a = 2}", "f.toml");
  ASSERT_EQ(one_line.elements[0].elements.size(), 2U);
  EXPECT_EQ(one_line.elements[0].elements[0].key, "b") << "what stands first on the line";
}

// The document itself is at no depth; what its members hold is read up to the fifth.
TEST(TomlDocument, IsReadFiveTablesDeep) {
  const TomlValue document = parse_toml("a.b.c.d.e.f = 1", "f.toml");
  const TomlValue* value = &document;
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    ASSERT_EQ(value->elements.size(), 1U) << key;
    value = &value->elements[0];
    EXPECT_EQ(value->key, key);
  }
  EXPECT_EQ(value->kind, Kind::table);
  EXPECT_TRUE(value->elements.empty()) << "what lies deeper is left out";
}

TEST(TomlDocument, MayHaveTwoThousandDotsBesidesThoseOfComments) {
  // Lines of ten dots each, with comments that have as many.
  std::string text;
  for (int line = 0; line < 200; ++line) {
    text += "k" + std::to_string(line) + " = '..........'\n \t# ..........\n#.\n\n";
  }
  EXPECT_EQ(rejection_of(text), "");
  EXPECT_EQ(
      rejection_of(text + "last = '.'"),
      "f.toml: it has 2001 dots outside of comments, and no more than 2000 are read: name cases by globs, and let "
      "keys have few parts");
}

TEST(TomlDocument, ThatIsNoneIsRejectedWithItsPlace) {
  EXPECT_TRUE(rejection_of("a = 1\nb = \n").starts_with("f.toml:2:")) << rejection_of("a = 1\nb = \n");
  EXPECT_NE(rejection_of("a = 1\nb = \n").find(": it is not TOML: "), std::string::npos);
}

}  // namespace
}  // namespace gpucheck
