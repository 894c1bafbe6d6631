#include <array>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fleet/waivers.hpp"

/// What a file of waivers may say.
namespace gpucheck::fleet {
namespace {

using harness::Waiver;

const std::vector<std::string> cases = {"alloc.fuzz", "alloc.oom_retry", "graph.capture_simple"};
const std::string some_uuid = "GPU-00000000-0000-0000-0000-000000000001";

/// A file of one waiver, with this JSON as the value of one field.
std::string file_with(const std::string& field, const std::string& value) {
  std::string text =
      R"({"waivers": [{"case": "alloc.fuzz", "device": "any", "reason": "r", "owner": "o", "expires": "2026-12-31"}]})";
  const std::size_t start = text.find("\"" + field + "\": ") + field.size() + 4;
  const std::size_t end = text.find('"', start + 1) + 1;
  return text.replace(start, end - start, value);
}

std::string rejection(const std::string& text) {
  try {
    static_cast<void>(parse_waivers(text, "w.json", cases));
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(ParseWaivers, ReadsEveryField) {
  const Waivers waivers = parse_waivers(R"({"waivers": [{"case": "alloc.*", "device": ")" + some_uuid +
                                            R"(", "reason": "known", "owner": "node team", "expires": "2028-02-29"}]})",
                                        "w.json", cases);
  ASSERT_EQ(waivers.size(), 1U);
  EXPECT_EQ(waivers[0], (Waiver{"alloc.*", some_uuid, "known", "node team", "2028-02-29"}));
}

TEST(ParseWaivers, NamesThePlaceOfAMistake) {
  for (const auto& [field, value, place] : std::vector<std::array<std::string, 3>>{
           {"case", R"("alloc.fuz")", "/waivers/0/case"},
           {"case", R"("tree.*")", "/waivers/0/case"},
           {"device", R"("")", "/waivers/0/device"},
           {"device", R"("cuda:0")", "/waivers/0/device"},
           {"device", R"("GPU-12")", "/waivers/0/device"},
           {"reason", R"("")", "/waivers/0/reason"},
           {"owner", "7", "/waivers/0/owner"},
           {"expires", R"("2026-02-29")", "/waivers/0/expires"},
           {"expires", R"("2026-13-01")", "/waivers/0/expires"},
           {"expires", R"("31.12.2026")", "/waivers/0/expires"},
           {"expires", R"("2026-12-31", "xid": 0)", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "xid": 1.5)", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "xid": "63")", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "until": "2027")", "until"},
           {"expires", R"("2026-12-31", "owner": "x")", "owner"},
       }) {
    const std::string message = rejection(file_with(field, value));
    EXPECT_NE(message.find("w.json"), std::string::npos) << message;
    EXPECT_NE(message.find(place), std::string::npos) << message;
  }
  EXPECT_EQ(rejection(file_with("case", R"("alloc.fuzz")")), "accepted");
}

TEST(ParseWaivers, RejectsWhatIsNoSuchFile) {
  EXPECT_NE(rejection("{\n\"waivers\": [,]}").find("w.json:2:"), std::string::npos) << "the line";
  for (const char* text : {"", "[]", "{}", R"({"waivers": {}})", R"({"waivers": []})", R"({"waivers": [1]})",
                           R"({"waivers": [{}]})", R"({"waivers": [], "more": 1})"}) {
    EXPECT_NE(rejection(text), "accepted") << text;
  }
  for (const std::string missing : {"case", "device", "reason", "owner", "expires"}) {
    const std::string field = R"("missing": "x", ")" + missing;
    std::string text = file_with("case", R"("alloc.fuzz")");
    text.replace(text.find(missing), missing.size(), missing + "_");
    EXPECT_NE(rejection(text), "accepted") << missing;
  }
  EXPECT_THROW(static_cast<void>(read_waivers("/nonexistent/w.json", cases)), EnvironmentError);
}

TEST(ParseWaivers, TakesNumbersOfXidsAndUuidsOfEveryKind) {
  for (const char* number : {"1", "63", "99999"}) {
    EXPECT_EQ(rejection(file_with("expires", R"("2026-12-31", "xid": )" + std::string(number))), "accepted") << number;
  }
  for (const char* number : {"0", "-1", "100000", "9223372036854775807"}) {
    EXPECT_NE(rejection(file_with("expires", R"("2026-12-31", "xid": )" + std::string(number))), "accepted") << number;
  }
  const std::string digits = "12345678-9abc-def0-1234-56789ABCDEF0";
  for (const std::string& device : {"GPU-" + digits, "MIG-" + digits}) {
    EXPECT_EQ(rejection(file_with("device", "\"" + device + "\"")), "accepted") << device;
  }
  for (const std::string& device :
       std::vector<std::string>{"CPU-" + digits, "GPU-" + digits + "0", "xGPU-" + digits, digits,
                                "GPU-12345678-9abc-def0-56789abcdef0", "anything"}) {
    EXPECT_NE(rejection(file_with("device", "\"" + device + "\"")), "accepted") << device;
  }
}

TEST(ParseWaivers, ReadsAsManyAsThereAre) {
  const auto one = [](const std::string& glob, const std::string& more = "") {
    return R"({"case": ")" + glob + R"(", "device": "any", "reason": "r", "owner": "o", "expires": "2026-12-31")" +
           more + "}";
  };
  const Waivers waivers = parse_waivers(
      R"({"waivers": [)" + one("alloc.fuzz") + "," + one("graph.*", R"(, "xid": 63)") + "]}", "w.json", cases);
  ASSERT_EQ(waivers.size(), 2U);
  EXPECT_EQ(waivers[0].case_glob, "alloc.fuzz");
  EXPECT_EQ(waivers[0].xid, std::nullopt);
  EXPECT_EQ(waivers[1].case_glob, "graph.*");
  EXPECT_EQ(waivers[1].xid, 63);
  EXPECT_NE(rejection(R"({"waivers": [)" + one("alloc.fuzz") + "," + one("tree.*") + "]}").find("/waivers/1/case"),
            std::string::npos)
      << "the second is wrong";
}

}  // namespace
}  // namespace gpucheck::fleet
