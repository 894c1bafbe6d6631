#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/document/matcher.hpp"
#include "golden/golden.hpp"

/// What a golden file says, once read.
namespace gpucheck::golden {

/// The basis that `propose` writes, which only a person may replace.
inline constexpr std::string_view unapproved_basis = "unapproved";

struct Expectation {
  Matcher matcher;
  std::string basis;
  std::string note;
  std::string failure;                   ///< the code of what it stands for when it is not met
  bool warns = false;                    ///< a value that is not accepted is a warning, and not a failure
  std::optional<std::string> device;     ///< only on this kind of device; everywhere when absent
  std::optional<std::string> allocator;  ///< only under this allocator; under every one when absent

  [[nodiscard]] bool applies(const Conditions& conditions) const {
    return (!device || *device == conditions.device_kind) && (!allocator || *allocator == conditions.allocator);
  }
  /// "on cuda", "with async", "on cuda with async"; empty when unconditional.
  [[nodiscard]] std::string condition() const;
};

/// One key, with what is expected of it; at most one alternative applies at a time.
struct Entry {
  std::string key;
  std::vector<Expectation> alternatives;

  /// Null when the key must be absent.
  [[nodiscard]] const Expectation* applicable(const Conditions& conditions) const;
};

struct FileContent {
  std::string origin;
  std::string case_name;
  std::vector<Entry> entries;  ///< in file order

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

/// Whether a file that still waits for a person's approval may be read.
enum class Unapproved { rejected, accepted };

/// @throws MalformedGolden.
FileContent parse_content(std::string_view json, std::string origin, Unapproved unapproved);

}  // namespace gpucheck::golden
