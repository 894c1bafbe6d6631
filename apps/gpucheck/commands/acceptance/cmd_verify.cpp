#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "acceptance/bundle/verify.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/count_text.hpp"
#include "commands/acceptance/signature.hpp"
#include "commands/commands.hpp"
#include "commands/merge/verdict_exit_code.hpp"
#include "output/document.hpp"
#include "output/terminal.hpp"
#include "output/version.hpp"
#include "report/merged/merged_formats.hpp"

namespace gpucheck::application {
namespace {

using Json = nlohmann::ordered_json;

/// A bundle that was checked, with its signature where there is one.
struct Checked {
  acceptance::Contract contract;
  acceptance::Verification verification = {};
  std::optional<SignatureCheck> signature = {};

  [[nodiscard]] bool is_trusted() const { return verification.is_intact() && (!signature || signature->is_good); }
  [[nodiscard]] harness::Verdict verdict() const {
    return is_trusted() ? verification.verdict() : harness::Verdict::not_judged;
  }
};

[[noreturn]] void fail_to_read(const std::string& path) {
  throw EnvironmentError(fmt::format("cannot read the bundle {}: {}", path, std::strerror(errno)));
}

Checked check_bundle(const Environment& environment, const VerifyOptions& options) {
  Checked checked{.contract = acceptance::Contract::parse(environment.contract())};
  if (!options.signature_path.empty()) {
    checked.signature = check_signature(options.bundle_path, options.signature_path, options.allowed_signers_path);
  }
  const InputFile file(options.bundle_path);
  if (!file.is_open()) fail_to_read(options.bundle_path);
  Sha256 digest;
  const auto read = [&](std::span<char> room) {
    const std::optional<std::size_t> count = file.read(room);
    if (!count) fail_to_read(options.bundle_path);
    digest.add({room.data(), *count});
    return *count;
  };
  checked.verification = acceptance::verify(read, checked.contract, std::string(build_information().version));
  const bool is_read = checked.verification.is_intact();  // else it may not have been read to its end
  if (is_read && checked.signature && checked.signature->is_good && checked.signature->digest != digest.take()) {
    checked.signature->is_good = false;
    checked.signature->reason = "the bundle has changed while it was verified";
  }
  return checked;
}

std::string signature_text(const std::optional<SignatureCheck>& signature) {
  if (!signature) return "no signature was checked: whoever changes a bundle can write a new one\n";
  if (signature->is_good) return fmt::format("signed by {}\n", signature->signer);
  return fmt::format("problem: the signature is not good: {}\n", signature->reason);
}

std::string text_of(const Checked& checked) {
  const acceptance::Verification& verification = checked.verification;
  std::string text;
  for (const std::string& problem : verification.problems) text += fmt::format("problem: {}\n", problem);
  if (verification.problems_left_out > 0) text += fmt::format("and {} more\n", verification.problems_left_out);
  text += signature_text(checked.signature);
  if (!checked.is_trusted()) return text + "NOT JUDGED  this bundle proves nothing\n";
  text += fmt::format("intact: {} of {} judged again, the verdict is the same\n",
                      count_text(verification.results, "result"), count_text(verification.runs, "run"));
  return text + acceptance::standing_text(checked.contract, verification.judged->standing);
}

std::string document_of(const Checked& checked) {
  const acceptance::Verification& verification = checked.verification;
  const bool is_trusted = checked.is_trusted() && verification.judged.has_value();
  Json signature;
  if (checked.signature) {
    signature = {{"good", checked.signature->is_good},
                 {"signer", checked.signature->signer},
                 {"reason", checked.signature->reason}};
  }
  return document_text({{"schema", "gpucheck.verification/1"},
                        {"verdict", acceptance::contract_word(checked.verdict())},
                        {"intact", verification.is_intact()},
                        {"problems", verification.problems},
                        {"problems_left_out", verification.problems_left_out},
                        {"signature", signature},
                        {"written_by", verification.head ? Json(verification.head->version) : Json()},
                        {"runs", verification.runs},
                        {"results", verification.results},
                        {"acceptance", is_trusted ? Json::parse(acceptance::standing_json(
                                                        checked.contract, verification.judged->standing))
                                                  : Json()}});
}

}  // namespace

int verify(const Environment& environment, const VerifyOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // ssh-keygen may stop reading
  const Checked checked = check_bundle(environment, options);
  if (options.json) {
    print_document(document_of(checked));
  } else {
    print(text_of(checked));
  }
  return static_cast<int>(exit_code_of(checked.verdict()));
}

}  // namespace gpucheck::application
