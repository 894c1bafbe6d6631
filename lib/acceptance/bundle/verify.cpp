#include "acceptance/bundle/verify.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "acceptance/bundle/manifest.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "golden/limits/limits.hpp"
#include "report/merged/merged_formats.hpp"

namespace gpucheck::acceptance {
namespace {

class Verifier {
 public:
  Verifier(const Contract& contract, const std::string& version) : contract_(contract), version_(version) {}

  Verification verify(const ReadBytes& read) {
    try {
      read_all(read);
    } catch (const EnvironmentError&) {
      throw;
    } catch (const Error& problem) {
      complain(problem.what());
    }
    return std::move(result_);
  }

 private:
  void complain(std::string_view text) {
    constexpr std::size_t most = 40;
    if (result_.problems.size() < most) {
      result_.problems.push_back(one_line(text, 1000));
    } else {
      ++result_.problems_left_out;
    }
  }

  void read_all(const ReadBytes& read) {
    ArchiveReader archive(read);
    const std::optional<ArchivedFile> first = archive.next(most_bytes);
    if (!first || first->name != manifest_name) throw Error(fmt::format("it does not begin with {}", manifest_name));
    const Manifest manifest = parse_manifest(first->content);
    for (const ManifestLine& line : manifest) {
      const std::optional<ArchivedFile> file = archive.next(most_bytes);
      if (!file) throw Error(fmt::format("{} is missing", line.name));
      if (file->name != line.name) throw Error(fmt::format("{} stands where {} has to be", file->name, line.name));
      look_at(*file, line);
    }
    if (archive.next(most_bytes)) throw Error("it has a file that is not in its list");
    check_goldens();
  }

  /// What is wrong with it is said.
  void look_at(const ArchivedFile& file, const ManifestLine& line) {
    if (sha256(file.content) != line.sha256) {
      complain(fmt::format("{}: it has been changed: its SHA-256 is not the one in {}", file.name, manifest_name));
      can_judge_ = false;
      is_changed_ = true;
    }
    if (is_changed_) return;  // of what has been changed, only where it was is of use
    try {
      read_file(file);
    } catch (const Error& problem) {
      const std::string_view text = problem.what();
      complain(text.starts_with(file.name) ? std::string(text) : fmt::format("{}: {}", file.name, text));
      can_judge_ = false;
    }
  }

  void read_file(const ArchivedFile& file) {
    if (file.name == head_name) return read_head(file.content);
    if (file.name == contract_name) return read_contract(file.content);
    if (file.name == site_limits_name) {
      site_limits_ = golden::Limits::parse(file.content, file.name);
      site_limits_text_ = file.content;
    } else if (file.name.starts_with(golden_folder)) {
      goldens_text_.emplace(file.name.substr(golden_folder.size()), file.content);
    } else if (file.name == merged_name || file.name == acceptance_name) {
      read_verdict(file);
    } else {
      read_journal(file);
    }
  }

  void read_head(std::string_view text) {
    result_.head = parse_head(text);
    if (result_.head->contract == contract_.name && result_.head->contract_version == contract_.version) return;
    throw Error(fmt::format("it is about {} {}, and this gpucheck, {}, has {}: verify it with gpucheck {}",
                            result_.head->contract, result_.head->contract_version, version_, contract_.title(),
                            result_.head->version));
  }

  void read_contract(std::string_view text) const {
    if (text != contract_.text) {
      throw Error(fmt::format("this is not {} as this gpucheck, {}, has it{}", contract_.title(), version_, hint()));
    }
  }

  /// For what another version may write otherwise.
  [[nodiscard]] std::string hint() const {
    if (!result_.head || result_.head->version == version_) return {};
    return fmt::format("; the bundle was written by gpucheck {}: verify it with that", result_.head->version);
  }

  const golden::GoldenSet& goldens() {
    if (goldens_) return *goldens_;
    std::vector<golden::GoldenSet::File> files;
    for (const auto& [path, text] : goldens_text_) files.push_back({.path = path, .text = text});
    goldens_ = golden::GoldenSet::from_files(files, golden_folder);
    if (site_limits_) goldens_->override_limits(*site_limits_, site_limits_text_);
    return *goldens_;
  }

  void read_journal(const ArchivedFile& file) {
    const bool is_again = file.name.starts_with(again_folder);
    std::vector<RunEvidence>& list = is_again ? again_ : runs_;
    RunEvidence run = examine(file.content, file.name, contract_, goldens(), *texts_);
    const auto key = [](const RunEvidence& one) { return std::tie(one.host_name, one.start_time, one.digest); };
    if (!list.empty() && key(list.back()) >= key(run)) {
      throw Error("it does not stand in the order of nodes and times, or it is there twice");
    }
    for (const std::string& one : run.contradictions) complain(fmt::format("{}: {}", file.name, one));
    result_.problems_left_out += run.contradictions_left_out;
    case_names_.insert(run.case_names.begin(), run.case_names.end());
    ++result_.runs;
    result_.results += static_cast<std::size_t>(run.run.end.counts.total());
    list.push_back(std::move(run));
  }

  void judge() {
    is_judged_ = true;
    if (!can_judge_ || !result_.head) return;
    const Terms terms{.contract = contract_,
                      .goldens = goldens(),
                      .has_site_limits = site_limits_.has_value(),
                      .expected = result_.head->expected};
    result_.judged = judge_runs(terms, std::move(runs_), std::move(again_), texts_);
  }

  /// All that it is made from stands before it.
  void read_verdict(const ArchivedFile& file) {
    if (!is_judged_) judge();
    if (!result_.judged) return;  // why has been said
    const bool is_merged = file.name == merged_name;
    const std::string again = is_merged ? report::find_merged_format("json")->write(result_.judged->fleet)
                                        : standing_json(contract_, result_.judged->standing);
    if (again == file.content) return;
    const auto theirs = std::mismatch(again.begin(), again.end(), file.content.begin(), file.content.end()).second;
    const auto line = 1 + std::count(file.content.begin(), theirs, '\n');
    complain(
        fmt::format("{}:{}: the verdict is not the one that follows from the observations{}", file.name, line, hint()));
  }

  /// Exactly those that were needed.
  void check_goldens() {
    if (!can_judge_) return;  // what needs them may be what cannot be read
    std::set<std::string> needed{"limits.json"};
    for (const std::string& name : case_names_) needed.insert(golden::golden_path(name));
    for (const auto& [path, _] : goldens_text_) {
      if (!needed.contains(path)) complain(fmt::format("{}{}: no result needs it", golden_folder, path));
    }
  }

  const Contract& contract_;
  const std::string& version_;
  Verification result_;
  bool can_judge_ = true;
  bool is_changed_ = false;
  bool is_judged_ = false;
  std::map<std::string, std::string> goldens_text_;  ///< by path below their folder
  std::optional<golden::Limits> site_limits_;
  std::string site_limits_text_;
  std::optional<golden::GoldenSet> goldens_;
  std::shared_ptr<fleet::SharedTexts> texts_ = std::make_shared<fleet::SharedTexts>();
  std::vector<RunEvidence> runs_;
  std::vector<RunEvidence> again_;
  std::set<std::string> case_names_;
};

}  // namespace

harness::Verdict Verification::verdict() const noexcept {
  return is_intact() && judged ? judged->standing.verdict : harness::Verdict::not_judged;
}

Verification verify(const ReadBytes& read, const Contract& contract, const std::string& version) {
  return Verifier(contract, version).verify(read);
}

}  // namespace gpucheck::acceptance
