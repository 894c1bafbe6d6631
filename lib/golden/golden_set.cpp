#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/fnv.hpp"
#include "golden/document/syntax.hpp"
#include "golden/golden.hpp"
#include "harness/case/case_name.hpp"

namespace gpucheck::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view limits_path = "limits.json";

/// "alloc.fuzz" of "alloc/fuzz.json": golden_path backwards.
std::string case_name_of(std::string_view path) {
  std::string name(path.substr(0, path.rfind(".json")));
  std::ranges::replace(name, '/', '.');
  return name;
}

/// A file under another case's name would judge the wrong case, or none.
Golden parse_at(std::string_view text, std::string origin, std::string_view path) {
  Golden golden = Golden::parse(text, std::move(origin));
  const std::string expected = golden_path(golden.case_name());
  if (path != expected) {
    malformed(golden.origin(), "/case",
              fmt::format("the golden file of {} must be called {}", golden.case_name(), expected));
  }
  return golden;
}

std::vector<fs::path> json_files_below(const std::string& directory) {
  std::vector<fs::path> paths;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.path().extension() == ".json" && entry.is_regular_file()) paths.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& problem) {
    throw EnvironmentError(
        fmt::format("cannot read the golden directory {}: {}; give one with files <group>/<case>.json", directory,
                    problem.code().message()));
  }
  std::sort(paths.begin(), paths.end());  // so that of two broken files always the same one is named
  return paths;
}

}  // namespace

/// A golden that was read, or a file to read when it is first wanted.
class GoldenSet::Entry {
 public:
  Entry(Golden golden, std::string text) : owned_(std::move(text)), text_(owned_), golden_(std::move(golden)) {}
  Entry(const File& file, std::string_view place) : place_(place), path_(file.path), text_(file.text) {}
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() = default;

  [[nodiscard]] const Golden& golden() const {
    const std::scoped_lock lock(mutex_);
    if (!golden_) golden_ = parse_at(text_, fmt::format("{}{}", place_, path_), path_);
    return *golden_;
  }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string owned_;
  std::string place_;
  std::string_view path_;
  std::string_view text_;
  mutable std::mutex mutex_;
  mutable std::optional<Golden> golden_;
};

std::string golden_path(std::string_view case_name) { return harness::case_path(case_name) + ".json"; }

GoldenSet GoldenSet::from_embedded(std::span<const File> files) { return from_files(files, "embedded golden/"); }

GoldenSet GoldenSet::from_files(std::span<const File> files, std::string_view place) {
  GoldenSet set;
  for (const File& file : files) {
    set.add_to_digest(file.path, file.text);
    if (file.path == limits_path) {
      set.limits_ = Limits::parse(file.text, fmt::format("{}{}", place, file.path));
      set.limits_text_ = std::make_shared<const std::string>(file.text);
    } else {
      set.goldens_.emplace(case_name_of(file.path), std::make_shared<const Entry>(file, place));
    }
  }
  return set;
}

GoldenSet GoldenSet::from_directory(const std::string& directory) {
  GoldenSet set;
  for (const fs::path& path : json_files_below(directory)) {
    std::string text = read_input_file(path.string(), "golden file");
    const std::string relative = path.lexically_relative(directory).generic_string();
    set.add_to_digest(relative, text);
    if (relative == limits_path) {
      set.limits_ = Limits::parse(text, path.string());
      set.limits_text_ = std::make_shared<const std::string>(std::move(text));
    } else {
      Golden golden = parse_at(text, path.string(), relative);
      std::string name = golden.case_name();
      set.goldens_.emplace(std::move(name), std::make_shared<const Entry>(std::move(golden), std::move(text)));
    }
  }
  return set;
}

void GoldenSet::add(Golden golden, std::string text) {
  std::string name = golden.case_name();
  if (contains(name)) throw Error(fmt::format("{}: there is a golden file for {} already", golden.origin(), name));
  goldens_.emplace(std::move(name), std::make_shared<const Entry>(std::move(golden), std::move(text)));
}

bool GoldenSet::contains(std::string_view case_name) const { return goldens_.contains(case_name); }

void GoldenSet::override_limits(Limits limits, std::string_view text) {
  limits_.override_with(std::move(limits));
  add_to_digest("--limits", text);
}

std::string GoldenSet::digest() const { return fmt::format("{:016x}", digest_); }

/// A sum, so that the order of files does not count: it is another one in a folder than in the binary.
void GoldenSet::add_to_digest(std::string_view path, std::string_view text) {
  digest_ += fnv1a(fmt::format("{:016x}{:016x}", fnv1a(path), fnv1a(text)));
}

const Golden* GoldenSet::find(std::string_view case_name) const {
  const auto found = goldens_.find(case_name);
  return found == goldens_.end() ? nullptr : &found->second->golden();
}

std::optional<std::string_view> GoldenSet::text_of(std::string_view case_name) const {
  const auto found = goldens_.find(case_name);
  return found == goldens_.end() ? std::nullopt : std::optional(found->second->text());
}

std::vector<std::string> GoldenSet::limited_values() const {
  std::vector<std::string> names;
  for (const auto& [_, entry] : goldens_) {
    const std::vector<std::string> more = entry->golden().limited_values();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::vector<std::string> GoldenSet::case_names() const {
  std::vector<std::string> names;
  for (const auto& [name, _] : goldens_) names.push_back(name);
  return names;
}

}  // namespace gpucheck::golden
