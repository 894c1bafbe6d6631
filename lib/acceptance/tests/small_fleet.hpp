#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acceptance/bundle/archive.hpp"
#include "acceptance/contract/contract.hpp"
#include "acceptance/contract/verdict.hpp"
#include "golden/golden.hpp"
#include "harness/run/events.hpp"

/// Nodes of two GPUs under a contract of six cases, made by hand.
namespace gpucheck::acceptance {

/// Their texts.
std::vector<golden::GoldenSet::File> small_golden_files();
golden::GoldenSet small_goldens();

/// "small acceptance 1.0": machine.software once; alloc.one on any GPU; link.all on both; link.pair on neighbours;
/// memory.pattern and memory.speed on each.
const Contract& small_contract();
/// The same with other words for some of its text.
Contract small_contract_with(std::string_view old_words, std::string_view new_words);

/// A result that follows from what was observed.
harness::CaseResult observed(const std::string& name, std::vector<int> devices, harness::Observations observations,
                             const golden::GoldenSet& goldens = small_goldens());
/// One that was skipped or could not be judged.
harness::CaseResult without_evidence(const std::string& name, std::vector<int> devices, harness::Outcome outcome,
                                     const std::string& reason);

/// What a good node with so many GPUs shows.
std::vector<harness::CaseResult> good_results(int devices = 2);
/// The place of a case's first result.
harness::CaseResult& result_in(std::vector<harness::CaseResult>& results, std::string_view name);

harness::RunStarted start_on(const std::string& node, int devices = 2);
/// The journal of such a run.
std::string journal_of(harness::RunStarted start, const std::vector<harness::CaseResult>& results);

/// Journals and what they are under the contract.
Standing standing_of(const std::vector<std::string>& journals, const std::string& expected = "1",
                     const Contract& contract = small_contract(), const golden::GoldenSet& goldens = small_goldens(),
                     bool has_site_limits = false);

/// The bundle of these journals.
std::string bundle_of(const std::vector<std::string>& journals, const std::string& expected,
                      const std::vector<std::string>& again = {});

/// Reads a text in pieces.
ReadBytes reading(std::string_view text);

}  // namespace gpucheck::acceptance
