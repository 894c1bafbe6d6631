#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.ecc and health.row_remap: where errors of the memory begin to count.
namespace gpucheck::cases::test_of_memory_errors {
namespace {

using telemetry::KernelEvent;
using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

using Readings = std::map<Reading, telemetry::Value>;

Machine with(const Readings& readings) {
  Machine machine = healthy_gpus(1);
  machine.gpus[0][Reading::ecc_pending] = true;
  for (const auto& [reading, value] : readings) machine.gpus[0][reading] = value;
  return machine;
}

Seen ecc(const Readings& readings, harness::ParameterValues parameters = {}) {
  parameters.emplace("window_ms", std::int64_t{1});
  return run_case(case_named("health.ecc"), with(readings), nullptr, parameters);
}

TEST(Ecc, AChangeWaitsWhereBothModesDiffer) {
  EXPECT_FALSE(ecc({}).flag("change_pending"));
  EXPECT_TRUE(ecc({{Reading::ecc_pending, false}}).flag("change_pending"));
  EXPECT_TRUE(ecc({{Reading::ecc_enabled, false}}).flag("change_pending"));
  EXPECT_FALSE(ecc({{Reading::ecc_enabled, false}, {Reading::ecc_pending, false}}).flag("change_pending"));
  EXPECT_EQ(ecc({{Reading::ecc_pending, not_offered()}}).text("change_pending"), "not available");
}

TEST(Ecc, ThatIsOffCountsNothing) {
  const Seen off = ecc({{Reading::ecc_enabled, false}, {Reading::ecc_volatile_uncorrected, 7L}});
  EXPECT_FALSE(off.flag("enabled"));
  EXPECT_EQ(off.text("uncorrected_errors_over_limit"), "not available");
  EXPECT_EQ(off.text("corrected_errors"), "not available");
  EXPECT_TRUE(ecc({{Reading::ecc_enabled, false}}, {{"may_be_off", true}}).is_skipped());
  EXPECT_TRUE(ecc({}, {{"may_be_off", true}}).flag("enabled"));
}

TEST(Ecc, UncorrectedErrorsCountBeyondTheirLimit) {
  const auto over = [](std::int64_t errors, std::int64_t accepted) {
    return ecc({{Reading::ecc_volatile_uncorrected, errors}}, {{"max_uncorrected", accepted}})
        .number("uncorrected_errors_over_limit");
  };
  EXPECT_EQ(over(0, 0), 0);
  EXPECT_EQ(over(1, 0), 1);
  EXPECT_EQ(over(2, 2), 0);
  EXPECT_EQ(over(5, 2), 3);
  EXPECT_EQ(over(std::int64_t{1} << 33, 0), std::int64_t{1} << 33) << "beyond 32 bits";
}

TEST(Ecc, OfTheSramTheFlagAndTheCountAreEvidenceEach) {
  const auto sram = [](const telemetry::Value& flag, const telemetry::Value& count) {
    return ecc({{Reading::ecc_sram_threshold_exceeded, flag}, {Reading::ecc_aggregate_sram_uncorrected, count}});
  };
  EXPECT_THAT(sram(false, 4L).texts("sram_errors"), IsEmpty());
  EXPECT_THAT(sram(false, 5L).texts("sram_errors"), ElementsAre("5 uncorrected errors, limit 4"));
  EXPECT_THAT(sram(true, 4L).texts("sram_errors"), ElementsAre("threshold exceeded"));
  EXPECT_THAT(sram(true, 6L).texts("sram_errors"), ElementsAre("threshold exceeded", "6 uncorrected errors, limit 4"));
  EXPECT_THAT(sram(not_offered(), 5L).texts("sram_errors"), ElementsAre("5 uncorrected errors, limit 4"));
  EXPECT_THAT(sram(true, not_offered()).texts("sram_errors"), ElementsAre("threshold exceeded"));
  EXPECT_EQ(sram(not_offered(), not_offered()).text("sram_errors"), "not available");
}

TEST(Ecc, CorrectedErrorsCountBeyondTheirLimit) {
  const auto corrected = [](std::int64_t errors) {
    return ecc({{Reading::ecc_volatile_corrected, errors}}).texts("corrected_errors");
  };
  EXPECT_THAT(corrected(20'000'000), IsEmpty());
  EXPECT_THAT(corrected(20'000'001), ElementsAre("20000001 since the reset, limit 20000000"));
}

/// The counter when the case begins, and a tenth of a second later.
std::vector<std::string> corrected_meanwhile(std::int64_t before, std::int64_t after) {
  const Script script = [=](Machine& answer, Ask ask, std::size_t) {
    answer.gpus[0][Reading::ecc_volatile_corrected] = ask == Ask::gpu ? before : after;
  };
  return run_case(case_named("health.ecc"), with({}), script, {{"window_ms", std::int64_t{100}}})
      .texts("corrected_errors");
}

TEST(Ecc, CorrectedErrorsCountByTheirRateToo) {
  EXPECT_THAT(corrected_meanwhile(1000, 1009), IsEmpty()) << "90 a second at most";
  EXPECT_THAT(corrected_meanwhile(1000, 2000), ElementsAre(MatchesRegex("[0-9]{3,5} a second, limit 100")))
      << "up to 10000 a second";
  EXPECT_THAT(corrected_meanwhile(2000, 0), IsEmpty()) << "the counter began anew";
}

// -- rows ---------------------------------------------------------------------------------------------

Seen rows(const Readings& readings, const harness::ParameterValues& parameters = {}) {
  return run_case(case_named("health.row_remap"), with(readings), nullptr, parameters);
}

TEST(RowRemap, WhatWaitsOrHasFailedIsNamed) {
  const Seen fine = rows({});
  EXPECT_THAT(fine.texts("pending"), IsEmpty());
  EXPECT_THAT(fine.texts("failed"), IsEmpty());
  EXPECT_THAT(fine.texts("over_limit"), IsEmpty());
  EXPECT_THAT(fine.texts("not_available"), IsEmpty());
  EXPECT_THAT(rows({{Reading::remap_pending, true}}).texts("pending"), ElementsAre("remap_pending"));
  EXPECT_THAT(rows({{Reading::remap_pending, true}, {Reading::retired_pages_pending, true}}).texts("pending"),
              ElementsAre("remap_pending", "retired_pages_pending"));
  EXPECT_THAT(rows({{Reading::remap_failed, true}}).texts("failed"), ElementsAre("remap_failed"));
}

TEST(RowRemap, EachCountHasItsLimit) {
  const auto over = [](Reading reading, std::int64_t count, const harness::ParameterValues& parameters = {}) {
    return rows({{reading, count}}, parameters).texts("over_limit");
  };
  EXPECT_THAT(over(Reading::remapped_rows_uncorrected, 512), IsEmpty());
  EXPECT_THAT(over(Reading::remapped_rows_uncorrected, 513), ElementsAre("remapped_rows_uncorrected: 513, limit 512"));
  EXPECT_THAT(over(Reading::remap_banks_none, 1), ElementsAre("remap_banks_none: 1, limit 0"));
  EXPECT_THAT(over(Reading::retired_pages_double_bit, 63), IsEmpty());
  EXPECT_THAT(over(Reading::retired_pages_double_bit, 64), ElementsAre("retired_pages_double_bit: 64, limit 63"));
  EXPECT_THAT(over(Reading::remap_banks_none, 1, {{"max_banks_without_spares", std::int64_t{1}}}), IsEmpty());
  EXPECT_THAT(over(Reading::remapped_rows_uncorrected, 1, {{"max_remapped_rows", std::int64_t{0}}}),
              ElementsAre("remapped_rows_uncorrected: 1, limit 0"));
  EXPECT_THAT(over(Reading::retired_pages_double_bit, 1, {{"max_retired_pages", std::int64_t{0}}}),
              ElementsAre("retired_pages_double_bit: 1, limit 0"));
}

TEST(RowRemap, WhatTheGpusWayOfRepairDoesNotOfferIsNamed) {
  EXPECT_THAT(rows({{Reading::remap_pending, not_offered()}, {Reading::remap_banks_none, not_offered()}})
                  .texts("not_available"),
              ElementsAre("remap_pending", "remap_banks_none"));
  EXPECT_THAT(rows({{Reading::remapped_rows_uncorrected, not_offered()}}).texts("not_available"),
              ElementsAre("remapped_rows_uncorrected"));
  const Readings older{{Reading::remap_failed, not_offered()},
                       {Reading::remap_pending, not_offered()},
                       {Reading::remapped_rows_uncorrected, not_offered()},
                       {Reading::remap_banks_none, not_offered()},
                       {Reading::retired_pages_double_bit, 0L}};
  const Seen retires = rows(older);
  EXPECT_THAT(retires.texts("not_available"), ElementsAre("retired_pages_pending"));
  EXPECT_EQ(retires.text("pending"), "not available");
  EXPECT_EQ(retires.text("failed"), "not available");
  Readings neither = older;
  neither[Reading::retired_pages_double_bit] = not_offered();
  EXPECT_TRUE(rows(neither).is_skipped());
}

KernelEvent xid(std::int64_t number, const std::string& address, std::int64_t time_s) {
  return {.pci_address = address, .xid = number, .text = "NVRM: Xid", .first_time_s = time_s, .last_time_s = time_s};
}

TEST(RowRemap, TheLogTellsOfThisGpusRowsAlone) {
  Machine machine = with({});
  machine.host.kernel_log_begin_s = 0;
  machine.host.kernel_events = {
      xid(64, "0000:01:00.0", 10),
      {.kind = telemetry::KernelEventKind::gpu_reset, .pci_address = "0000:01:00.0", .text = ""},
      xid(63, "0000:01:00.0", 20),
      xid(64, "0000:02:00.0", 30),
      xid(48, "0000:01:00.0", 40),
      xid(64, "0000:01:00.0", 50)};
  const Seen seen = run_case(case_named("health.row_remap"), machine);
  EXPECT_THAT(seen.texts("in_log"), ElementsAre(StartsWith("XID 64 "), StartsWith("XID 63 "), StartsWith("XID 64 ")));
  ASSERT_EQ(seen.texts("not_recorded").size(), 1U) << "what a reset has ended counts no more";
  EXPECT_NE(seen.texts("not_recorded").front().find("1970-01-01T00:00:50Z"), std::string::npos);
  EXPECT_EQ(seen.text("log_begins"), "1970-01-01T00:00:00Z");
}

TEST(RowRemap, WithoutALogTheCountersAreEvidenceEnough) {
  Machine machine = with({});
  machine.host.kernel_log_problem = "/dev/kmsg: Operation not permitted";
  const Seen seen = run_case(case_named("health.row_remap"), machine);
  EXPECT_TRUE(seen.is_completed());
  EXPECT_EQ(seen.text("not_recorded"), "not available");
  EXPECT_THAT(seen.texts("in_log"), IsEmpty());
  EXPECT_EQ(seen.text("log_begins"), "the kernel's log cannot be read: /dev/kmsg: Operation not permitted");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_memory_errors
