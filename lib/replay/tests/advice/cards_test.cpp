#include "replay/advice/cards.hpp"

#include <gtest/gtest.h>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace gpucheck::replay {
namespace {

TEST(Cards, AreFoundByNameHoweverItIsWritten) {
  for (const char* name : {"A100 40GB", "a100 40gb", "NVIDIA A100 40 GB", "A100-40GB", "nvidia a100-40gb"}) {
    EXPECT_EQ(card_named(name).name, "A100 40GB") << name;
  }
  for (const Card& card : known_cards()) EXPECT_EQ(&card_named(card.name), &card);
}

TEST(Cards, AnUnknownOneIsAMistakeThatNamesThoseKnown) {
  for (const char* name : {"A100 40", "Voodoo 2", "", "NVIDIA", "H100 64GB", "NVIDIA GeForce RTX 4090 Laptop GPU",
                           "NVIDIA GeForce RTX 3090 Ti", "NVIDIA H100 80GB HBM3 MIG 3g.40gb", "80GB"}) {
    try {
      static_cast<void>(card_named(name));
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("RTX 4090 24GB"), std::string::npos) << error.what();
    }
  }
}

TEST(Cards, AreFoundAsNvidiaSmiAndPyTorchNameThem) {
  const std::pair<const char*, const char*> names[] = {{"NVIDIA H100 80GB HBM3", "H100 80GB"},
                                                       {"NVIDIA H100 PCIe", "H100 80GB"},
                                                       {"NVIDIA H100 NVL", "H100 NVL 94GB"},
                                                       {"NVIDIA H200", "H200 141GB"},
                                                       {"NVIDIA H200 NVL", "H200 141GB"},
                                                       {"NVIDIA B200", "B200 180GB"},
                                                       {"NVIDIA GH200 480GB", "GH200 96GB"},
                                                       {"NVIDIA GH200 144G HBM3e", "GH200 144GB"},
                                                       {"NVIDIA A100-SXM4-40GB", "A100 40GB"},
                                                       {"NVIDIA A100 80GB PCIe", "A100 80GB"},
                                                       {"Tesla V100-SXM2-32GB", "V100 32GB"},
                                                       {"Tesla T4", "T4 16GB"},
                                                       {"NVIDIA A10G", "A10 24GB"},
                                                       {"NVIDIA L40S", "L40S 48GB"},
                                                       {"RTX 4090", "RTX 4090 24GB"},
                                                       {"NVIDIA GeForce RTX 4090", "RTX 4090 24GB"},
                                                       {"rtx4090", "RTX 4090 24GB"},
                                                       {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada 48GB"},
                                                       {"NVIDIA RTX A6000", "RTX A6000 48GB"}};
  for (const auto& [name, card] : names) EXPECT_EQ(card_named(name).name, card) << name;
}

TEST(Cards, OfSeveralSizesTheSizeIsAskedFor) {
  try {
    static_cast<void>(card_named("NVIDIA A100"));
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "\"NVIDIA A100\" is made with different amounts of memory: give --memory-limit, or one of A100 40GB, "
              "A100 80GB");
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
