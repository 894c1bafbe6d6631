#include "site/new_case.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/sanitize.hpp"
#include "harness/case/case_name.hpp"
#include "site/description.hpp"
#include "site/examples.hpp"

namespace gpucheck::site {
namespace {

namespace fs = std::filesystem;

/// The examples are cases themselves, of this name.
constexpr std::string_view example_name = "site.example";

std::string with_name(std::string_view text, const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find(example_name, at), text.size());
    result += text.substr(at, found - at);
    if (found < text.size()) result += name;
    at = found + example_name.size();
  }
  return result;
}

bool is_script(std::string_view text) { return text.starts_with("#!"); }

/// As a case is refused that everybody can write, whatever the umask of whoever writes it.
void protect(const fs::path& path, bool executable) {
  using fs::perms;
  fs::permissions(path, perms::others_write, fs::perm_options::remove);
  if (executable) {
    fs::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec, fs::perm_options::add);
  }
}

void write(const fs::path& path, std::string_view text, const std::string& name) {
  OutputFile(path.string(), "example").commit(with_name(text, name));
  protect(path, is_script(text));
}

/// @throws UsageError where it is there already: nothing is overwritten.
void make_folder(const fs::path& own) {
  std::error_code problem;
  fs::create_directories(own.parent_path(), problem);
  const bool is_new = !problem && fs::create_directory(own, problem);
  if (problem) throw EnvironmentError(fmt::format("cannot make {}: {}", own.string(), problem.message()));
  if (!is_new) {
    throw UsageError(
        fmt::format("{} is there already, and is not overwritten: choose another name, or remove it", own.string()));
  }
  protect(own, false);
}

}  // namespace

std::vector<std::string_view> example_languages() {
  std::set<std::string_view> languages;
  for (const ExampleFile& file : embedded_examples()) languages.insert(file.path.substr(0, file.path.find('/')));
  return {languages.begin(), languages.end()};
}

std::vector<std::string> write_example(const std::string& name, std::string_view language, const std::string& folder) {
  if (!harness::is_case_name(name) || name.size() > longest_name) {
    throw UsageError(
        fmt::format("\"{}\" cannot be the name of a case: write \"group.case\" with a-z, 0-9 and _, at most "
                    "{} characters, for example site.scratch_space",
                    one_line(name, 80), longest_name));
  }
  if (std::ranges::count(example_languages(), language) == 0) {
    throw UsageError(fmt::format("there is no example in \"{}\"; there is one in: {}", language,
                                 fmt::join(example_languages(), ", ")));
  }
  const fs::path own = fs::path(folder) / name;
  make_folder(own);
  std::vector<std::string> paths;
  for (const ExampleFile& file : embedded_examples()) {
    const std::size_t slash = file.path.find('/');
    if (file.path.substr(0, slash) != language) continue;
    const fs::path path = own / file.path.substr(slash + 1);
    write(path, file.text, name);
    paths.push_back(path.string());
  }
  return paths;
}

}  // namespace gpucheck::site
