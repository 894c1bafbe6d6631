#include "telemetry/kernel_log/kernel_event.hpp"

#include <gtest/gtest.h>

#include "telemetry/kernel_log/nvidia_lines.hpp"

namespace gpucheck::telemetry {
namespace {

std::optional<KernelEvent> read(std::string_view message) { return NvidiaLines().read(message); }

struct XidLine {
  const char* message;
  const char* address;
  std::int64_t xid;
};
constexpr XidLine xid_lines[] = {
    {"NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.", "0000:3b:00.0", 79},
    {"NVRM: Xid (PCI:0000:3B:00): 48, pid='<unknown>', name=<unknown>, DBE", "0000:3b:00.0", 48},
    {"NVRM: Xid (0000:03:00): 6, PE0001", "0000:03:00.0", 6},
    {"NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 94, Contained: CE User Channel (0x9)", "0000:3b:00.0", 94},
    {"NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 95, Uncontained: LTC TAG", "0000:3b:00.0", 95},
    {"NVRM: Xid (PCI:10000:01:00): 79, GPU has fallen off the bus.", "10000:01:00.0", 79},
    {"NVRM: Xid (PCI:00000000:01:00.0): 62, 20000000 20000004", "0000:01:00.0", 62},
    {"NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=my(odd): app, Timeout", "0000:3b:00.0", 119},
    {"[drm] NVRM: Xid (PCI:0000:3b:00): 62, 20000000", "0000:3b:00.0", 62},
    {"nvidia 0000:3b:00.0: NVRM: Xid (PCI:0000:3b:00): 120, GSP task panic", "0000:3b:00.0", 120},
    {"NVRM: Xid (PCI:0000:3b:00): 43", "0000:3b:00.0", 43},
    {"NVRM: Xid (PCI:0000:3b): 79, cut", "", 79},
};

TEST(KernelEvent, XidsInAllForms) {
  for (const XidLine& line : xid_lines) {
    const auto event = read(line.message);
    ASSERT_TRUE(event) << line.message;
    EXPECT_EQ(event->kind, KernelEventKind::xid) << line.message;
    EXPECT_EQ(event->pci_address, line.address) << line.message;
    EXPECT_EQ(event->xid, line.xid) << line.message;
  }
}

TEST(KernelEvent, WhatIsGarbledIsNoXid) {
  for (const char* message :
       {"NVRM: Xid (PCI:0000:3b:00): none", "NVRM: Xid (PCI:0000:3b:00): ", "NVRM: Xid (PCI:0000:3b:00",
        "NVRM: Xid (PCI:0000:3b:00): 79x", "NVRM: Xid (PCI:0000:3b:00): -3, a",
        "NVRM: Xid (PCI:0000:3b:00): 1234567, a",
        "NVRM: GPU at PCI:0000:3b:00: GPU-00000000-0000-0000-0000-000000000000", "usb 1-1: new device", ""}) {
    EXPECT_FALSE(read(message)) << message;
  }
}

TEST(KernelEvent, ErrorsOfSwitches) {
  const auto fatal = read("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up");
  ASSERT_TRUE(fatal);
  EXPECT_EQ(fatal->kind, KernelEventKind::switch_error);
  EXPECT_EQ(fatal->pci_address, "0000:c1:00.0");
  EXPECT_EQ(fatal->xid, 20034);
  EXPECT_EQ(is_fatal(fatal->text), true);
  const auto other = read("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress error (First)");
  ASSERT_TRUE(other);
  EXPECT_EQ(is_fatal(other->text), false);
  EXPECT_FALSE(read("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Severity 1 Engine instance 30"));
  EXPECT_FALSE(read("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Data {0x00000000, 0x00000000}"));
}

TEST(KernelEvent, AGpuOffTheBusWithoutAnXid) {
  const auto one = read(
      "NVRM: The NVIDIA GPU 0000:3b:00.0\\x0aNVRM: (PCI ID: 10de:2330) installed in this system has\\x0aNVRM: fallen "
      "off "
      "the bus and is not responding to commands.");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->kind, KernelEventKind::off_the_bus);
  EXPECT_EQ(one->pci_address, "0000:3b:00.0");
  EXPECT_EQ(read("NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.")->pci_address, "0000:3b:00.0");
  EXPECT_EQ(read("NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x22:0x56:894)")->kind, KernelEventKind::init_failed);
  NvidiaLines lines;  // as dmesg prints it
  EXPECT_FALSE(lines.read("NVRM: The NVIDIA GPU 0000:3c:00.0"));
  EXPECT_FALSE(lines.read("NVRM: (PCI ID: 10de:2330) installed in this system has"));
  const auto last = lines.read("NVRM: fallen off the bus and is not responding to commands.");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->pci_address, "0000:3c:00.0");
}

TEST(KernelEvent, AResetThatTheDriverWants) {
  const auto event =
      read("NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED] (0x62)");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, KernelEventKind::reset_required);
  EXPECT_EQ(event->pci_address, "");
  EXPECT_FALSE(read("NVRM: rpcRmApiAlloc_GSP: GspRmAlloc failed: paramsStatus=0x00000062"));
}

TEST(KernelEvent, WhatEndsErrors) {
  EXPECT_EQ(read("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build")->kind,
            KernelEventKind::driver_load);
  EXPECT_EQ(read("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.54.03")->kind, KernelEventKind::driver_load);
  EXPECT_EQ(read("Linux version 6.8.0-45-generic (buildd@host)")->kind, KernelEventKind::boot);
  const auto found = read("pci 0000:3b:00.0: [10de:2330] type 00 class 0x030200 PCIe Endpoint");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, KernelEventKind::gpu_reset);
  EXPECT_EQ(found->pci_address, "0000:3b:00.0");
  EXPECT_FALSE(read("pci 0000:05:00.0: [10de:22a3] type 00 class 0x068000")) << "a switch";
  EXPECT_EQ(read("nvidia 0000:3b:00.0: reset done")->kind, KernelEventKind::gpu_reset);
}

TEST(KernelEvent, ActionsOfXid154) {
  EXPECT_EQ(recovery_action("154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"),
            RecoveryAction::none);
  EXPECT_EQ(recovery_action("154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"),
            RecoveryAction::gpu_reset);
  EXPECT_EQ(recovery_action("154, GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)"),
            RecoveryAction::node_reboot);
  EXPECT_EQ(recovery_action("154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"),
            RecoveryAction::drain_and_reset);
  EXPECT_EQ(recovery_action("154, GPU recovery action changed from 0x0 (None) to 0x9 (?)"), std::nullopt);
  EXPECT_EQ(recovery_action("154, GPU recovery action changed"), std::nullopt);
  EXPECT_EQ(recovery_action(" to 0x1 (GPU Reset Required)"), RecoveryAction::gpu_reset)
      << "what is left of one cut off";
  EXPECT_EQ(recovery_action("154, 1 action was taken"), std::nullopt) << "a number that is none of an action";
}

TEST(KernelEvent, WhetherAnErrorIsFatal) {
  EXPECT_EQ(is_fatal("145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12"), false);
  EXPECT_EQ(is_fatal("149, NETIR_LINK_EVT Fatal XC0 i0 Link 00"), true);
  EXPECT_EQ(is_fatal("12028, Non-fatal, Link 32"), false);
  EXPECT_EQ(is_fatal("12028, Non-Fatal, then Fatal"), true);
  EXPECT_EQ(is_fatal("149, NETIR_LINK_EVT"), std::nullopt);
}

TEST(KernelEvent, PlacesInAGpu) {
  EXPECT_EQ(place_in_gpu("13, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range Address"),
            "GPC 2, TPC 1, SM 0");
  EXPECT_EQ(place_in_gpu("13, Graphics SM Warp Exception on (GPC 0, TPC 1): Out Of Range Address"), "GPC 0, TPC 1");
  EXPECT_EQ(place_in_gpu("31, MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_7 faulted @ 0x2b57_b3000000"),
            "GPC2 GPCCLIENT_T1_7");
  EXPECT_EQ(place_in_gpu("13, Graphics Exception: ESR 0x504648=0x114000e"), "");
}

TEST(KernelEvent, Times) {
  EXPECT_EQ(utc_text(1'795'602'751), "2026-11-25T10:32:31Z");
  EXPECT_EQ(parse_utc("2026-11-25T10:32:31Z"), 1'795'602'751);
  EXPECT_EQ(parse_utc("2026-11-25T12:32:31,123456+02:00"), 1'795'602'751);
  EXPECT_EQ(parse_utc("2026-11-25 05:32:31-0500"), 1'795'602'751);
  EXPECT_EQ(parse_utc("2026-11-25"), 1'795'564'800);
  for (const char* wrong : {"", "2026", "2026-13-01", "2026-02-30", "2026-11-25T25:00:00Z", "2026-11-25T10:32:31X",
                            "2026/11/25", "yesterday", "24h"}) {
    EXPECT_EQ(parse_utc(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace gpucheck::telemetry
