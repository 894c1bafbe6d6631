#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application.hpp"
#include "runner/runner.hpp"
#include "terminal.hpp"

/// One function per subcommand, each with a plain struct for what was typed. All of
/// them print results on stdout and return the process's exit code.
/// @throws UsageError, EnvironmentError.
namespace gpucheck::application {

/// What every command can reach.
struct Environment {
  const harness::Registry& registry;
  const GoldenFactory& embedded_goldens;
  std::vector<std::string> command_line;  ///< as typed, program name first
};

/// Which cases.
struct Selection {
  std::vector<std::string> globs = {};  ///< empty: all
  std::vector<std::string> excluded = {};
  std::string suite = "all";
};

/// How cases are run; shared by every command that runs some.
struct ExecutionOptions {
  harness::RunSettings settings;
  int jobs = 0;  ///< 0: one per core, at most 8, or 2 on CUDA
  std::optional<std::chrono::milliseconds> timeout;
};

struct ListOptions {
  Selection selection;
  bool json = false;
  bool plain = false;
};

struct DescribeOptions {
  std::string case_name;
  std::string golden_directory;
  std::string limits_path;
  bool json = false;
};

struct ExplainOptions {
  std::string code;  ///< or name; empty: all
  bool json = false;
};

struct InfoOptions {
  bool json = false;
  std::string record_path;  ///< where the GPUs' state goes; "-" is stdout; empty for nowhere
};

/// Where results go.
struct ReportOptions {
  std::string json_path;     ///< "-" is stdout; empty for none
  std::string junit_path;    ///< likewise
  std::string journal_path;  ///< likewise; empty: beside the JSON report
  bool no_journal = false;
  std::string waivers_path;  ///< empty for none
  bool quiet = false;
  bool verbose = false;
  ColourChoice colour = ColourChoice::automatic;
};

struct RunOptions {
  Selection selection;
  ExecutionOptions execution;
  runner::Isolation isolation = runner::Isolation::worker;
  int repeat = 1;
  bool shuffle = false;
  runner::Shard shard;
  bool fail_fast = false;
  int retries = 0;
  int remeasure = runner::Options{}.remeasure;
  int max_skips = -1;
  ReportOptions reports;
  std::string trace_folder;           ///< empty: no traces
  std::optional<int> skip_exit_code;  ///< exit code when everything that ran was skipped
};

struct JournalReportOptions {
  std::vector<std::string> journals;  ///< at least one
  ReportOptions reports;
};

struct BaselineMakeOptions {
  std::vector<std::string> results;  ///< at least one
  std::string output_path = "-";     ///< "-" is stdout
  std::size_t minimum_count = 5;
};

struct GoldenDiffOptions {
  Selection selection;
  ExecutionOptions execution;
};

struct GoldenApproveOptions {
  std::vector<std::string> case_names;
  ExecutionOptions execution;
};

struct ProveOptions {
  Selection selection;
  ExecutionOptions execution;
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
  std::string file;
  std::optional<int> recorded_device;  ///< none: each that has events
  std::vector<std::string> settings;   ///< shown besides
  std::optional<std::uint64_t> memory_limit_bytes;
  std::string card;       ///< whose memory is the limit; empty: none
  std::string html_path;  ///< "-" is stdout; empty: no page
  bool json = false;
};

struct InspectOptions {
  std::string file;
  std::string html_path;               ///< "-" is stdout; empty: no page
  std::optional<int> recorded_device;  ///< none: all
  bool json = false;
};

int list(const Environment& environment, const ListOptions& options);
int describe(const Environment& environment, const DescribeOptions& options);
int explain(const Environment& environment, const ExplainOptions& options);
int info(const Environment& environment, const InfoOptions& options);
int run(const Environment& environment, const RunOptions& options);
int report(const Environment& environment, const JournalReportOptions& options);
int baseline_make(const Environment& environment, const BaselineMakeOptions& options);
int golden_diff(const Environment& environment, const GoldenDiffOptions& options);
int golden_approve(const Environment& environment, const GoldenApproveOptions& options);
int prove(const Environment& environment, const ProveOptions& options);
int replay(const Environment& environment, const ReplayOptions& options);
int advise(const Environment& environment, const AdviseOptions& options);
int inspect(const Environment& environment, const InspectOptions& options);

}  // namespace gpucheck::application
