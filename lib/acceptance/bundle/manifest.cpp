#include "acceptance/bundle/manifest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/sanitize.hpp"
#include "golden/golden.hpp"
#include "harness/case/case_name.hpp"

namespace gpucheck::acceptance {
namespace {

constexpr std::size_t digest_digits = 64;

bool is_digest(std::string_view text) {
  return text.size() == digest_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "golden/limits.json", or that of a case.
bool is_golden_name(std::string_view name) {
  if (name == golden_limits_name) return true;
  if (!name.starts_with(golden_folder) || !name.ends_with(".json")) return false;
  name.remove_prefix(golden_folder.size());
  name.remove_suffix(std::string_view(".json").size());
  std::string case_name(name);
  std::ranges::replace(case_name, '/', '.');
  return harness::is_case_name(case_name) && name.find('.') == std::string_view::npos;
}

/// Takes names from the front, in the order that a bundle has.
class NameOrder {
 public:
  explicit NameOrder(const Manifest& manifest) : rest_(manifest) {}

  void check() {
    require(head_name);
    require(contract_name);
    std::string_view previous;
    while (!rest_.empty() && is_golden_name(rest_.front().name)) {
      if (rest_.front().name <= previous) fail("its golden files are not in order");
      previous = rest_.front().name;
      rest_ = rest_.subspan(1);
    }
    if (!rest_.empty() && rest_.front().name == site_limits_name) rest_ = rest_.subspan(1);
    if (skip_journals(runs_folder) == 0) fail("it has no run");
    static_cast<void>(skip_journals(again_folder));
    require(merged_name);
    require(acceptance_name);
    if (!rest_.empty()) fail(fmt::format("it has a file {} too many", one_line(rest_.front().name, 120)));
  }

 private:
  [[noreturn]] static void fail(std::string_view why) { throw Error(fmt::format("{}: {}", manifest_name, why)); }

  void require(std::string_view name) {
    if (rest_.empty()) fail(fmt::format("{} is missing", name));
    if (rest_.front().name != name) {
      fail(fmt::format("{} stands where {} has to be", one_line(rest_.front().name, 120), name));
    }
    rest_ = rest_.subspan(1);
  }

  std::size_t skip_journals(std::string_view folder) {
    std::size_t count = 0;
    while (!rest_.empty() && rest_.front().name == journal_name(folder, count)) {
      ++count;
      rest_ = rest_.subspan(1);
    }
    return count;
  }

  std::span<const ManifestLine> rest_;
};

}  // namespace

std::string journal_name(std::string_view folder, std::size_t place) {
  return fmt::format("{}{:06}.journal", folder, place + 1);
}

std::uint64_t most_bytes(std::string_view name) {
  const bool is_journal = name.starts_with(runs_folder) || name.starts_with(again_folder);
  // The verdict on ten thousand nodes is longer than any document that people write.
  const bool is_verdict = name == merged_name || name == acceptance_name;
  return is_journal || is_verdict ? max_journal_bytes : max_document_bytes;
}

std::string manifest_text(const Manifest& manifest) {
  std::string text;
  for (const ManifestLine& line : manifest) text += fmt::format("{}  {}\n", line.sha256, line.name);
  return text;
}

Manifest parse_manifest(std::string_view text) {
  Manifest manifest;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool is_line = end != std::string_view::npos && line.size() > digest_digits + 2 &&
                         is_digest(line.substr(0, digest_digits)) && line.substr(digest_digits, 2) == "  ";
    if (!is_line) throw Error(fmt::format("{}:{}: this is not a digest, two spaces and a name", manifest_name, number));
    manifest.push_back(
        {.name = std::string(line.substr(digest_digits + 2)), .sha256 = std::string(line.substr(0, digest_digits))});
    text.remove_prefix(end + 1);
  }
  NameOrder(manifest).check();
  return manifest;
}

}  // namespace gpucheck::acceptance
