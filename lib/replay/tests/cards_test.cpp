#include "replay/advice/cards.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/units.hpp"

namespace gpucheck::replay {
namespace {

TEST(Cards, AreFoundByNameHoweverItIsWritten) {
  for (const char* name : {"A100 40GB", "a100 40gb", "NVIDIA A100 40 GB", "A100-40GB", "nvidia a100-40gb"}) {
    EXPECT_EQ(card_named(name).name, "A100 40GB") << name;
  }
  for (const Card& card : known_cards()) EXPECT_EQ(&card_named(card.name), &card);
}

TEST(Cards, AnUnknownOneIsAMistakeThatNamesThoseKnown) {
  for (const char* name : {"A100", "A100 40", "Voodoo 2", "", "NVIDIA"}) {
    try {
      static_cast<void>(card_named(name));
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("RTX 4090 24GB"), std::string::npos) << error.what();
    }
  }
}

TEST(Cards, AContextIsTakenOff) { EXPECT_EQ(card_named("H100 80GB").usable_bytes(), 85'017'493'504U - 552'402'944U); }

TEST(Cards, NoneHasMoreThanItsNameSaysNorMuchLess) {
  for (const Card& card : known_cards()) {
    const std::string name(card.name);
    const std::uint64_t gib = std::stoull(name.substr(name.rfind(' ') + 1));
    EXPECT_LT(card.total_bytes, gib * 1_GiB) << name;
    EXPECT_GT(card.total_bytes, gib * 1_GiB / 10 * 9) << name;
    const bool says_assumed = assumption_of(card).find("assumed") != std::string::npos;
    EXPECT_EQ(says_assumed, card.source == CardSource::vendor) << name;
  }
}

}  // namespace
}  // namespace gpucheck::replay
