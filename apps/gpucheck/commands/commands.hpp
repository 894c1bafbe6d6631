#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/environment.hpp"
#include "input/run_options.hpp"
#include "input/selection.hpp"
#include "output/report_options.hpp"
#include "report/merged/merged_formats.hpp"
#include "runner/runner.hpp"
#include "runtime/settings/allocator_choice.hpp"

/// One function per subcommand, each with a plain struct for what was typed. All of
/// them print results on stdout and return the process's exit code.
/// @throws UsageError, EnvironmentError.
namespace gpucheck::application {

struct ListOptions {
  Selection selection;
  std::vector<std::string> case_folders;
  std::string basis;   ///< the expectations that stand on it, instead of the cases; empty for the cases
  std::string device;  ///< whose devices are listed instead of cases, or of the estimated run; empty: cases
  bool json = false;
  bool plain = false;
  bool estimate = false;
  int jobs = 0;  ///< of the estimated run
};

struct DescribeOptions {
  std::string case_name;
  std::vector<std::string> case_folders;
  std::string golden_directory;
  std::string limits_path;
  bool json = false;
};

struct CaseNewOptions {
  std::string name;
  std::string language = "shell";
  std::string folder = "site-cases";
};

struct ExplainOptions {
  std::string code;  ///< or name; empty: all
  bool json = false;
};

struct InfoOptions {
  bool json = false;
  std::string record_path;  ///< where the GPUs' state goes; "-" is stdout; empty for nowhere
};

struct JournalReportOptions {
  std::vector<std::string> journals;  ///< at least one
  ReportOptions reports;
};

struct MergedOutput {
  const report::MergedFormat* format = nullptr;
  std::string path;  ///< "-" is stdout
};

struct MergeOptions {
  std::vector<std::string> paths;  ///< journals and folders of them; at least one
  std::string expected_nodes;      ///< as fleet::parse_expected_nodes takes it
  std::vector<std::string> again;  ///< journals and folders of a second measurement
  std::string racks;               ///< as fleet::Racks takes it; empty where nobody says
  std::string history;             ///< the folder; empty for none
  std::vector<MergedOutput> outputs;
  std::string waivers_path;               ///< empty for none
  std::vector<std::string> case_folders;  ///< of cases that the waivers may be for
  bool verbose = false;                   ///< nodes that passed, too
  ColourChoice colour = ColourChoice::automatic;
};

struct CompareOptions {
  std::string before;  ///< a journal, or a folder of them
  std::string after;
  std::string json_path;  ///< empty for none
  ColourChoice colour = ColourChoice::automatic;
};

/// Journals that are judged by the contract of acceptance.
struct EvidenceOptions {
  std::vector<std::string> runs;     ///< journals and folders of them
  std::vector<std::string> again;    ///< likewise, of a second measurement
  std::string expected_nodes = "1";  ///< as fleet::parse_expected_nodes takes it
  std::string golden_directory;
  std::string limits_path;
};

struct AcceptanceOptions {
  EvidenceOptions evidence;  ///< without runs the contract is shown
  bool json = false;
};

struct BundleOptions {
  EvidenceOptions evidence;
  std::string output_path;  ///< "-" is stdout
};

struct VerifyOptions {
  std::string bundle_path;
  std::string signature_path;        ///< empty for none
  std::string allowed_signers_path;  ///< there where a signature is
  bool json = false;
};

struct BaselineMakeOptions {
  std::vector<std::string> results;  ///< at least one
  std::string output_path = "-";     ///< "-" is stdout
  std::size_t minimum_count = 5;
};

struct GoldenDiffOptions {
  Selection selection;
  runner::Options runner;
};

struct GoldenApproveOptions {
  std::vector<std::string> case_names;
  runner::Options runner;
};

struct ProveOptions {
  Selection selection;
  runner::Options runner;
  bool json = false;
};

struct ReplayOptions {
  std::vector<std::string> files;        ///< at least one
  std::vector<std::string> trace_names;  ///< globs; empty: all
  std::optional<int> recorded_device;    ///< of a snapshot; none: each that has events
  runtime::AllocatorChoice allocator;
  std::vector<std::string> settings;  ///< empty: those that each trace was recorded under
  std::optional<std::uint64_t> memory_limit_bytes;
  std::string device = "sim";
  std::chrono::milliseconds library_timeout = std::chrono::seconds(60);  ///< for all that a library does
  bool json = false;
};

struct AdviseOptions {
  std::vector<std::string> files;      ///< at least one; of the processes of one job
  std::optional<int> recorded_device;  ///< none: each that has events
  std::vector<std::string> settings;   ///< shown besides
  std::optional<std::uint64_t> memory_limit_bytes;
  std::string card;                        ///< whose memory is the limit; empty: none
  std::vector<std::string> excluded_keys;  ///< not to be advised
  std::string torch;                       ///< whose keys alone may be advised; empty: any release
  std::string html_path;                   ///< "-" is stdout; empty: no page
  bool json = false;
};

struct InspectOptions {
  std::string file;
  std::string compared_file;           ///< what grew until this one; empty: none
  std::string html_path;               ///< "-" is stdout; empty: no page
  std::optional<int> recorded_device;  ///< none: all
  bool json = false;
};

int list(const Environment& environment, const ListOptions& options);
int describe(const Environment& environment, const DescribeOptions& options);
int case_new(const Environment& environment, const CaseNewOptions& options);
int explain(const Environment& environment, const ExplainOptions& options);
int info(const Environment& environment, const InfoOptions& options);
int run(const Environment& environment, const RunOptions& options);
int report(const Environment& environment, const JournalReportOptions& options);
int merge(const Environment& environment, const MergeOptions& options);
int compare(const Environment& environment, const CompareOptions& options);
int acceptance(const Environment& environment, const AcceptanceOptions& options);
int bundle(const Environment& environment, const BundleOptions& options);
int verify(const Environment& environment, const VerifyOptions& options);
int baseline_make(const Environment& environment, const BaselineMakeOptions& options);
int golden_diff(const Environment& environment, const GoldenDiffOptions& options);
int golden_approve(const Environment& environment, const GoldenApproveOptions& options);
int prove(const Environment& environment, const ProveOptions& options);
int replay(const Environment& environment, const ReplayOptions& options);
int advise(const Environment& environment, const AdviseOptions& options);
int inspect(const Environment& environment, const InspectOptions& options);

}  // namespace gpucheck::application
