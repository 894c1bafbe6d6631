#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/advice/advice.hpp"
#include "replay/advice/cards.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::application {

/// Where one of the programs is from.
struct AdviceSubject {
  std::string file;
  const replay::StackTable* stacks;
};

/// What reports tell: the advice, and what belongs to it.
struct AdviceReport {
  std::vector<replay::Advice> advices;  ///< at least one; all under the same settings
  std::vector<AdviceSubject> subjects;  ///< of each
  const replay::Card* card = nullptr;   ///< whose memory was asked for
  replay::KeyRules rules = {};
};

/// For a person: the ranking, what to paste, and what is live at the peak.
std::string advice_text(const AdviceReport& report);

/// "gpucheck.advice/1": the same, with all that was tried.
std::string advice_document(const AdviceReport& report);

// -- parts of advice_text; whole lines ----------------------------------------------

/// What several programs need under the settings advised for all of them.
std::string programs_text(const AdviceReport& report);

/// What is advised, or why nothing is. @param wants_line whether the line to paste belongs here
std::string verdict_text(const AdviceReport& report, const replay::Advice& advice, bool wants_line);

/// Why recorded allocations failed, and what would have served them.
std::string failures_text(const replay::Advice& advice, const replay::StackTable& stacks);

/// What is allocated at the peak, by stack, size and class of size.
std::string live_text(const replay::Advice& advice, const replay::StackTable& stacks);

// -- the line to paste, and what belongs to it ----------------------------------------

/// Whole, and for any POSIX shell. PyTorch reads the name in every release, and warns of it
/// from 2.9 on.
std::string export_line(std::string_view settings);

/// What whoever pastes the line should know; whole sentences.
std::vector<std::string> remarks_on(std::string_view settings, const replay::KeyRules& rules);

/// The line, what is said of it, and what it leaves out.
std::string to_paste_text(const AdviceReport& report, const replay::Advice& advice,
                          const replay::RankedSettings& advised);

}  // namespace gpucheck::application
