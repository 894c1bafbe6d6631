#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What is in a bundle, in which order, and by which digests.
namespace gpucheck::acceptance {

/// Names of a bundle's files.
inline constexpr std::string_view manifest_name = "SHA256SUMS";
inline constexpr std::string_view head_name = "bundle.json";
inline constexpr std::string_view contract_name = "contract.json";
inline constexpr std::string_view golden_folder = "golden/";
inline constexpr std::string_view golden_limits_name = "golden/limits.json";
inline constexpr std::string_view site_limits_name = "limits.json";
inline constexpr std::string_view runs_folder = "runs/";
inline constexpr std::string_view again_folder = "again/";
inline constexpr std::string_view merged_name = "merged.json";
inline constexpr std::string_view acceptance_name = "acceptance.json";

/// "runs/000001.journal" for the first. @param folder `runs_folder` or `again_folder`
std::string journal_name(std::string_view folder, std::size_t place);

/// The most bytes that the file may have.
std::uint64_t most_bytes(std::string_view name);

struct ManifestLine {
  std::string name;
  std::string sha256;
};
using Manifest = std::vector<ManifestLine>;

/// As `sha256sum -c` reads it.
std::string manifest_text(const Manifest& manifest);

/// @throws Error for a text that `manifest_text` does not write, and for files that are not those of a bundle in their
/// order: head, contract, golden files by name, limits of the site, runs, runs of a second measurement, verdicts.
Manifest parse_manifest(std::string_view text);

}  // namespace gpucheck::acceptance
