#include "site/site_cases.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/fnv.hpp"
#include "base/text/sanitize.hpp"
#include "site/description.hpp"

namespace gpucheck::site {
namespace {

namespace fs = std::filesystem;
using harness::Case;

constexpr std::uint64_t max_description_bytes = std::uint64_t{1} << 20;

std::string shown(const fs::path& path) { return one_line(path.string(), 300); }

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw UsageError(fmt::format("{}: {}", shown(path), what));
}

/// Whoever can write a file, or put another in its place, decides what runs; a link may lead to where that is anybody.
/// @param root in which it must lie.
struct stat checked_status(const fs::path& path, const fs::path& root) {
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  if (problem) fail(path, fmt::format("cannot be read: {}", problem.message()));
  const fs::path below = real.lexically_relative(root);
  if (below.empty() || *below.begin() == "..") {
    fail(path, fmt::format("it is a link out of {}, and only what lies in there is run: copy it", shown(root)));
  }
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if ((status.st_mode & S_IWOTH) != 0) {
    fail(path, "everybody can write it, and so decide what is run: chmod o-w it");
  }
  return status;
}

/// A pipe or a device would be read for ever.
void check_file(const fs::path& path, const fs::path& root) {
  if (!S_ISREG(checked_status(path, root).st_mode)) fail(path, "it is not a regular file");
}

void check_program(const fs::path& path, const fs::path& root) {
  check_file(path, root);
  if (::access(path.c_str(), X_OK) == 0) return;
  fail(path, fmt::format("it cannot be executed: {}; chmod +x it, and see that its file system is not mounted noexec",
                         std::strerror(errno)));
}

std::string read(const fs::path& path, std::string_view kind) {
  try {
    return read_input_file(path.string(), kind, max_description_bytes);
  } catch (const EnvironmentError& problem) {
    throw UsageError(problem.what());
  }
}

/// A value of what came before and of the file, and of where one ends and the other begins.
std::uint64_t add_file(std::uint64_t value, const fs::path& path) {
  const InputFile file(path.string());
  std::array<char, 65536> buffer;
  std::uint64_t size = 0;
  while (true) {
    const std::optional<std::size_t> count = file.is_open() ? file.read(buffer) : std::nullopt;
    if (!count) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (*count == 0) return fnv1a(fmt::format("/{}/", size), value);
    value = fnv1a({buffer.data(), *count}, value);
    size += *count;
  }
}

std::string digest_of(const std::vector<fs::path>& files) {
  std::uint64_t value = fnv1a("");
  for (const fs::path& file : files) value = add_file(value, file);
  return fmt::format("{:016x}", value);
}

fs::path real_folder(const std::string& folder) {
  std::error_code problem;
  fs::path real = fs::canonical(folder, problem);
  if (problem) fail(folder, fmt::format("the folder of cases cannot be read: {}", problem.message()));
  if (!fs::is_directory(real, problem))
    fail(folder, "it is not a folder: --cases takes one with a folder for each case");
  return real;
}

/// Sorted, so that of two mistakes always the same one is named.
std::vector<fs::path> case_folders(const std::string& folder) {
  const fs::path root = real_folder(folder);
  static_cast<void>(checked_status(folder, root.parent_path()));
  std::vector<fs::path> found;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && name[0] != '.' && name[0] != '_') found.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& problem) {
    fail(folder, fmt::format("cannot be read: {}", problem.code().message()));
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  std::error_code absent;
  fail(folder, fs::exists(root / description_file, absent)
                   ? "it is the folder of one case: --cases takes the folder in which that lies"
                   : "there is no case in it: each is a folder of its own; gpucheck case new writes one");
}

}  // namespace

Case read_case(const std::string& folder) {
  const fs::path own = folder;
  const fs::path root = real_folder(own.parent_path().string());
  static_cast<void>(checked_status(own, root));
  const fs::path description = own / description_file;
  std::error_code absent;
  if (!fs::exists(description, absent)) {
    fail(own, fmt::format("there is no {} in it: a folder that is not a case must have a name that begins with \"_\"",
                          description_file));
  }
  check_file(description, root);
  Case test_case = parse_description(read(description, "description of a case"), shown(description));
  harness::Program& program = *test_case.program;
  program.folder = own.string();
  std::vector<fs::path> files{description, own / program.file};
  check_program(files.back(), root);
  if (fs::exists(own / golden_file, absent)) {
    files.push_back(own / golden_file);
    check_file(files.back(), root);
  }
  program.digest = digest_of(files);
  return test_case;
}

std::vector<Case> read_cases(const std::vector<std::string>& folders) {
  std::map<std::string, Case> by_name;
  for (const std::string& folder : folders) {
    for (const fs::path& own : case_folders(folder)) {
      Case test_case = read_case(own.string());
      const auto [first, is_new] = by_name.try_emplace(test_case.name, test_case);
      if (is_new) continue;
      fail(own / description_file, fmt::format("the name {} is taken by {}/{}: give one of them another",
                                               test_case.name, first->second.program->folder, description_file));
    }
  }
  std::vector<Case> cases;
  for (auto& [_, test_case] : by_name) cases.push_back(std::move(test_case));
  return cases;
}

harness::Registry with_site_cases(const harness::Registry& built_in, const std::vector<std::string>& folders) {
  std::vector<Case> cases(built_in.cases().begin(), built_in.cases().end());
  for (Case& own : read_cases(folders)) {
    if (built_in.find(own.name) != nullptr) {
      fail(fs::path(own.program->folder) / description_file,
           fmt::format("the name {} is that of a case of gpucheck's: give it another, such as site.{}", own.name,
                       own.name.substr(own.group().size() + 1)));
    }
    cases.push_back(std::move(own));
  }
  return harness::Registry(std::move(cases));
}

std::string golden_path(const harness::Program& program) { return (fs::path(program.folder) / golden_file).string(); }

void add_goldens(golden::GoldenSet& goldens, const harness::Registry& registry) {
  for (const Case& test_case : registry.cases()) {
    if (!test_case.program || goldens.contains(test_case.name)) continue;
    const std::string path = golden_path(*test_case.program);
    std::error_code absent;
    if (!fs::exists(path, absent)) {
      fail(path, fmt::format("there is no golden file, without which nothing is judged: write one (gpucheck help "
                             "site-cases), or let gpucheck golden approve {} --cases FOLDER propose it",
                             test_case.name));
    }
    try {
      std::string text = read(path, "golden file");
      golden::Golden golden = golden::Golden::parse(text, path);
      if (golden.case_name() != test_case.name) {
        fail(path, fmt::format("it is for the case {}, and lies beside the description of {}", golden.case_name(),
                               test_case.name));
      }
      goldens.add(std::move(golden), std::move(text));
    } catch (const golden::MalformedGolden& problem) {
      throw UsageError(problem.what());
    }
  }
}

}  // namespace gpucheck::site
