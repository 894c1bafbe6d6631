#include "telemetry/machine/host.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "telemetry/kernel_log/kernel_log.hpp"

namespace gpucheck::telemetry {
namespace {

namespace files = std::filesystem;

/// The first line of a file; empty where there is none.
/// @param problem why it cannot be read; kept where it can, or where there is no such file.
std::string line_of(const files::path& path, std::string& problem) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::array<char, 4096> text{};
  const ssize_t length = descriptor < 0 ? -1 : ::read(descriptor, text.data(), text.size());
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (length < 0) {
    if (error != ENOENT) problem = fmt::format("{}: {}", path.string(), std::strerror(error));
    return {};
  }
  const std::string_view read(text.data(), static_cast<std::size_t>(length));
  return std::string(read.substr(0, read.find('\n')));
}

/// The name of the kernel driver that a device is bound to; empty where it is bound to none.
std::string driver_of(const files::path& device, std::string& problem) {
  std::error_code error;
  const files::path link = device / "driver";
  const files::path driver = files::read_symlink(link, error);
  if (!error) return driver.filename();
  if (error != std::errc::no_such_file_or_directory) problem = fmt::format("{}: {}", link.string(), error.message());
  return {};
}

std::vector<files::path> entries(const files::path& folder, std::error_code& problem) {
  std::vector<files::path> found;
  for (files::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

void read_bus(const std::string& root, Host& host) {
  constexpr std::string_view nvidia = "0x10de";
  // Base class 3 of the PCI code assignments: display controllers, to which those without a display belong too (0302).
  constexpr std::string_view display = "0x03";
  std::error_code problem;
  const files::path folder = root + "/sys/bus/pci/devices";
  for (const files::path& device : entries(folder, problem)) {
    std::string& why = host.pci_gpus_problem;
    if (line_of(device / "vendor", why) != nvidia || !line_of(device / "class", why).starts_with(display)) continue;
    host.pci_gpus.push_back({.address = device.filename(), .driver = driver_of(device, why)});
  }
  if (problem) host.pci_gpus_problem = fmt::format("{}: {}", folder.string(), problem.message());
}

/// Every process that computes opens them for reading and writing.
NamedState device_file(const files::path& path, const std::string& name) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {.name = name, .problem = std::strerror(errno)};
  ::close(descriptor);
  return {.name = name, .problem = ""};
}

bool is_gpu_file(const std::string& name) {
  constexpr std::string_view prefix = "nvidia";
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

void read_device_files(const std::string& root, Host& host) {
  const files::path folder = root + "/dev";
  for (const char* name : {"nvidiactl", "nvidia-uvm"}) {
    host.device_files.push_back(device_file(folder / name, fmt::format("/dev/{}", name)));
  }
  std::error_code problem;
  for (const files::path& path : entries(folder, problem)) {
    const std::string name = path.filename();
    if (is_gpu_file(name)) host.device_files.push_back(device_file(path, fmt::format("/dev/{}", name)));
  }
  if (problem) host.device_files_problem = fmt::format("{}: {}", folder.string(), problem.message());
}

/// Those that come with the driver and that CUDA programs load: the driver itself, NVML, and the compiler of PTX.
constexpr std::array driver_libraries{"libcuda.so.1", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1"};

void read_libraries(Host& host) {
  for (const char* const name : driver_libraries) {
    // Never closed: vendors' libraries keep memory and exit handlers of their own.
    const void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const char* const problem = library == nullptr ? ::dlerror() : nullptr;
    host.libraries.push_back({.name = name, .problem = problem == nullptr ? "" : problem});
  }
}

/// The word that is nothing but digits and dots, with at least one dot: "580.159.04".
std::string version_in(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool only_digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (only_digits && word.find('.') != std::string::npos) return word;
  }
  return {};
}

void read_module_version(const std::string& root, Host& host) {
  const std::string path = root + "/proc/driver/nvidia/version";
  const std::string line = line_of(path, host.kernel_module_problem);
  host.kernel_module_version = version_in(line);
  if (!line.empty() && host.kernel_module_version.empty()) host.kernel_module_problem = path + ": no version is in it";
}

}  // namespace

Host read_host(const std::string& root) {
  Host host;
  read_bus(root, host);
  read_device_files(root, host);
  read_libraries(host);
  read_module_version(root, host);
  KernelLog log = read_kernel_log(root);
  host.kernel_events = std::move(log.found.events);
  host.kernel_log_problem = std::move(log.problem);
  host.kernel_log_begin_s = log.found.begin_s;
  host.kernel_log_read_s = log.clock.read_s;
  return host;
}

}  // namespace gpucheck::telemetry
