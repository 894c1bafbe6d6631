#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "cases/registration.hpp"
#include "harness/case/registry.hpp"

// Every parameter of every case at its bounds: the bound itself is taken, what is one beyond is a usage error.
namespace gpucheck::cases {
namespace {

using harness::Parameter;

bool takes(const Parameter& parameter, const std::string& text) {
  try {
    static_cast<void>(parameter.parse(text));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// The bound as text, and what is next to it: for whole numbers 1 away, for others the next number that there is.
std::string at(const Parameter& parameter, double bound) {
  const bool is_whole = std::holds_alternative<std::int64_t>(parameter.default_value);
  return is_whole ? fmt::format("{:.0f}", bound) : fmt::format("{:.17g}", bound);
}
std::string beyond(const Parameter& parameter, double bound, double direction) {
  const bool is_whole = std::holds_alternative<std::int64_t>(parameter.default_value);
  return is_whole ? fmt::format("{:.0f}", bound + direction)
                  : fmt::format("{:.17g}", std::nextafter(bound, direction * std::numeric_limits<double>::infinity()));
}

template <typename Check>
std::size_t for_each_parameter(Check check) {
  const harness::Registry registry(all());
  std::size_t count = 0;
  for (const harness::Case& one : registry.cases()) {
    for (const Parameter& parameter : one.parameters) {
      SCOPED_TRACE(one.name + " " + parameter.name);
      count += check(parameter) ? 1U : 0U;
    }
  }
  return count;
}

TEST(Parameters, AreTakenDownToTheirLeast) {
  EXPECT_GT(for_each_parameter([](const Parameter& parameter) {
              if (!parameter.minimum) return false;
              EXPECT_TRUE(takes(parameter, at(parameter, *parameter.minimum)));
              EXPECT_FALSE(takes(parameter, beyond(parameter, *parameter.minimum, -1)));
              return true;
            }),
            20U);
}

TEST(Parameters, AreTakenUpToTheirGreatest) {
  EXPECT_GT(for_each_parameter([](const Parameter& parameter) {
              if (!parameter.maximum) return false;
              EXPECT_TRUE(takes(parameter, at(parameter, *parameter.maximum)));
              EXPECT_FALSE(takes(parameter, beyond(parameter, *parameter.maximum, 1)));
              return true;
            }),
            10U);
}

TEST(Parameters, OfWhichZeroIsTheCasesChoiceHaveALeastBesides) {
  EXPECT_GT(for_each_parameter([](const Parameter& parameter) {
              if (!parameter.smallest) return false;
              EXPECT_TRUE(takes(parameter, "0"));
              EXPECT_TRUE(takes(parameter, at(parameter, *parameter.smallest)));
              EXPECT_FALSE(takes(parameter, beyond(parameter, *parameter.smallest, -1)));
              return true;
            }),
            5U);
}

TEST(Parameters, OfWordsAreTakenByTheirNamesAlone) {
  const std::size_t count = for_each_parameter([](const Parameter& parameter) {
    for (const std::string& choice : parameter.choices) {
      EXPECT_TRUE(takes(parameter, choice));
      EXPECT_FALSE(takes(parameter, choice + "x"));
      EXPECT_FALSE(takes(parameter, choice.substr(1)));
    }
    return !parameter.choices.empty();
  });
  EXPECT_GT(count, 0U);
}

TEST(Parameters, HaveDefaultsThatTheyTake) {
  const std::size_t count = for_each_parameter([](const Parameter& parameter) {
    const std::string text = harness::to_text(parameter.default_value);
    EXPECT_TRUE(takes(parameter, text)) << text;
    return true;
  });
  EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace gpucheck::cases
