#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/document/malformed_golden.hpp"
#include "golden/limits/limits.hpp"
#include "harness/result/result.hpp"

/// Golden files: what must be seen, and on whose word. Read only by the supervisor, so
/// that a case cannot approve itself.
namespace gpucheck::golden {

/// Under which a case was run: what the conditions of a golden file ask about.
struct Conditions {
  std::string device_kind;            ///< "cuda" or "sim"
  std::string allocator = "caching";  ///< "caching", "async" or "library"
  /// What measured values are judged by, and on what they were measured; where limits are null, none is judged. Both
  /// must outlive the comparison.
  const Limits* limits = nullptr;
  const harness::DeviceIdentity* device = nullptr;
  /// The case's, for values whose limit depends on one; null for none.
  const harness::ParameterValues* parameters = nullptr;
};

class Golden;

/// One golden file in memory.
class Golden {
 public:
  /// @param origin for messages: a path or "embedded golden/alloc/fuzz.json".
  /// @throws MalformedGolden.
  static Golden parse(std::string_view json, std::string origin);

  [[nodiscard]] const std::string& case_name() const noexcept;
  [[nodiscard]] const std::string& origin() const noexcept;

  /// Compares both ways: a key expected and absent, or seen and not expected, is a
  /// mismatch, as is a value that its matcher rejects. In the golden file's order,
  /// then unexpected keys in the order observed. Empty means that nothing fails.
  [[nodiscard]] std::vector<harness::Mismatch> compare(const harness::Observations& observations,
                                                       const Conditions& conditions) const;

  /// What differs and is only warned of, because the file says "warns" of the key; in the golden file's order.
  [[nodiscard]] std::vector<harness::Mismatch> warnings(const harness::Observations& observations,
                                                        const Conditions& conditions) const;

  /// The values that limits judge, in the golden file's order, with the verdict on each. One that fails is a mismatch
  /// too; one whose limit is unknown is not.
  [[nodiscard]] std::vector<harness::Measurement> measure(const harness::Observations& observations,
                                                          const Conditions& conditions) const;

  /// The keys that can differ under these conditions, in file order: expected there, and
  /// not with every value.
  [[nodiscard]] std::vector<std::string> judged_keys(const Conditions& conditions) const;

  /// The names by which limits are asked for: "group.case.key" of each key that one judges on some device,
  /// and "group.case.key.*" of one whose limit depends on a parameter.
  [[nodiscard]] std::vector<std::string> limited_values() const;

  /// For `describe`: one row per expectation, in file order.
  struct Row {
    std::string key;
    std::string expectation;  ///< "true", "matches /…/", "1 to 3"
    std::string basis;
    std::string failure;    ///< the code of what it stands for when it is not met
    bool warns = false;     ///< it is then a warning, and not a failure
    std::string condition;  ///< "on cuda", "with async"; empty when unconditional
    std::string note;
  };
  [[nodiscard]] std::vector<Row> rows() const;

 private:
  struct Content;
  explicit Golden(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// "alloc/fuzz.json" for "alloc.fuzz": where its golden file lies in their folder.
std::string golden_path(std::string_view case_name);

/// All goldens of a binary or directory, by case name. Thread-safe but for `limits()`.
class GoldenSet {
 public:
  struct File {
    std::string_view path;  ///< "alloc/fuzz.json"
    std::string_view text;
  };
  /// From files embedded in the binary, which must outlive the set and its copies: each is read when it is first
  /// wanted, as a run of one case needs one. @throws MalformedGolden for limits.json.
  static GoldenSet from_embedded(std::span<const File> files);
  /// The same from files of another place. @param place for messages, before the path: "embedded golden/"
  static GoldenSet from_files(std::span<const File> files, std::string_view place);
  /// From `<directory>/<group>/<case>.json`. @throws MalformedGolden, EnvironmentError
  /// when the directory cannot be read.
  static GoldenSet from_directory(const std::string& directory);

  /// One more, of a case that has none, and the text that it was read from. @throws Error for a case that has one.
  void add(Golden golden, std::string text);

  /// Whether one is for the case; reads none.
  [[nodiscard]] bool contains(std::string_view case_name) const;
  /// Null when no golden is for the case. @throws MalformedGolden for an embedded file.
  [[nodiscard]] const Golden* find(std::string_view case_name) const;
  [[nodiscard]] std::vector<std::string> case_names() const;
  /// The whole text of the case's golden file, as long as the set lives; nothing where there is none.
  [[nodiscard]] std::optional<std::string_view> text_of(std::string_view case_name) const;
  /// The text of the file `limits.json` beside the golden files; empty where there is no such file.
  [[nodiscard]] std::string_view limits_text() const noexcept {
    return limits_text_ ? *limits_text_ : std::string_view();
  }
  /// The limited values of all of them, see Golden::limited_values. @throws MalformedGolden for an embedded file.
  [[nodiscard]] std::vector<std::string> limited_values() const;

  /// What the file `limits.json` beside the golden files says; none where there is no such file.
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
  /// Puts the limits of a file before those of the set. @param text of that file.
  void override_limits(Limits limits, std::string_view text);

  /// Tells sets apart whose files differ in name or text: 16 hexadecimal digits.
  [[nodiscard]] std::string digest() const;

 private:
  class Entry;

  void add_to_digest(std::string_view path, std::string_view text);

  Limits limits_;
  std::shared_ptr<const std::string> limits_text_;
  std::uint64_t digest_ = 0;
  std::map<std::string, std::shared_ptr<const Entry>, std::less<>> goldens_;
};

}  // namespace gpucheck::golden
