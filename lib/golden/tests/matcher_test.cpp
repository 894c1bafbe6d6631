#include "golden/document/matcher.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace gpucheck::golden {
namespace {

using harness::Value;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Value integer(std::int64_t number) { return number; }
Value text(const char* letters) { return std::string(letters); }
Value integers(std::vector<std::int64_t> numbers) { return numbers; }
Value reals(std::vector<double> numbers) { return numbers; }

TEST(Equals, KeepsKindsApart) {
  EXPECT_TRUE(accepts(Equals{true}, true));
  EXPECT_FALSE(accepts(Equals{true}, integer(1)));
  EXPECT_FALSE(accepts(Equals{integer(1)}, true));
  EXPECT_FALSE(accepts(Equals{integer(1)}, text("1")));
  EXPECT_FALSE(accepts(Equals{integer(1)}, integers({1})));
  EXPECT_FALSE(accepts(Equals{text("a")}, text("b")));
}

TEST(Equals, TakesARealThatIsExactlyTheWholeNumber) {
  EXPECT_TRUE(accepts(Equals{integer(2)}, 2.0));
  EXPECT_FALSE(accepts(Equals{integer(2)}, std::nextafter(2.0, 3.0)));
  EXPECT_FALSE(accepts(Equals{2.0}, integer(2)));  // what was counted is expected as a count
  EXPECT_TRUE(accepts(Equals{integers({1, 2})}, reals({1, 2})));
  EXPECT_FALSE(accepts(Equals{reals({1, 2})}, integers({1, 2})));
}

// 2^53 + 1 is the first integer that double cannot hold.
TEST(Equals, LosesNoDigits) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(accepts(Equals{integer(odd)}, integer(odd - 1)));
  EXPECT_FALSE(accepts(Equals{integer(odd)}, static_cast<double>(odd - 1)));
}

TEST(Equals, HoldsToTheEndsOf64Bits) {
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(accepts(Equals{integer(greatest)}, integer(greatest)));
  EXPECT_FALSE(accepts(Equals{integer(greatest)}, integer(greatest - 1)));
  EXPECT_FALSE(accepts(Equals{integer(greatest)}, 0x1p63)) << "which the greatest integer is rounded to";
  EXPECT_TRUE(accepts(Equals{integer(least)}, -0x1p63));
  EXPECT_FALSE(accepts(Equals{integer(least)}, integer(least + 1)));
  EXPECT_FALSE(accepts(Equals{integers({greatest})}, reals({0x1p63})));
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(accepts(Equals{integer(odd)}, 0x1p53)) << "which it is rounded to";
  EXPECT_FALSE(accepts(OneOf{{integer(odd)}}, 0x1p53));
}

TEST(Equals, ComparesArraysByElementAndLength) {
  EXPECT_TRUE(accepts(Equals{integers({1, 2})}, integers({1, 2})));
  EXPECT_FALSE(accepts(Equals{integers({1, 2})}, integers({2, 1})));
  EXPECT_FALSE(accepts(Equals{integers({1, 2})}, integers({1, 2, 3})));
  EXPECT_FALSE(accepts(Equals{reals({1.5})}, reals({1.5, 1.5})));
}

TEST(Equals, AnEmptyArrayHasNoKindButIsNoText) {
  EXPECT_TRUE(accepts(Equals{integers({})}, Value(std::vector<std::string>{})));
  EXPECT_FALSE(accepts(Equals{integers({})}, integers({0})));
  EXPECT_FALSE(accepts(Equals{integers({})}, text("")));
}

TEST(Equals, NeverTakesNotANumber) {
  EXPECT_FALSE(accepts(Equals{0.0}, not_a_number));
  EXPECT_FALSE(accepts(Equals{not_a_number}, not_a_number));
}

TEST(Range, IncludesBothEnds) {
  const Range range{integer(1), 2.5};
  EXPECT_TRUE(accepts(range, integer(1)));
  EXPECT_TRUE(accepts(range, 2.5));
  EXPECT_FALSE(accepts(range, 0.999));
  EXPECT_FALSE(accepts(range, integer(3)));
}

TEST(Range, EndsExactlyWhereItSays) {
  constexpr std::int64_t even = std::int64_t{1} << 53;
  for (const Value& end : {integer(even), Value(0x1p53)}) {
    const Range from{end, integer(even + 10)};
    const Range to{integer(0), end};
    EXPECT_TRUE(accepts(from, integer(even)));
    EXPECT_FALSE(accepts(from, integer(even - 1)));
    EXPECT_TRUE(accepts(to, integer(even)));
    EXPECT_FALSE(accepts(to, integer(even + 1))) << "which as a double is the end";
  }
  const Range all{integer(std::numeric_limits<std::int64_t>::min()), integer(std::numeric_limits<std::int64_t>::max())};
  EXPECT_TRUE(accepts(all, integer(std::numeric_limits<std::int64_t>::min())));
  EXPECT_TRUE(accepts(all, integer(std::numeric_limits<std::int64_t>::max())));
  EXPECT_TRUE(accepts(all, -0x1p63));
  EXPECT_FALSE(accepts(all, 0x1p63));
  const Range one{0.5, 0.5};
  EXPECT_TRUE(accepts(one, 0.5));
  EXPECT_FALSE(accepts(one, std::nextafter(0.5, 0.0)));
  EXPECT_FALSE(accepts(one, std::nextafter(0.5, 1.0)));
}

TEST(Range, TakesOnlyNumbers) {
  const Range range{integer(0), integer(10)};
  EXPECT_FALSE(accepts(range, true));
  EXPECT_FALSE(accepts(range, text("5")));
  EXPECT_FALSE(accepts(range, integers({5})));
  EXPECT_FALSE(accepts(range, not_a_number));
  EXPECT_FALSE(accepts(range, infinity));
}

TEST(Range, LosesNoDigits) {
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() - 1;
  EXPECT_FALSE(accepts(Range{integer(0), integer(limit)}, integer(limit + 1)));
}

Approximately near(std::vector<double> expected) {
  Approximately matcher;
  matcher.is_array = expected.size() != 1;
  matcher.expected = std::move(expected);
  return matcher;
}

TEST(Approximately, AcceptsWithinTheRelativeTolerance) {
  Approximately matcher = near({-200.0});
  matcher.relative = 0.01;
  EXPECT_TRUE(accepts(matcher, -202.0));
  EXPECT_TRUE(accepts(matcher, integer(-198)));
  EXPECT_FALSE(accepts(matcher, -202.1));
  EXPECT_FALSE(accepts(matcher, 200.0));
}

// Halves, so that the limit is a number without rounding.
TEST(Approximately, IsNearUpToExactlyItsTolerance) {
  Approximately relative = near({-8.0});
  relative.relative = 0.5;
  for (const double limit : {-4.0, -12.0}) EXPECT_TRUE(accepts(relative, limit)) << limit;
  EXPECT_FALSE(accepts(relative, std::nextafter(-4.0, 0.0)));
  EXPECT_FALSE(accepts(relative, std::nextafter(-12.0, -13.0))) << "a share of what is expected, not of what was seen";
  Approximately none = near({0.5});
  none.absolute = 0;
  none.relative = 0;
  EXPECT_TRUE(accepts(none, 0.5));
  EXPECT_FALSE(accepts(none, std::nextafter(0.5, 1.0)));
  Approximately of_nothing = near({0.0});
  of_nothing.relative = 1e300;
  EXPECT_TRUE(accepts(of_nothing, -0.0));
  EXPECT_FALSE(accepts(of_nothing, std::numeric_limits<double>::denorm_min()));
}

TEST(Approximately, LosesNoDigits) {
  constexpr std::int64_t even = std::int64_t{1} << 53;
  Approximately absolute = near({0x1p53});
  absolute.absolute = 0.5;
  EXPECT_TRUE(accepts(absolute, integer(even)));
  EXPECT_FALSE(accepts(absolute, integer(even + 1)));
  Approximately places = near({0x1p53});
  places.last_places = 0;
  EXPECT_TRUE(accepts(places, integer(even)));
  EXPECT_FALSE(accepts(places, integer(even + 1))) << "it is not a double, though rounded it is this one";
}

TEST(Approximately, CountsNoDifferenceBetweenTheZeros) {
  for (const auto& [expected, seen] : {std::pair(0.0, -0.0), {-0.0, 0.0}}) {
    Approximately matcher = near({expected});
    matcher.last_places = 0;
    EXPECT_TRUE(accepts(matcher, seen));
  }
}

TEST(Approximately, AcceptsWithinTheAbsoluteTolerance) {
  Approximately matcher = near({0.0});
  matcher.absolute = 0.5;
  EXPECT_TRUE(accepts(matcher, 0.5));
  EXPECT_TRUE(accepts(matcher, -0.5));
  EXPECT_FALSE(accepts(matcher, std::nextafter(0.5, 1.0)));
}

TEST(Approximately, CountsRepresentableNumbersForUlp) {
  Approximately matcher = near({1.0});
  matcher.last_places = 1;
  EXPECT_TRUE(accepts(matcher, 1.0));
  EXPECT_TRUE(accepts(matcher, std::nextafter(1.0, 2.0)));
  EXPECT_FALSE(accepts(matcher, std::nextafter(std::nextafter(1.0, 2.0), 2.0)));
}

// The smallest numbers either side of zero are two apart: -min, 0 (both zeros), min.
TEST(Approximately, CountsAcrossZero) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  Approximately matcher = near({-smallest});
  matcher.last_places = 2;
  EXPECT_TRUE(accepts(matcher, smallest));
  matcher.last_places = 1;
  EXPECT_TRUE(accepts(matcher, -0.0));
  EXPECT_FALSE(accepts(matcher, smallest));
}

TEST(Approximately, OneToleranceKeptIsEnough) {
  Approximately matcher = near({1000.0});
  matcher.relative = 0.1;
  matcher.absolute = 0.001;
  EXPECT_TRUE(accepts(matcher, 1050.0));
}

TEST(Approximately, NeverTakesWhatIsNotFinite) {
  Approximately matcher = near({1e308});
  matcher.relative = 1e308;
  matcher.absolute = 1e308;
  matcher.last_places = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(accepts(matcher, infinity));
  EXPECT_FALSE(accepts(matcher, not_a_number));
}

TEST(Approximately, TakesArraysElementByElement) {
  Approximately matcher = near({1.0, 2.0});
  matcher.absolute = 0.1;
  EXPECT_TRUE(accepts(matcher, reals({1.05, 1.95})));
  EXPECT_TRUE(accepts(matcher, integers({1, 2})));
  EXPECT_FALSE(accepts(matcher, reals({1.05, 1.5})));
  EXPECT_FALSE(accepts(matcher, reals({1.0})));
  EXPECT_FALSE(accepts(matcher, 1.0));
  EXPECT_FALSE(accepts(matcher, integers({})));
  EXPECT_FALSE(accepts(matcher, reals({1.0, 2.0, 3.0}))) << "one more than expected";
  EXPECT_FALSE(accepts(matcher, reals({1.0, infinity})));
}

TEST(Matches, SearchesTexts) {
  const Matches matcher = make_matches("out of m[aeiou]mory");
  EXPECT_TRUE(accepts(matcher, text("CUDA out of memory. Tried")));
  EXPECT_FALSE(accepts(matcher, text("out of time")));
  EXPECT_FALSE(accepts(matcher, integer(1)));
  EXPECT_FALSE(accepts(make_matches("^out$"), text("no way out")));
}

TEST(Matches, TakesLinearTimeWhereBacktrackingTakesForEver) {
  EXPECT_FALSE(accepts(make_matches("^(a|aa)*(a|aa)*(a|aa)*b$"), Value(std::string(100'000, 'a'))));
}

TEST(Matches, RejectsWhatIsNoPattern) {
  for (const char* pattern : {"(", "a{2,1}", "[z-a]", "(?=ahead)", "((((a{100}){100}){100}){100})"}) {
    EXPECT_THROW(make_matches(pattern), std::invalid_argument) << pattern;
  }
}

TEST(OneOf, TakesAnyOfItsValues) {
  const OneOf matcher{{integer(1), text("two")}};
  EXPECT_TRUE(accepts(matcher, integer(1)));
  EXPECT_TRUE(accepts(matcher, text("two")));
  EXPECT_FALSE(accepts(matcher, text("1")));
  EXPECT_FALSE(accepts(matcher, true));
}

TEST(Describe, SaysWhatIsExpected) {
  EXPECT_EQ(describe(Equals{true}), "true");
  EXPECT_EQ(describe(Equals{integers({1, 2})}), "[1, 2]");
  EXPECT_EQ(describe(Range{integer(1), integer(3)}), "1 to 3");
  EXPECT_EQ(describe(make_matches("out of memory")), "matches /out of memory/");
  EXPECT_EQ(describe(OneOf{{integer(1), text("a")}}), "one of 1, \"a\"");
  EXPECT_EQ(describe(Informational{}), "any value");
}

TEST(Describe, NamesEveryTolerance) {
  Approximately matcher = near({0.5});
  matcher.relative = 0.001;
  EXPECT_EQ(describe(matcher), "0.5 within 0.001 relative");
  matcher.absolute = 1e-6;
  matcher.last_places = 2;
  EXPECT_EQ(describe(matcher), "0.5 within 0.001 relative or 1e-06 absolute or 2 ulp");
}

}  // namespace
}  // namespace gpucheck::golden
