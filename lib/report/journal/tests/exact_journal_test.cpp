#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "report/journal/journal.hpp"
#include "sample_run.hpp"

namespace gpucheck::report {
namespace {

TEST(ExactJournal, IsWrittenInOneWayThatCanBeHeldTo) {
  const std::string text = sample_journal();
  std::size_t count = 0;
  read_exact_events(text, "j", [&count](const Event&) { ++count; });
  EXPECT_EQ(count, static_cast<std::size_t>(std::ranges::count(text, '\n')));
  const auto reject = [](const std::string& changed) {
    EXPECT_NO_THROW(static_cast<void>(parse_journal(changed, "j")));
    EXPECT_THROW(read_exact_events(changed, "j", [](const Event&) {}), EnvironmentError);
  };
  std::string spaced = text;
  reject(spaced.insert(text.find("\"event\":") + 8, " "));
  std::string other_order = text;
  const std::string version =
      text.substr(text.find("\"version\":"), text.find("\"command_line\"") - text.find("\"version\":"));
  other_order.erase(other_order.find(version), version.size());
  reject(other_order.insert(other_order.find("\"event\":"), version));
  reject(text + "{");
}

}  // namespace
}  // namespace gpucheck::report
