#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/advice/advice.hpp"
#include "replay/advice/cards.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::application {

/// What reports tell besides the advice itself.
struct AdviceSubject {
  std::string file;
  const replay::StackTable& stacks;
  const replay::Card* card = nullptr;  ///< whose memory was asked for
};

/// For a person: the ranking, what to paste, and what is live at the peak.
std::string advice_text(const std::vector<replay::Advice>& advices, const AdviceSubject& subject);

/// "gpucheck.advice/1": the same, with all that was tried.
std::string advice_document(const std::vector<replay::Advice>& advices, const AdviceSubject& subject);

/// Why recorded allocations failed, and what would have served them; whole lines.
std::string failures_text(const replay::Advice& advice, const replay::StackTable& stacks);

/// What is allocated at the peak, by stack, size and class of size; whole lines.
std::string live_text(const replay::Advice& advice, const replay::StackTable& stacks);

/// The line to paste: PyTorch reads the name in every release, and warns of it from 2.9 on.
std::string export_line(std::string_view settings);

/// What whoever pastes the line should know of its keys; whole sentences.
std::vector<std::string> remarks_on(std::string_view settings);

}  // namespace gpucheck::application
