#include "acceptance/bundle/bundle.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "acceptance/bundle/verify.hpp"
#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "pieces.hpp"
#include "schema.hpp"

namespace gpucheck::acceptance {
namespace {

using harness::Outcome;
using harness::Verdict;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::string good_journal(const std::string& node) { return journal_of(start_on(node), good_results()); }

std::string failing_journal(const std::string& node) {
  std::vector<harness::CaseResult> results = good_results();
  result_in(results, "memory.pattern") =
      observed("memory.pattern", {0}, {{"errors", std::int64_t{2}}, {"bytes", std::int64_t{1}}});
  return journal_of(start_on(node), results);
}

Verification verified(std::string_view bundle, const Contract& contract = small_contract(),
                      const std::string& version = "0.1.0") {
  return verify(reading(bundle), contract, version);
}

ArchivedFile& piece(std::vector<ArchivedFile>& pieces, std::string_view name) {
  return *std::ranges::find(pieces, name, &ArchivedFile::name);
}

/// Verified, after `change` was made to its pieces and all digests were made anew.
template <typename Change>
Verification verified_after(const std::string& bundle, const Change& change) {
  std::vector<ArchivedFile> pieces = pieces_of(bundle);
  change(pieces);
  return verified(forged(std::move(pieces)));
}

TEST(Bundle, IsVerifiedAsItWasJudged) {
  const std::string good = bundle_of({good_journal("n1"), good_journal("n2")}, "2");
  const Verification verification = verified(good);
  EXPECT_THAT(verification.problems, IsEmpty());
  EXPECT_EQ(verification.verdict(), Verdict::passed);
  EXPECT_EQ(verification.runs, 2U);
  EXPECT_EQ(verification.results, 16U);
  const std::string bad = bundle_of({good_journal("n1"), failing_journal("n2")}, "n[1-2]");
  EXPECT_THAT(verified(bad).problems, IsEmpty());
  EXPECT_EQ(verified(bad).verdict(), Verdict::failed);
  const std::string alone = bundle_of({good_journal("n1")}, "2");
  EXPECT_THAT(verified(alone).problems, IsEmpty());
  EXPECT_EQ(verified(alone).verdict(), Verdict::not_judged);
}

TEST(Bundle, HoldsWhatJudgedAndDocumentsOfTheirSchemas) {
  std::vector<ArchivedFile> pieces = pieces_of(bundle_of({good_journal("n1")}, "n1", {good_journal("n1x")}));
  std::vector<std::string> names;
  for (const ArchivedFile& one : pieces) names.push_back(one.name);
  EXPECT_THAT(names,
              ElementsAre("SHA256SUMS", "bundle.json", "contract.json", "golden/alloc/one.json", "golden/limits.json",
                          "golden/link/all.json", "golden/link/pair.json", "golden/machine/software.json",
                          "golden/memory/pattern.json", "golden/memory/speed.json", "runs/000001.journal",
                          "again/000001.journal", "merged.json", "acceptance.json"));
  for (const char* name : {"bundle.json", "contract.json", "merged.json", "acceptance.json"}) {
    EXPECT_EQ(report::json_schema_complaints(piece(pieces, name).content), "") << name;
  }
  EXPECT_EQ(piece(pieces, "runs/000001.journal").content, good_journal("n1"));
}

TEST(Bundle, IsTheSameWhateverTheOrderOfItsJournals) {
  const std::string one = bundle_of({good_journal("n1"), good_journal("n2"), failing_journal("n3")}, "3");
  EXPECT_EQ(bundle_of({failing_journal("n3"), good_journal("n2"), good_journal("n1")}, "3"), one);
  EXPECT_NE(bundle_of({good_journal("n1"), good_journal("n2"), good_journal("n3")}, "3"), one);
}

/// What anybody has: no gpucheck is needed to look into one, and to see that nothing is missing.
TEST(Bundle, IsUnpackedAndCheckedByHand) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("b.tar"), std::ios::binary) << bundle_of({good_journal("n1")}, "1");
  const std::string command =
      "cd " + folder.file("") + " && tar xf b.tar && sha256sum --quiet --strict -c SHA256SUMS && test -s merged.json";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Bundle, LeavesOutWhatWasCutOffInAJournal) {
  const std::string whole = good_journal("n1");
  const std::string killed = whole.substr(0, whole.size() - 10);
  const std::string bundle = bundle_of({killed}, "1");
  EXPECT_THAT(verified(bundle).problems, IsEmpty());
  EXPECT_EQ(verified(bundle).verdict(), Verdict::not_judged);
}

TEST(Bundle, IsNotMadeOfWhatIsNoJournalOrIsGivenTwice) {
  EXPECT_THROW(static_cast<void>(bundle_of({"nothing\n"}, "1")), EnvironmentError);
  EXPECT_THROW(static_cast<void>(bundle_of({""}, "1")), EnvironmentError);
  EXPECT_THAT(
      [] {
        static_cast<void>(bundle_of({good_journal("n1"), good_journal("n1")}, "1"));
      },
      ThrowsMessage<EnvironmentError>(HasSubstr("are the same journal")));
  EXPECT_THROW(static_cast<void>(bundle_of({good_journal("n1")}, "1", {good_journal("n1")})), EnvironmentError);
}

TEST(Bundle, IsNotMadeOfAJournalThatIsBeingWrittenOrHasChanged) {
  const TemporaryFolder folder;
  const std::string path = folder.file("n1.journal");
  std::ofstream(path) << good_journal("n1");
  const golden::GoldenSet goldens = small_goldens();
  const Terms terms{.contract = small_contract(), .goldens = goldens, .expected = fleet::parse_expected_nodes("1")};
  const Dossier dossier(terms, {path}, {});
  std::ofstream(path) << good_journal("n2");
  EXPECT_THAT([&] { dossier.write("1", "", [](std::string_view) {}); },
              ThrowsMessage<EnvironmentError>(HasSubstr("has changed while it was packed")));
  std::FILE* const writer = std::fopen(path.c_str(), "a");
  ASSERT_EQ(::flock(::fileno(writer), LOCK_EX), 0);
  EXPECT_THAT([&] { Dossier(terms, {path}, {}); }, ThrowsMessage<EnvironmentError>(HasSubstr("has not ended")));
  std::fclose(writer);
}

/// Limits of a site travel with it, and void the contract.
TEST(Bundle, JudgesByLimitsOfTheSite) {
  const std::string limits = R"({"schema": "gpucheck.limits/1", "classes": [{"name": "mine", "limits": {
      "memory.speed.speed_gbps": {"fail_below": 3500, "source": "mine"}}}]})";
  golden::GoldenSet goldens = small_goldens();
  goldens.override_limits(golden::Limits::parse(limits, "mine"), limits);
  std::vector<harness::CaseResult> results = good_results(1);
  result_in(results, "memory.speed") = observed("memory.speed", {0}, {{"speed_gbps", 3000.5}}, goldens);
  ASSERT_EQ(result_in(results, "memory.speed").outcome, Outcome::fail);
  const TemporaryFolder folder;
  std::ofstream(folder.file("a.journal")) << journal_of(start_on("n1", 1), results);
  const Terms terms{.contract = small_contract(),
                    .goldens = goldens,
                    .has_site_limits = true,
                    .expected = fleet::parse_expected_nodes("1")};
  const Dossier dossier(terms, {folder.file("a.journal")}, {});
  EXPECT_THAT(dossier.contradictions(), IsEmpty());
  std::string bytes;
  dossier.write("0.1.0", limits, [&bytes](std::string_view more) { bytes += more; });
  EXPECT_THAT(verified(bytes).problems, IsEmpty());
  EXPECT_THAT(verified(bytes).judged->standing.voids, Contains(HasSubstr("limits of the site")));
  const Verification without = verified_after(bytes, [](std::vector<ArchivedFile>& pieces) {
    std::erase_if(pieces, [](const ArchivedFile& one) { return one.name == "limits.json"; });
  });
  EXPECT_THAT(without.problems, Contains(HasSubstr("memory.speed on device 0: it says fail")));
  const golden::GoldenSet built_in = small_goldens();
  const Terms others{.contract = small_contract(), .goldens = built_in, .expected = fleet::parse_expected_nodes("1")};
  EXPECT_THAT(Dossier(others, {folder.file("a.journal")}, {}).contradictions(), SizeIs(1));
}

// ---- what was changed, and where ------------------------------------------------------------

TEST(Verify, SaysWhichFileWasChanged) {
  std::string bundle = bundle_of({good_journal("n1")}, "1");
  const std::size_t place = bundle.find("3000.5");
  bundle[place] = '4';
  const Verification verification = verified(bundle);
  EXPECT_THAT(verification.problems, Contains(AllOf(HasSubstr("runs/000001.journal: it has been changed"))));
  EXPECT_EQ(verification.verdict(), Verdict::not_judged);
}

TEST(Verify, FindsAFailureMadeAPassWithDigestsThatFit) {
  const Verification verification =
      verified_after(bundle_of({failing_journal("n1")}, "1"), [](std::vector<ArchivedFile>& pieces) {
        // The observation as it was, the outcome as it should be: the journal of a node that passed but for that.
        std::vector<harness::CaseResult> results = good_results();
        result_in(results, "memory.pattern").observations = {{"errors", std::int64_t{2}}, {"bytes", std::int64_t{1}}};
        piece(pieces, "runs/000001.journal").content = journal_of(start_on("n1"), results);
      });
  EXPECT_THAT(
      verification.problems,
      Contains(HasSubstr("runs/000001.journal: memory.pattern on device 0: it says pass; from what was observed "
                         "follows fail (errors: expected 0, seen 2)")));
}

TEST(Verify, FindsAnotherVerdictWithDigestsThatFit) {
  const std::string bundle = bundle_of({failing_journal("n1")}, "1");
  const auto replace = [&](const char* name, const std::string& old_words, const std::string& new_words) {
    return verified_after(bundle, [&](std::vector<ArchivedFile>& pieces) {
      std::string& text = piece(pieces, name).content;
      text.replace(text.find(old_words), old_words.size(), new_words);
    });
  };
  EXPECT_THAT(replace("acceptance.json", "\"not_met\"", "\"met\"").problems,
              ElementsAre(HasSubstr("acceptance.json:8: the verdict is not the one that follows")));
  EXPECT_THAT(replace("merged.json", "\"failed\"", "\"passed\"").problems,
              ElementsAre(HasSubstr("merged.json:3: the verdict is not the one that follows")));
  EXPECT_THAT(replace("bundle.json", "\"expected_nodes\": 1", "\"expected_nodes\": 2").problems,
              ElementsAre(HasSubstr("merged.json:4: ")));
}

TEST(Verify, FindsAGoldenFileThatWasMadeMilder) {
  std::vector<harness::CaseResult> results = good_results();
  result_in(results, "memory.pattern").observations = {{"errors", std::int64_t{2}}, {"bytes", std::int64_t{1}}};
  const Verification verification =
      verified_after(bundle_of({good_journal("n1")}, "1"), [&](std::vector<ArchivedFile>& pieces) {
        std::string& text = piece(pieces, "golden/memory/pattern.json").content;
        text.replace(text.find("\"equals\": 0"), 11, "\"range\": [0, 9]");
        piece(pieces, "runs/000001.journal").content = journal_of(start_on("n1"), results);
      });
  EXPECT_THAT(verification.problems, Contains(HasSubstr("acceptance.json")));
  EXPECT_THAT(verification.judged->standing.voids,
              ElementsAre(HasSubstr("not those of small acceptance 1.0: memory.pattern")));
}

TEST(Verify, FindsPiecesThatWereExchangedOrAreMissing) {
  const std::string bundle = bundle_of({good_journal("n1"), failing_journal("n2")}, "2");
  const Verification exchanged = verified_after(bundle, [](std::vector<ArchivedFile>& pieces) {
    std::swap(piece(pieces, "runs/000001.journal").content, piece(pieces, "runs/000002.journal").content);
  });
  EXPECT_THAT(exchanged.problems, Contains(HasSubstr("runs/000002.journal: it does not stand in the order")));
  const Verification missing = verified_after(bundle, [](std::vector<ArchivedFile>& pieces) {
    std::erase_if(pieces, [](const ArchivedFile& one) { return one.name == "runs/000002.journal"; });
  });
  EXPECT_THAT(missing.problems, Contains(HasSubstr("merged.json")));
  const Verification golden = verified_after(bundle, [](std::vector<ArchivedFile>& pieces) {
    std::erase_if(pieces, [](const ArchivedFile& one) { return one.name == "golden/alloc/one.json"; });
  });
  EXPECT_THAT(golden.problems, Contains(HasSubstr("alloc.one on device 1: it says pass")));
  const Verification besides = verified_after(bundle, [](std::vector<ArchivedFile>& pieces) {
    pieces.insert(pieces.begin() + 3, {"golden/a/b.json", R"({"case": "a.b", "expect": {}})"});
  });
  EXPECT_THAT(besides.problems, ElementsAre("golden/a/b.json: no result needs it"));
}

TEST(Verify, VouchesOnlyForTheContractThatItKnows) {
  const std::string bundle = bundle_of({good_journal("n1")}, "1");
  const Contract newer = small_contract_with("\"version\": \"1.0\"", "\"version\": \"1.1\"");
  const Verification other = verified(bundle, newer, "0.2.0");
  EXPECT_THAT(
      other.problems,
      Contains("bundle.json: it is about small acceptance 1.0, and this gpucheck, 0.2.0, has small acceptance 1.1: "
               "verify it with gpucheck 0.1.0"));
  EXPECT_EQ(other.verdict(), Verdict::not_judged);
  const Contract changed = small_contract_with("\"minimum_devices\": 1", "\"minimum_devices\": 2");
  EXPECT_THAT(
      verified(bundle, changed, "0.2.0").problems,
      Contains(AllOf(HasSubstr("contract.json: this is not small acceptance 1.0 as this gpucheck, 0.2.0, has it"),
                     HasSubstr("verify it with that"))));
}

TEST(Verify, TakesWhateverItIsGiven) {
  EXPECT_THAT(verified("").problems, ElementsAre(HasSubstr("byte 0: ")));
  EXPECT_THAT(verified(std::string(1024, '\0')).problems, ElementsAre(HasSubstr("does not begin with SHA256SUMS")));
  EXPECT_THAT(verified(std::string(5000, 'x')).problems, SizeIs(1));
  const std::string bundle = bundle_of({good_journal("n1")}, "1");
  const auto with = [&](const char* name, const std::string& text) {
    return verified_after(bundle, [&](std::vector<ArchivedFile>& pieces) { piece(pieces, name).content = text; });
  };
  const std::string deep(100'000, '[');
  for (const char* name : {"bundle.json", "contract.json", "golden/alloc/one.json", "golden/limits.json",
                           "runs/000001.journal", "merged.json", "acceptance.json"}) {
    for (const std::string& text : {std::string(), std::string("{}"), std::string("null\n"), deep, deep + "\n",
                                    std::string("\x1b]0;title\x07\n"), std::string("{\"schema\": 1}\n")}) {
      EXPECT_EQ(with(name, text).verdict(), Verdict::not_judged) << name << ": " << text.substr(0, 20);
    }
  }
}

}  // namespace
}  // namespace gpucheck::acceptance
