#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/result/failure_kinds.hpp"
#include "harness/xid/catalog.hpp"
#include "harness/xid/judge.hpp"

namespace gpucheck::harness {
namespace {

using telemetry::KernelEvent;
using telemetry::KernelEventKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

KernelEvent xid(std::int64_t number, const std::string& text = "") {
  return {.kind = KernelEventKind::xid, .pci_address = "0000:3b:00.0", .xid = number, .text = text};
}

TEST(XidCatalog, HasEachNumberOnceUpTo172) {
  int next = 1;
  for (const XidInfo& info : xid_catalog()) {
    EXPECT_EQ(info.first, next);
    EXPECT_GE(info.last, info.first);
    EXPECT_FALSE(info.meaning.empty());
    EXPECT_TRUE(info.failure.empty() || find_failure_kind(info.failure) != nullptr) << info.failure;
    next = info.last + 1;
  }
  EXPECT_EQ(next, 173);
  EXPECT_EQ(find_xid(0), nullptr);
  EXPECT_EQ(find_xid(173), nullptr);
  EXPECT_EQ(find_xid(71)->first, 70);
}

TEST(XidCatalog, KnowsWhoCausesWhat) {
  for (const std::int64_t number : {13, 31, 43, 45, 68, 69, 109, 137})
    EXPECT_TRUE(is_caused_by_programs(number)) << number;
  for (const std::int64_t number : {48, 79, 94, 95, 119, 999}) EXPECT_FALSE(is_caused_by_programs(number)) << number;
}

struct Judged {
  KernelEvent event;
  const char* failure;
};

/// By the resolutions of NVIDIA's catalogue.
TEST(XidJudge, ByNumber) {
  for (const auto& [event, failure] :
       {Judged{xid(79), "gpu_lost"}, Judged{xid(48), "gpu_reset_required"}, Judged{xid(95), "gpu_reset_required"},
        Judged{xid(119), "gpu_reset_required"}, Judged{xid(74), "gpu_reset_required"},
        Judged{xid(94), "error_to_watch"}, Judged{xid(92), "error_to_watch"}, Judged{xid(31), ""}, Judged{xid(13), ""},
        Judged{xid(43), ""}, Judged{xid(63), ""}, Judged{xid(64), ""}, Judged{xid(999), "hardware_error_reported"},
        Judged{xid(167), "hardware_error_reported"}}) {
    EXPECT_EQ(failure_of(event), failure) << event.xid;
  }
}

TEST(XidJudge, ByTextWhereTheNumberDoesNotSayIt) {
  for (std::int64_t number = 144; number <= 150; ++number) {
    EXPECT_EQ(failure_of(xid(number, "A Nonfatal XC1 i0 Link 12")), "error_to_watch") << number;
    EXPECT_EQ(failure_of(xid(number, "A Fatal XC1 i0 Link 12")), "gpu_reset_required") << number;
    EXPECT_EQ(failure_of(xid(number, "A XC1 i0 Link 12")), "gpu_reset_required") << number << " says neither";
    EXPECT_TRUE(needs_text(number));
  }
  EXPECT_TRUE(needs_text(154));
  EXPECT_FALSE(needs_text(79));
  EXPECT_EQ(failure_of(xid(154, "changed from 0x1 (GPU Reset Required) to 0x0 (None)")), "");
  EXPECT_EQ(failure_of(xid(154, "changed from 0x0 (None) to 0x1 (GPU Reset Required)")), "gpu_reset_required");
  EXPECT_EQ(failure_of(xid(154, "changed from 0x0 (None) to 0x2 (Node Reboot Required)")), "reboot_required");
  EXPECT_EQ(failure_of(xid(154, "changed from 0x0 (None) to 0x3 (Drain P2P)")), "drain_required");
  EXPECT_EQ(failure_of(xid(154, "changed from 0x0 (None) to 0x4 (Drain and Reset)")), "drain_required");
  EXPECT_EQ(failure_of(xid(154, "changed from 0x0 (None) to 0x5 (Recover IMEX)")), "imex_recovery_required");
  EXPECT_EQ(failure_of(xid(154, "changed")), "hardware_error_reported") << "no action that can be read";
}

TEST(XidJudge, OfWhatHasNoXid) {
  const auto of = [](KernelEventKind kind, const char* text) {
    return failure_of({.kind = kind, .pci_address = {}, .text = text});
  };
  EXPECT_EQ(of(KernelEventKind::switch_error, "SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30"), "switch_error");
  EXPECT_EQ(of(KernelEventKind::switch_error, "SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 3"), "error_to_watch");
  EXPECT_EQ(of(KernelEventKind::off_the_bus, ""), "gpu_lost");
  EXPECT_EQ(of(KernelEventKind::init_failed, ""), "hardware_error_reported");
  EXPECT_EQ(of(KernelEventKind::reset_required, ""), "gpu_reset_required");
  EXPECT_EQ(of(KernelEventKind::driver_load, ""), "");
}

TEST(XidJudge, SaysWhatHowOftenAndWhen) {
  KernelEvent event = xid(48, "NVRM: Xid (PCI:0000:3b:00): 48, DBE");
  EXPECT_EQ(text_of(event), "XID 48 GPU_ECC_DBE, at an unknown time: NVRM: Xid (PCI:0000:3b:00): 48, DBE");
  event.count = 3;
  event.first_time_s = 1'795'602'751;
  event.last_time_s = 1'795'602'752;
  EXPECT_THAT(text_of(event),
              StartsWith("XID 48 GPU_ECC_DBE, 3 times from 2026-11-25T10:32:31Z to 2026-11-25T10:32:32Z: NVRM"));
  EXPECT_THAT(text_of(xid(999)), HasSubstr("not in NVIDIA's catalogue"));
  EXPECT_LT(text_of(xid(48, std::string(10'000, 'x'))).size(), 300U);
}

TEST(XidJudge, NamesTheXidsOfTexts) {
  EXPECT_THAT(xids_named({"XID 79 A, at", "XID 48"}), ElementsAre(79, 48));
  EXPECT_THAT(xids_named({"XID 79 A, at", "off the bus, at"}), IsEmpty());
  EXPECT_THAT(xids_named({"SXid 79"}), IsEmpty());
}

TEST(XidJudge, IsStricterWhileACaseRuns) {
  EXPECT_EQ(failure_while_running(31), "");
  EXPECT_EQ(failure_while_running(109), "");
  EXPECT_EQ(failure_while_running(94), "hardware_error_reported");
  EXPECT_EQ(failure_while_running(79), "gpu_lost");
  EXPECT_EQ(failure_while_running(145), "gpu_reset_required");
  EXPECT_EQ(failure_while_running(64), "remap_not_recorded");
  EXPECT_EQ(failure_while_running(999), "hardware_error_reported");
}

TEST(XidCatalog, FindsANumberAtBothEndsOfARange) {
  for (const auto& [number, first] : {std::pair{1, 1},
                                      {19, 19},
                                      {20, 20},
                                      {22, 20},
                                      {23, 23},
                                      {112, 112},
                                      {118, 112},
                                      {119, 119},
                                      {126, 126},
                                      {135, 126},
                                      {136, 136},
                                      {172, 172}}) {
    ASSERT_NE(find_xid(number), nullptr) << number;
    EXPECT_EQ(find_xid(number)->first, first) << number;
  }
  EXPECT_EQ(find_xid(-1), nullptr);
  EXPECT_EQ(to_text(XidCause::program), "program");
  EXPECT_EQ(to_text(XidCause::driver), "driver");
  EXPECT_EQ(to_text(XidCause::hardware), "hardware");
}

TEST(XidJudge, AsksTheTextOfNewerLinksAlone) {
  EXPECT_EQ(failure_of(xid(143, "A Nonfatal XC1")), "gpu_reset_required");
  EXPECT_EQ(failure_of(xid(151, "A Nonfatal XC1")), "hardware_error_reported");
  for (const std::int64_t number : {143, 151, 153, 155}) EXPECT_FALSE(needs_text(number)) << number;
}

TEST(XidJudge, OfWhatTheDriverWantsDone) {
  const std::pair<std::int64_t, const char*> actions[] = {
      {-1, "hardware_error_reported"}, {0, ""},
      {1, "gpu_reset_required"},       {2, "reboot_required"},
      {3, "drain_required"},           {4, "drain_required"},
      {5, "imex_recovery_required"},   {6, "hardware_error_reported"}};
  for (const auto& [action, failure] : actions) EXPECT_EQ(failure_of_recovery(action), failure) << action;
}

TEST(XidJudge, NamesEachKindOfEvent) {
  const auto of = [](KernelEventKind kind) {
    return text_of({.kind = kind, .pci_address = "0000:c1:00.0", .xid = 20034, .text = "a\n b"});
  };
  EXPECT_EQ(of(KernelEventKind::xid), "XID 20034 (not in NVIDIA's catalogue), at an unknown time: a b");
  EXPECT_EQ(of(KernelEventKind::switch_error), "SXid 20034 of the NVSwitch 0000:c1:00.0, at an unknown time: a b");
  EXPECT_EQ(of(KernelEventKind::off_the_bus), "off the bus, at an unknown time: a b");
  EXPECT_EQ(of(KernelEventKind::init_failed), "not started, at an unknown time: a b");
  EXPECT_EQ(of(KernelEventKind::reset_required), "reset required, at an unknown time: a b");
  EXPECT_EQ(of(KernelEventKind::gpu_reset), "gpu_reset, at an unknown time: a b");
}

TEST(XidJudge, ShowsTwoHundredCharactersOfAText) {
  KernelEvent event = xid(48, std::string(200, 'x'));
  event.last_time_s = 1'795'602'752;
  const std::string start = "XID 48 GPU_ECC_DBE, at 2026-11-25T10:32:32Z: ";
  EXPECT_EQ(text_of(event), start + std::string(200, 'x'));
  event.text += 'x';
  EXPECT_EQ(text_of(event), start + std::string(199, 'x') + "\xE2\x80\xA6");
  event.text = "a";
  event.count = 2;
  event.first_time_s = {};
  EXPECT_EQ(text_of(event), "XID 48 GPU_ECC_DBE, 2 times from an unknown time to 2026-11-25T10:32:32Z: a");
}

TEST(XidJudge, NamesNoXidsWhereATextHasNone) {
  EXPECT_THAT(xids_named({}), IsEmpty());
  EXPECT_THAT(xids_named({"XID 79"}), ElementsAre(79));
  EXPECT_THAT(xids_named({"XID 79", "XID "}), IsEmpty());
  EXPECT_THAT(xids_named({"XID x"}), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::harness
