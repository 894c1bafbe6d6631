#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "report/journal/event_json.hpp"
#include "report/journal/event_reader.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "schema.hpp"
#include "support.hpp"

/// The configuration file of a run, in its journal and on the console.
namespace gpucheck::report {
namespace {

harness::RunStarted configured_start() {
  harness::RunStarted start = sample_start();
  start.configuration = {.path = "/site/\xff.toml", .profile = "nightly", .settings = {{"max_skips", "0", 3}}};
  return start;
}

TEST(ConfigurationInTheJournal, ComesBackAsItWas) {
  const auto json = to_json(JournalEntry{.time = {}, .event = configured_start()});
  EXPECT_EQ(json_schema_complaints(json.dump(), "journal"), "");
  const auto back = std::get<harness::RunStarted>(EventReader().read(json.dump()).event).configuration;
  ASSERT_TRUE(back);
  EXPECT_EQ(back->path, "/site/\xff.toml");
  EXPECT_EQ(back->profile, "nightly");
  ASSERT_EQ(back->settings.size(), 1U);
  EXPECT_EQ(back->settings[0].key, "max_skips");
  EXPECT_EQ(back->settings[0].value, "0");
  EXPECT_EQ(back->settings[0].line, 3);
}

TEST(ConfigurationInTheJournal, IsNullWhereThereIsNone) {
  auto json = to_json(JournalEntry{.time = {}, .event = sample_start()});
  EXPECT_TRUE(json["config"].is_null());
  EXPECT_FALSE(std::get<harness::RunStarted>(EventReader().read(json.dump()).event).configuration);
  json["config"] = {{"path", "p"}, {"profile", ""}};
  EXPECT_THROW(static_cast<void>(EventReader().read(json.dump())), Error);
}

std::string console_of(const harness::RunStarted& start, bool quiet) {
  const MemoryStream stream;
  make_console({.stream = stream.get(), .quiet = quiet})->on(start);
  return stream.text();
}

TEST(ConfigurationOnTheConsole, IsALineOfItsOwnAlsoInAQuietRunThatItChanged) {
  harness::RunStarted start = sample_start();
  EXPECT_EQ(console_of(start, false).find("config "), std::string::npos);
  start.configuration = {.path = "/site/a.toml", .profile = "", .settings = {{"jobs", "1", 2}, {"limits", "/l", 3}}};
  for (const bool quiet : {false, true}) {
    EXPECT_NE(console_of(start, quiet).find("config /site/a.toml: jobs = 1, limits = /l\n"), std::string::npos)
        << console_of(start, quiet);
  }
  start.configuration->settings.clear();
  start.devices.clear();
  EXPECT_NE(console_of(start, false).find("config /site/a.toml: it changes nothing\n"), std::string::npos);
  EXPECT_EQ(console_of(start, true), "");
}

}  // namespace
}  // namespace gpucheck::report
