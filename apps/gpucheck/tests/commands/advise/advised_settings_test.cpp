#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/commands/advise/advise_command.hpp"
#include "tests/support/subprocess.hpp"

// Which settings are advised, and the line to paste that sets them.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// What a shell makes of the line.
std::string environment_after(const std::string& line) {
  return run_program("/bin/sh", {"-c", line + "\nprintf %s \"$PYTORCH_CUDA_ALLOC_CONF\""}, {}).output;
}

TEST_F(Advise, HostileRecordedSettingsDoNotGetIntoTheLineToPaste) {
  const std::string mark = folder_ / "mark";
  for (const std::string& value : {"8'; touch " + mark + "; '", "8$(touch " + mark + ")",
                                   std::string("8\x1b"
                                               "c\nid")}) {
    write_file(file_,
               fragmenting_snapshot_under("pinned_use_cuda_host_register:True,pinned_num_register_threads:" + value));
    const json advised = advise_json({file_})["devices"].at(0)["advised"];
    EXPECT_EQ(advised["settings"], "expandable_segments:True,pinned_use_cuda_host_register:True");
    EXPECT_EQ(environment_after(advised["line"]), advised["settings"].get<std::string>());
    EXPECT_EQ(advised["left_out"].size(), 1U);
    const CommandResult text = advise({file_, "--html", folder_ / "page.html"});
    const std::string line = advised["line"];
    EXPECT_THAT(text.output, AllOf(HasSubstr("    " + line + "\n"), HasSubstr("left out, because its value"),
                                   Not(ContainsRegex("left out[^\n]*touch"))));
    EXPECT_THAT(read_file(folder_ / "page.html"),
                HasSubstr("<code>expandable_segments:True,pinned_use_cuda_host_register:True</code>"));
    EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  }
}

TEST_F(Advise, TheLineToPasteIsNeverCut) {
  std::string settings = "pinned_reserve_segment_size_mb:" + std::string(150, '0') + "1";
  for (const char* key : {"pinned_use_cuda_host_register", "pinned_use_background_threads",
                          "release_lock_on_cudamalloc", "graph_capture_record_stream_reuse"}) {
    settings += std::string(",") + key + ":True";
  }
  settings += ",pinned_num_register_threads:" + std::string(150, '0') + "4";
  write_file(file_, fragmenting_snapshot_under(settings));
  const std::string line = "export PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True," + settings + "'";
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["advised"]["line"], line);
  EXPECT_THAT(advise({file_, "--html", folder_ / "page.html"}).output, HasSubstr(line + "\n"));
  EXPECT_THAT(read_file(folder_ / "page.html"), HasSubstr("<code>expandable_segments:True," + settings + "</code>"));
}

TEST_F(Advise, SaysWhatIsKnownToBreak) {
  EXPECT_THAT(advise({file_}).output, AllOf(HasSubstr("Known to go wrong with it:"), HasSubstr("CuMemAllocator"),
                                            HasSubstr("pytorch/issues/147851")));
  const json known = advise_json({file_})["devices"].at(0)["advised"]["known_to_break"];
  EXPECT_EQ(known.at(0)["key"], "expandable_segments");
  EXPECT_EQ(known.at(0)["before_release"], "2.5");
}

TEST_F(Advise, KeysCanBeExcluded) {
  const auto keys_of_all = [](const json& document) {
    std::string keys;
    const json& device = document["devices"].at(0);
    for (const json& row : device["tried"]) keys += row["settings"].get<std::string>() + " ";
    for (const json& row : device["ranking"]) keys += row["settings"].get<std::string>() + " ";
    return keys + document["advised"].dump();
  };
  const json none = advise_json({file_, "--exclude-key", "expandable_segments", "--exclude-key", "max_split_size_mb"});
  EXPECT_THAT(keys_of_all(none), AllOf(Not(HasSubstr("expandable_segments:")), Not(HasSubstr("max_split_size_mb:")),
                                       HasSubstr("roundup_power2_divisions:")));
  const json old = advise_json({file_, "--torch", "2.0.1"});
  EXPECT_THAT(keys_of_all(old), AllOf(Not(HasSubstr("expandable_segments:")), Not(HasSubstr("large_segment_size_mb:")),
                                      HasSubstr("max_split_size_mb:")));
  EXPECT_THAT(keys_of_all(advise_json({file_, "--torch", "2.10"})), Not(HasSubstr("large_segment_size_mb:")));
  EXPECT_THAT(keys_of_all(advise_json({file_, "--torch", "2.11.0+cu130"})), HasSubstr("large_segment_size_mb:"));
  EXPECT_EQ(advise({file_, "--exclude-key", "expandable_segment"}).exit_code, 2);
  EXPECT_THAT(advise({file_, "--exclude-key", "expandable_segment"}).error_output, HasSubstr("max_split_size_mb"));
  EXPECT_EQ(advise({file_, "--torch", "two"}).exit_code, 2);
}

TEST_F(Advise, WhatAnOlderReleaseDoesNotKnowIsNotCarriedOver) {
  write_file(file_,
             fragmenting_snapshot_under("pinned_use_background_threads:True,pinned_use_cuda_host_register:True"));
  const json advised = advise_json({file_, "--torch", "2.5"})["advised"];
  EXPECT_EQ(advised["settings"], "expandable_segments:True,pinned_use_cuda_host_register:True");
  EXPECT_EQ(advised["left_out"], json::array({"pinned_use_background_threads:True"}));
}

TEST_F(Advise, ThePairIsNeverAdvised) {
  const std::string pair = "expandable_segments:True,max_split_size_mb:32";
  const json document = advise_json({file_, "--settings", pair, "--memory-limit", "150MiB"});
  EXPECT_EQ(document["advised"]["settings"], "expandable_segments:True");
  EXPECT_THAT(advise({file_, "--settings", pair}).output, HasSubstr("is never advised: it combines"));
  write_file(file_, fragmenting_snapshot_under(pair));
  EXPECT_EQ(advise_json({file_})["advised"]["settings"], "expandable_segments:True") << "instead of what was recorded";
}

TEST_F(Advise, WithALimitWhatSufficesStays) {
  const CommandResult result = advise({file_, "--memory-limit", "2GiB"});
  EXPECT_THAT(result.output, AllOf(HasSubstr("The settings it ran with suffice: under them all of it runs within 2.00 "
                                             "GiB without a retry"),
                                   Not(HasSubstr("export"))));
  EXPECT_EQ(advise_json({file_, "--memory-limit", "2GiB"})["devices"].at(0)["outcome"], "recorded_fits");
}

TEST_F(Advise, OneSettingForAllRanks) {
  // The second rank has 200 MiB more from the beginning to the end.
  json larger = json::parse(fragmenting_snapshot());
  json& events = larger["device_traces"].at(0);
  const json first_event{{"action", "alloc"}, {"addr", 99ULL << 40U}, {"size", 200 * mib}, {"stream", 0}};
  events.insert(events.begin(), first_event);
  const std::string worst = folder_ / "rank1.json";
  write_file(worst, larger.dump());
  const std::string last = folder_ / "rank2.json";
  write_file(last, fragmenting_snapshot_under("pinned_use_cuda_host_register:True"));
  const CommandResult result = advise({file_, worst, last});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("3 programs, which are to run under one setting"),
                                   HasSubstr(worst + ", device 0 needs most."),
                                   HasSubstr("not all of the programs ran with it: pinned_use_cuda_host_register)")));
  const std::string line = "export PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True'";
  const std::size_t first = result.output.find(line);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(result.output.find("export", first + 1), std::string::npos) << "one line for all";
  const json document = advise_json({file_, worst, last});
  EXPECT_EQ(document["file"], nullptr);
  EXPECT_EQ(document["advised"]["line"], line);
  EXPECT_EQ(document["advised"]["left_out"], json::array({"pinned_use_cuda_host_register:True"}));
  EXPECT_EQ(document["needs_most"]["file"], worst);
  EXPECT_EQ(document["devices"].size(), 3U);
  EXPECT_EQ(document["devices"].at(1)["ranking"].at(0)["smallest_memory_bytes"], 320 * mib);
  EXPECT_EQ(document["devices"].at(2)["ranking"].at(0)["smallest_memory_bytes"], 120 * mib);
  const json limited = advise_json({file_, worst, last, "--memory-limit", "330MiB"});
  EXPECT_EQ(limited["exit_code"], 0);
  EXPECT_EQ(advise_json({file_, worst, last, "--memory-limit", "200MiB"})["exit_code"], 1) << "one does not fit";
  EXPECT_EQ(advise({file_, worst, "--html", worst}).exit_code, 2);
  EXPECT_EQ(advise({file_, folder_ / "none"}).exit_code, 3);
}

}  // namespace
}  // namespace gpucheck::application
