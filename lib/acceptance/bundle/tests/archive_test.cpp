#include "acceptance/bundle/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "acceptance/bundle/head.hpp"
#include "acceptance/bundle/manifest.hpp"
#include "acceptance/tests/small_fleet.hpp"
#include "base/error.hpp"

namespace gpucheck::acceptance {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string packed(std::string_view name, std::string_view content) {
  return archive_header(name, content.size()) + std::string(content) + archive_padding(content.size());
}

/// Names and contents; @throws what the reader throws.
std::vector<std::pair<std::string, std::string>> unpacked(std::string_view bytes, std::uint64_t most = 1000) {
  ArchiveReader reader(reading(bytes));
  std::vector<std::pair<std::string, std::string>> files;
  while (auto file = reader.next([most](std::string_view) { return most; })) {
    files.emplace_back(file->name, file->content);
  }
  return files;
}

void expect_rejected(const std::string& bytes, const char* why) {
  EXPECT_THAT([&] { static_cast<void>(unpacked(bytes)); }, ThrowsMessage<Error>(HasSubstr(why)));
}

TEST(Archive, ComesBackAsItWasPacked) {
  const std::string all(512, 'x');
  for (const std::string_view content :
       {std::string_view(""), std::string_view("a"), std::string_view(all).substr(1), std::string_view(all)}) {
    const auto files = unpacked(packed("a/b.json", content) + packed("c", "d") + archive_end());
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0], std::pair(std::string("a/b.json"), std::string(content)));
    EXPECT_EQ(files[1], std::pair(std::string("c"), std::string("d")));
  }
  EXPECT_TRUE(unpacked(archive_end()).empty());
}

TEST(Archive, HasOneFormOnly) {
  const std::string good = packed("a", "text") + archive_end();
  for (std::size_t place = 0; place < good.size(); ++place) {
    if (place >= 512 && place < 516) continue;  // the file's own text, for which digests are there
    std::string changed = good;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_THROW(static_cast<void>(unpacked(changed)), Error) << place;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(static_cast<void>(unpacked(good.substr(0, size))), Error) << size;
  }
  expect_rejected(good + "x", "something stands behind its end");
  expect_rejected(good + archive_end(), "something stands behind its end");
}

TEST(Archive, HoldsNoMoreThanIsThereAndMayBe) {
  expect_rejected(archive_header("a", 1001) + archive_end(), "longer than it may be");
  expect_rejected(archive_header("a", 1000) + "few", "in the middle");
  expect_rejected(archive_header("a", (1ULL << 33U) - 1), "longer than it may be");
  EXPECT_THROW(static_cast<void>(archive_header(std::string(101, 'a'), 0)), Error);
  EXPECT_THROW(static_cast<void>(archive_header("", 0)), Error);
  EXPECT_EQ(unpacked(packed(std::string(100, 'a'), "") + archive_end()).at(0).first, std::string(100, 'a'));
}

// ---- what is in it --------------------------------------------------------------------------

std::string lines_of(const std::vector<std::string>& names) {
  Manifest manifest;
  for (const std::string& name : names) manifest.push_back({.name = name, .sha256 = std::string(64, 'a')});
  return manifest_text(manifest);
}

void expect_no_manifest(const std::vector<std::string>& names, const char* why) {
  EXPECT_THAT([&] { static_cast<void>(parse_manifest(lines_of(names))); }, ThrowsMessage<Error>(HasSubstr(why)));
}

TEST(Manifest, HasTheFilesOfABundleInTheirOrder) {
  const std::vector<std::string> all{
      "bundle.json",         "contract.json",       "golden/alloc/one.json", "golden/limits.json", "limits.json",
      "runs/000001.journal", "runs/000002.journal", "again/000001.journal",  "merged.json",        "acceptance.json"};
  EXPECT_EQ(parse_manifest(lines_of(all)).size(), all.size());
  EXPECT_EQ(manifest_text(parse_manifest(lines_of(all))), lines_of(all));
  const std::vector<std::string> least{"bundle.json", "contract.json", "runs/000001.journal", "merged.json",
                                       "acceptance.json"};
  EXPECT_EQ(parse_manifest(lines_of(least)).size(), least.size());
  for (std::size_t i = 0; i < least.size(); ++i) {
    std::vector<std::string> without = least;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THROW(static_cast<void>(parse_manifest(lines_of(without))), Error) << least[i];
    std::vector<std::string> twice = least;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), least[i]);
    EXPECT_THROW(static_cast<void>(parse_manifest(lines_of(twice))), Error) << least[i];
  }
  expect_no_manifest({"bundle.json", "contract.json", "golden/b/b.json", "golden/a/a.json"}, "not in order");
  expect_no_manifest({"bundle.json", "contract.json", "runs/000002.journal"}, "it has no run");
}

/// Nothing is written, and yet: whoever unpacks it by hand must not be led elsewhere.
TEST(Manifest, HasNoNameThatLeadsElsewhere) {
  for (const char* name : {"golden/../../etc/passwd.json", "/etc/passwd", "golden/a/b/c.json", "golden/a.b/c.json",
                           "golden/a/\x1b[2J.json", "golden/A/b.json", "golden//b.json", "runs/../x.journal"}) {
    EXPECT_THROW(static_cast<void>(parse_manifest(lines_of(
                     {"bundle.json", "contract.json", name, "runs/000001.journal", "merged.json", "acceptance.json"}))),
                 Error)
        << name;
  }
}

TEST(Manifest, IsWrittenInOneWay) {
  const std::string good =
      lines_of({"bundle.json", "contract.json", "runs/000001.journal", "merged.json", "acceptance.json"});
  EXPECT_NO_THROW(static_cast<void>(parse_manifest(good)));
  for (const auto& [place, letter] :
       std::vector<std::pair<std::size_t, char>>{{0, 'A'}, {0, 'g'}, {64, '\t'}, {65, '*'}}) {
    std::string changed = good;
    changed[place] = letter;
    EXPECT_THROW(static_cast<void>(parse_manifest(changed)), Error) << letter;
  }
  EXPECT_THROW(static_cast<void>(parse_manifest(good.substr(0, good.size() - 1))), Error);
  EXPECT_THROW(static_cast<void>(parse_manifest(good + "\n")), Error);
  EXPECT_THROW(static_cast<void>(parse_manifest("")), Error);
}

TEST(BundleHead, ComesBackAndIsWrittenInOneWay) {
  for (const char* expected : {"any", "1", "200", "n[1-3]"}) {
    const BundleHead head{.version = "0.1.0",
                          .contract = "small acceptance",
                          .contract_version = "1.0",
                          .expected = fleet::parse_expected_nodes(expected)};
    const std::string text = head_text(head);
    const BundleHead again = parse_head(text);
    EXPECT_EQ(again.expected.count, head.expected.count);
    EXPECT_EQ(again.expected.names, head.expected.names);
    EXPECT_THROW(static_cast<void>(parse_head(text + "\n")), Error);
    EXPECT_THROW(static_cast<void>(parse_head(text.substr(0, text.size() - 3))), Error);
  }
}

TEST(BundleHead, IsRejectedWhereItIsNone) {
  const std::string text = head_text({.version = "1", .contract = "c", .contract_version = "1", .expected = {}});
  const auto reject = [&](std::string_view old_words, std::string_view new_words) {
    std::string changed = text;
    changed.replace(changed.find(old_words), old_words.size(), new_words);
    EXPECT_THROW(static_cast<void>(parse_head(changed)), Error) << new_words;
  };
  reject("bundle/1", "bundle/2");
  reject("null", "-1");
  reject("null", "1.0");
  reject("[]", "[\n    \"b\",\n    \"a\"\n  ]");
  reject("[]", "[\n    \"a\"\n  ]");
  EXPECT_THROW(static_cast<void>(parse_head(std::string(100'000, '['))), Error);
  EXPECT_THROW(static_cast<void>(parse_head("")), Error);
}

}  // namespace
}  // namespace gpucheck::acceptance
