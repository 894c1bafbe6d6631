#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* keygen = "/usr/bin/ssh-keygen";  // of openssh-client

/// A bundle that the site "acme" has signed, as the manual shows it.
class SignedBundle : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        fixture({"run", "proof.watchful", "measured.speed", "--device", "sim", "--journal", folder_ / "a.journal"},
                {"GPUCHECK_NODE=n1"})
            .exit_code,
        0);
    ASSERT_EQ(fixture({"bundle", folder_ / "a.journal", "--output", file_}).exit_code, 0);
    for (const char* name : {"key", "stranger"}) {
      ASSERT_EQ(run_program(keygen, {"-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder_ / name}).exit_code, 0);
    }
    write_file(signers_, "acme@example.org " + read_file(folder_ / "key.pub"));
    sign("key", "gpucheck");
  }

  void sign(const std::string& key, const std::string& use) {
    std::filesystem::remove(file_ + ".sig");
    ASSERT_EQ(run_program(keygen, {"-q", "-Y", "sign", "-f", folder_ / key, "-n", use, file_}).exit_code, 0);
  }

  [[nodiscard]] CommandResult verified(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"verify", file_, "--signature", file_ + ".sig", "--allowed-signers", signers_};
    words.insert(words.end(), more.begin(), more.end());
    return fixture(words);
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "site.bundle";
  std::string signers_ = folder_ / "allowed_signers";
};

TEST_F(SignedBundle, IsVerifiedWithItsSigner) {
  const CommandResult good = verified();
  EXPECT_EQ(good.exit_code, 0) << good.output << good.error_output;
  EXPECT_THAT(good.output, AllOf(HasSubstr("signed by acme@example.org\n"), HasSubstr("MET         fixture")));
  const json document = json::parse(verified({"--json"}).output);
  EXPECT_EQ(document["signature"], (json{{"good", true}, {"signer", "acme@example.org"}, {"reason", ""}}));
  EXPECT_EQ(report::json_schema_complaints(document.dump()), "");
}

TEST_F(SignedBundle, IsNoEvidenceWithASignatureThatIsNotGood) {
  const auto expect_bad = [this](const char* why) {
    const CommandResult bad = verified();
    EXPECT_EQ(bad.exit_code, 3) << why;
    EXPECT_THAT(bad.output, AllOf(HasSubstr("problem: the signature is not good: "), HasSubstr("proves nothing")))
        << why;
    EXPECT_EQ(report::json_schema_complaints(verified({"--json"}).output), "");
  };
  sign("stranger", "gpucheck");
  expect_bad("another's key");
  sign("key", "file");
  expect_bad("made for something else");
  write_file(file_ + ".sig", "nothing");
  expect_bad("not a signature");
}

/// A bundle that somebody has written anew, from a journal that was changed in what nothing follows from: only the
/// signature shows it.
TEST_F(SignedBundle, IsFoundToBeAnotherByItsSignatureAlone) {
  std::string journal = read_file(folder_ / "a.journal");
  const std::size_t place = journal.find("\"jobs\":") + 7;
  journal.replace(place, journal.find(',', place) - place, "77");
  write_file(folder_ / "b.journal", journal);
  ASSERT_EQ(fixture({"bundle", folder_ / "b.journal", "--output", file_}).exit_code, 0);
  EXPECT_EQ(fixture({"verify", file_}).exit_code, 0);
  const CommandResult bad = verified();
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.output, HasSubstr("the signature is not good"));
}

TEST_F(SignedBundle, IsNotJudgedWithoutWhatChecksIt) {
  const CommandResult absent =
      shell("PATH=/nowhere exec $0 verify " + file_ + " --signature " + file_ + ".sig --allowed-signers " + signers_);
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_THAT(absent.error_output, AllOf(HasSubstr("ssh-keygen is not installed"), HasSubstr("openssh-client")));
  EXPECT_EQ(fixture({"verify", file_, "--signature", file_ + ".sig"}).exit_code, 2);
  EXPECT_EQ(fixture({"verify", file_, "--allowed-signers", signers_}).exit_code, 2);
  EXPECT_EQ(fixture({"verify", file_, "--signature", folder_ / "no", "--allowed-signers", signers_}).exit_code, 3);
  EXPECT_EQ(fixture({"verify", file_, "--signature", file_ + ".sig", "--allowed-signers", folder_ / "no"}).exit_code,
            3);
}

}  // namespace
}  // namespace gpucheck::application
