#pragma once

/// What each command's exit codes mean, for its --help; lib/harness/run/exit_codes.hpp has the codes.
namespace gpucheck::application::exit_codes {

inline constexpr const char* of_run =
    "Exit codes: 0 all passed; 1 a case failed, crashed or hung; 2 usage; 3 could not be judged (no device, a driver "
    "or tool error, nothing selected, too many skips, no time left for a case); 128 and the signal's number when "
    "interrupted.";
inline constexpr const char* of_report =
    "Exit codes: 0 every run passed; 1 one failed; 2 usage; 3 one could not be judged, a journal cannot be read, or a "
    "report cannot be written.";
inline constexpr const char* of_merge =
    "Exit codes: 0 every expected node reported and passed; 1 a node failed; 2 usage; 3 a node could not be judged or "
    "did not report, nodes differ in what they ran, a file is not a journal, or a report cannot be written.";
inline constexpr const char* of_acceptance =
    "Exit codes: 0 the contract is met, or shown; 1 it is not met; 2 usage; 3 it cannot be judged, or a file cannot be "
    "read or written.";
inline constexpr const char* of_verify =
    "Exit codes: 0 the bundle is intact and the contract met; 1 it is intact and the contract not met; 2 usage; 3 it "
    "is "
    "not intact, its signature is not good, or the contract cannot be judged.";
inline constexpr const char* of_compare =
    "Exit codes: 0 nothing is worse; 1 a node that passed has failed, or a value is worse; 2 usage; 3 nothing can be "
    "compared, a file is not a journal, a node that passed was not judged, or the report cannot be written.";
inline constexpr const char* of_showing =
    "Exit codes: 0 shown; 2 usage, such as a name that there is not; 3 nothing selected, or a file cannot be read.";
inline constexpr const char* of_case_new =
    "Exit codes: 0 it is written; 2 usage, such as a name that cannot be one, or a folder that is there already; 3 it "
    "cannot be written.";
inline constexpr const char* of_help =
    "Exit codes: 0 shown, or the pages are written; 2 usage, such as a topic that does not exist; 3 a page cannot be "
    "written.";
inline constexpr const char* of_info =
    "Exit codes: 0 shown, whatever was found; 2 usage; 3 the recording cannot be made or written.";
inline constexpr const char* of_prove =
    "Exit codes: 0 every fault was noticed; 1 one was not, or a case fails without a fault; 2 usage; 3 could not be "
    "judged, or every case was skipped; 128 and the signal's number when interrupted.";
inline constexpr const char* of_golden_diff =
    "Exit codes: 0 no case differs from its golden file; 1 one does; 2 usage; 3 could not be judged; 128 and the "
    "signal's number when interrupted.";
inline constexpr const char* of_golden_approve =
    "Exit codes: 0 the proposals are written; 2 usage; 3 a case did not end, or a file cannot be written; 128 and the "
    "signal's number when interrupted.";
inline constexpr const char* of_baseline =
    "Exit codes: 0 the limits are written; 2 usage; 3 a result cannot be read, or no limit follows from the results.";
inline constexpr const char* of_replay =
    "Exit codes: 0 all is as recorded, or memory suffices under at least one of the settings; 1 it is not, or does "
    "not; "
    "2 usage; 3 a file cannot be read, or nothing in it can be judged.";
inline constexpr const char* of_inspect =
    "Exit codes: 0 shown; 2 usage; 3 a snapshot cannot be read, or a page cannot be written.";

}  // namespace gpucheck::application::exit_codes
