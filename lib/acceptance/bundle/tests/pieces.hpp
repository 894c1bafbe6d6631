#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acceptance/bundle/archive.hpp"
#include "acceptance/bundle/manifest.hpp"
#include "acceptance/tests/small_fleet.hpp"
#include "base/digest.hpp"

/// Bundles taken apart, for those who change them.
namespace gpucheck::acceptance {

/// Files of a bundle, the list of digests included.
inline std::vector<ArchivedFile> pieces_of(std::string_view bundle) {
  ArchiveReader reader(reading(bundle));
  std::vector<ArchivedFile> pieces;
  while (auto piece = reader.next(most_bytes)) pieces.push_back(std::move(*piece));
  return pieces;
}

inline std::string joined(const std::vector<ArchivedFile>& pieces) {
  std::string bytes;
  for (const ArchivedFile& piece : pieces) {
    bytes += archive_header(piece.name, piece.content.size()) + piece.content + archive_padding(piece.content.size());
  }
  return bytes + archive_end();
}

/// As a forger would: with digests that fit.
inline std::string forged(std::vector<ArchivedFile> pieces) {
  Manifest manifest;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    manifest.push_back({.name = pieces[i].name, .sha256 = sha256(pieces[i].content)});
  }
  pieces.front().content = manifest_text(manifest);
  return joined(pieces);
}

}  // namespace gpucheck::acceptance
