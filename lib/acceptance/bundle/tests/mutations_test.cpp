#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "acceptance/bundle/verify.hpp"
#include "base/splitmix.hpp"
#include "pieces.hpp"

/// Ten thousand bundles that somebody has changed. Without new digests each is found. With digests that fit, it is
/// found where something else follows from what the bundle holds than it says; what nothing follows from, such as how
/// long a case took, only a signature keeps (gpucheck help contract).
namespace gpucheck::acceptance {
namespace {

using Pieces = std::vector<ArchivedFile>;

/// Sanitizers see what one in ten shows.
#ifdef GPUCHECK_TEST_SANITIZED
constexpr std::size_t share = 10;
#else
constexpr std::size_t share = 1;
#endif

const std::string& original() {
  static const std::string bundle = [] {
    std::vector<harness::CaseResult> slower = good_results(1);
    result_in(slower, "memory.speed") = observed("memory.speed", {0}, {{"speed_gbps", 2400.25}});
    return bundle_of({journal_of(start_on("n1", 1), good_results(1)), journal_of(start_on("n2", 1), slower)}, "2");
  }();
  return bundle;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed << 32U) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(splitmix(state_++) % limit); }

 private:
  std::uint64_t state_;
};

void flip(std::string& text, Chance& chance) {
  if (text.empty()) return;
  char& letter = text[chance.below(text.size())];
  letter = static_cast<char>(letter ^ (1 << chance.below(8)));
}

bool is_intact(const std::string& bundle) { return verify(reading(bundle), small_contract(), "0.1.0").is_intact(); }

/// A change of the bytes of a bundle.
std::string changed_bytes(Chance& chance) {
  std::string bytes = original();
  const std::size_t place = chance.below(bytes.size());
  switch (chance.below(8)) {
    case 0:
      bytes.resize(place);
      break;
    case 1:
      bytes.erase(place, 1 + chance.below(600));
      break;
    case 2:
      bytes.insert(place, bytes, chance.below(bytes.size()), 1 + chance.below(600));
      break;
    default:
      flip(bytes, chance);
      break;
  }
  return bytes;
}

/// Files of a bundle that are missing, twice there, elsewhere, or have each other's content.
Pieces changed_files(Chance& chance) {
  Pieces pieces = pieces_of(original());
  const std::size_t one = chance.below(pieces.size());
  const std::size_t other = (one + 1 + chance.below(pieces.size() - 1)) % pieces.size();
  const auto at = [&pieces](std::size_t place) { return pieces.begin() + static_cast<std::ptrdiff_t>(place); };
  switch (chance.below(4)) {
    case 0:
      pieces.erase(at(one));
      break;
    case 1:
      pieces.insert(at(other), ArchivedFile(pieces[one]));
      break;
    case 2:
      std::swap(pieces[one], pieces[other]);
      break;
    default:
      std::swap(pieces[one].content, pieces[other].content);
      break;
  }
  return pieces;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    lines.push_back(text.substr(begin, end - begin + 1));
    begin = end + 1;
  }
  return lines;
}

void change_line(std::string& text, Chance& chance) {
  std::vector<std::string> lines = split_lines(text);
  if (lines.empty()) return;
  const std::size_t one = chance.below(lines.size());
  switch (chance.below(3)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(one));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(chance.below(lines.size())), std::string(lines[one]));
      break;
    default:
      std::swap(lines[one], lines[chance.below(lines.size())]);
      break;
  }
  text.clear();
  for (const std::string& line : lines) text += line;
}

/// Another digit for one of a text.
void change_digit(std::string& text, Chance& chance) {
  const std::size_t from = chance.below(text.size() + 1);
  std::size_t place = text.find_first_of("0123456789", from);
  if (place == std::string::npos) place = text.find_first_of("0123456789");
  if (place == std::string::npos) return;
  const auto digit = static_cast<std::size_t>(text[place] - '0');
  text[place] = static_cast<char>('0' + static_cast<int>((digit + 1 + chance.below(9)) % 10));
}

void change_word(std::string& text, Chance& chance) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> words{{{"\"pass\"", "\"fail\""},
                                                                                       {"\"warn\"", "\"pass\""},
                                                                                       {"\"pass\"", "\"skip\""},
                                                                                       {"3000.5", "2400.25"},
                                                                                       {"2400.25", "3000.5"},
                                                                                       {"n1", "n2"},
                                                                                       {"\"met\"", "\"not_met\""},
                                                                                       {"true", "false"}}};
  const auto& [old_word, new_word] = words[chance.below(words.size())];
  std::size_t place = text.find(old_word, chance.below(text.size() + 1));
  if (place == std::string::npos) place = text.find(old_word);
  if (place != std::string::npos) text.replace(place, old_word.size(), new_word);
}

/// A file whose content is another, of a forger who makes the digests anew.
Pieces changed_content(Chance& chance) {
  Pieces pieces = pieces_of(original());
  std::string& text = pieces[1 + chance.below(pieces.size() - 1)].content;
  switch (chance.below(4)) {
    case 0:
      flip(text, chance);
      break;
    case 1:
      change_line(text, chance);
      break;
    case 2:
      change_digit(text, chance);
      break;
    default:
      change_word(text, chance);
      break;
  }
  return pieces;
}

std::size_t count_found(std::uint64_t seed, std::size_t count, const std::function<std::string(Chance&)>& change) {
  Chance chance(seed);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string bytes = change(chance);
    const bool is_found = bytes == original() || !is_intact(bytes);  // some changes change nothing
    if (is_found) ++found;
    EXPECT_TRUE(is_found) << "seed " << seed << ", change " << i;
  }
  return found;
}

TEST(Mutations, OfBytesAreFound) {
  ASSERT_TRUE(is_intact(original()));
  EXPECT_EQ(count_found(1, 6000 / share, changed_bytes), 6000 / share);
}

TEST(Mutations, OfFilesAreFoundWhoeverMakesTheDigestsAnew) {
  EXPECT_EQ(count_found(2, 1000 / share, [](Chance& chance) { return joined(changed_files(chance)); }), 1000 / share);
  EXPECT_EQ(count_found(3, 1000 / share,
                        [](Chance& chance) {
                          Pieces pieces = changed_files(chance);
                          const bool has_list = pieces.front().name == manifest_name;
                          return has_list ? forged(std::move(pieces)) : joined(pieces);
                        }),
            1000 / share);
}

/// What the two journals say of the outcome of each case, and what observations and limits it has.
std::string judged_part(const Pieces& pieces) {
  std::string text;
  for (const ArchivedFile& piece : pieces) {
    if (!piece.name.ends_with(".journal")) {
      if (piece.name != manifest_name) text += piece.content;
      continue;
    }
    for (const std::string& line : split_lines(piece.content)) {
      const std::size_t outcome = line.find("\"outcome\"");
      if (outcome != std::string::npos) text += line.substr(outcome, line.find(',', outcome) - outcome);
    }
  }
  return text;
}

/// Those that are not found differ in nothing that a verdict or an outcome follows from.
TEST(Mutations, OfContentWithNewDigestsAreFoundOrShownHarmless) {
  Chance chance(4);
  std::size_t found = 0;
  std::size_t harmless = 0;
  const std::string judged = judged_part(pieces_of(original()));
  constexpr std::size_t count = 2000 / share;
  for (std::size_t i = 0; i < count; ++i) {
    const Pieces pieces = changed_content(chance);
    const std::string bytes = forged(pieces);
    if (bytes == original() || !is_intact(bytes)) {
      ++found;
      continue;
    }
    ++harmless;
    // Head, contract, golden files, both verdicts and every outcome are as they were, but for who wrote the bundle.
    std::string part = judged_part(pieces);
    const std::size_t version = part.find("\"version\": \"");
    part.replace(version, part.find(',', version) - version, "\"version\": \"0.1.0\"");
    EXPECT_EQ(part, judged) << "change " << i;
  }
  RecordProperty("found", static_cast<int>(found));
  RecordProperty("harmless", static_cast<int>(harmless));
  EXPECT_EQ(found + harmless, count);
  EXPECT_GT(found, count * 9 / 10);
}

}  // namespace
}  // namespace gpucheck::acceptance
