#include "acceptance/bundle/bundle.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "acceptance/bundle/head.hpp"
#include "acceptance/bundle/manifest.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/units.hpp"
#include "report/journal/journal.hpp"
#include "report/merged/merged_formats.hpp"

namespace gpucheck::acceptance {
namespace {

/// The whole lines of a journal: what was cut off while it was written shows nothing.
std::string read_lines(const std::string& path) {
  std::string text = read_input_file(path, "journal", max_journal_bytes);
  text.resize(text.rfind('\n') + 1);  // nothing where there is none
  return text;
}

/// A file of the bundle that is at hand.
struct Piece {
  std::string name;
  std::string text;
};

void check_length(std::string_view name, std::size_t bytes) {
  if (bytes <= most_bytes(name)) return;
  throw EnvironmentError(
      fmt::format("the bundle's {} would have {}, more than is read of such a file", name, format_bytes(bytes)));
}

}  // namespace

Dossier::Dossier(const Terms& terms, const std::vector<std::string>& runs, const std::vector<std::string>& again)
    : terms_(terms) {
  const auto texts = std::make_shared<fleet::SharedTexts>();
  std::vector<RunEvidence> first = read(runs, runs_folder, *texts);
  std::vector<RunEvidence> second = read(again, again_folder, *texts);
  std::ranges::sort(case_names_);
  case_names_.erase(std::unique(case_names_.begin(), case_names_.end()), case_names_.end());
  judged_ = judge_runs(terms_, std::move(first), std::move(second), texts);
}

std::vector<RunEvidence> Dossier::read(const std::vector<std::string>& paths, std::string_view folder,
                                       fleet::SharedTexts& texts) {
  std::vector<std::pair<RunEvidence, std::string>> found;
  for (const std::string& path : paths) {
    if (report::is_being_written(path)) {
      throw EnvironmentError(fmt::format("the run that writes {} has not ended: wait for it", path));
    }
    found.emplace_back(examine(read_lines(path), path, terms_.contract, terms_.goldens, texts), path);
  }
  const auto order = [](const auto& one) {
    return std::tie(one.first.host_name, one.first.start_time, one.first.digest);
  };
  std::ranges::sort(found, [&](const auto& one, const auto& other) { return order(one) < order(other); });
  std::vector<RunEvidence> evidence;
  for (auto& [run, path] : found) {
    const auto twin = std::ranges::find(sources_, run.digest, &Source::digest);
    if (twin != sources_.end()) {
      throw EnvironmentError(fmt::format("{} and {} are the same journal: give it once", twin->path, path));
    }
    for (const std::string& one : run.contradictions) contradictions_.push_back(fmt::format("{}: {}", path, one));
    if (run.contradictions_left_out > 0) {
      contradictions_.push_back(fmt::format("{}: {} more", path, run.contradictions_left_out));
    }
    case_names_.insert(case_names_.end(), run.case_names.begin(), run.case_names.end());
    rename(run, journal_name(folder, evidence.size()));
    sources_.push_back({.path = path, .name = run.file, .digest = run.digest});
    evidence.push_back(std::move(run));
  }
  return evidence;
}

void Dossier::write(const std::string& version, std::string_view site_limits, const WriteBytes& write) const {
  const Contract& contract = terms_.contract;
  std::vector<Piece> before{{std::string(head_name), head_text({.version = version,
                                                                .contract = contract.name,
                                                                .contract_version = contract.version,
                                                                .expected = terms_.expected})},
                            {std::string(contract_name), contract.text}};
  std::vector<Piece> goldens;
  const std::string_view limits = terms_.goldens.limits_text();
  if (!limits.empty()) goldens.push_back({std::string(golden_limits_name), std::string(limits)});
  for (const std::string& name : case_names_) {
    const std::optional<std::string_view> text = terms_.goldens.text_of(name);
    if (text) goldens.push_back({std::string(golden_folder) + golden::golden_path(name), std::string(*text)});
  }
  std::ranges::sort(goldens, {}, &Piece::name);
  std::ranges::move(goldens, std::back_inserter(before));
  if (!site_limits.empty()) before.push_back({std::string(site_limits_name), std::string(site_limits)});
  const std::vector<Piece> after{{std::string(merged_name), report::find_merged_format("json")->write(judged_.fleet)},
                                 {std::string(acceptance_name), standing_json(contract, judged_.standing)}};
  Manifest manifest;
  const auto list = [&manifest](const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) manifest.push_back({.name = piece.name, .sha256 = sha256(piece.text)});
  };
  list(before);
  for (const Source& source : sources_) manifest.push_back({.name = source.name, .sha256 = source.digest});
  list(after);
  const auto put = [&write](std::string_view name, std::string_view text) {
    check_length(name, text.size());
    write(archive_header(name, text.size()));
    write(text);
    write(archive_padding(text.size()));
  };
  put(manifest_name, manifest_text(manifest));
  for (const Piece& piece : before) put(piece.name, piece.text);
  for (const Source& source : sources_) {
    const std::string text = read_lines(source.path);
    if (sha256(text) != source.digest) {
      throw EnvironmentError(fmt::format("{} has changed while it was packed: try again", source.path));
    }
    put(source.name, text);
  }
  for (const Piece& piece : after) put(piece.name, piece.text);
  write(archive_end());
}

}  // namespace gpucheck::acceptance
