#include "telemetry/network/network_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "telemetry/network/file_view.hpp"
#include "telemetry/network/port_counters.hpp"

namespace gpucheck::telemetry {
namespace {

namespace files = std::filesystem;
using Names = std::vector<std::string>;

/// The first line of a file. Every file that is read here ends its lines: one that does not was cut short.
/// @return false where there is no such file.
bool read_line(const std::string& path, FileState& state) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::array<char, 4096> buffer{};
  const ssize_t length = descriptor < 0 ? -1 : ::read(descriptor, buffer.data(), buffer.size());
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (length < 0) {
    if (error == ENOENT) return false;
    state.problem = std::strerror(error);
    return true;
  }
  const std::string_view read(buffer.data(), static_cast<std::size_t>(length));
  const std::size_t end = read.find('\n');
  if (read.empty()) {
    state.problem = "it is empty";
  } else if (end == read.npos) {
    state.problem = "it is torn: its line has no end";
  } else {
    state.text = read.substr(0, end);
  }
  return true;
}

class NetworkReader {
 public:
  explicit NetworkReader(std::string root) : root_(std::move(root)) {}

  NetworkFiles read() {
    for (const std::string& name : names_in(adapters_folder)) read_adapter(name);
    for (const std::string& address : names_in(bus_folder)) read_pci_device(address);
    for (const char* const module : {"/sys/module/nvidia_peermem", "/sys/module/nv_peer_mem"}) {
      if (exists(module)) found_.files[module].text = "loaded";
    }
    take("/proc", {"driver/nvidia/version", "sys/kernel/osrelease", "uptime"});
    if (const auto list = found_.files.find(adapters_folder); list != found_.files.end()) {
      found_.problem = adapters_folder + ": " + list->second.problem;
      found_.failed = true;
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool exists(const std::string& path) const {
    std::error_code problem;
    return files::exists(root_ + path, problem);
  }

  void take(const std::string& folder, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      std::string path = folder;
      path.append("/").append(name);
      FileState state;
      if (read_line(root_ + path, state)) found_.files[path] = std::move(state);
    }
  }

  /// Where the link leads in the tree of devices.
  void take_device(const std::string& path) {
    std::error_code problem;
    const std::string device = files::canonical(root_ + path, problem).string();
    if (problem == std::errc::no_such_file_or_directory) return;
    FileState& state = found_.files[path];
    constexpr std::string_view tree = "/sys/devices/";
    const std::size_t at = device.find(tree);
    if (problem) {
      state.problem = problem.message();
    } else {
      state.text = at == device.npos ? device : device.substr(at + tree.size());
    }
  }

  /// The names of what is in a folder, in their order; none where it does not exist.
  Names names_in(const std::string& path) {
    Names names;
    std::error_code problem;
    for (files::directory_iterator entry(root_ + path, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      names.push_back(entry->path().filename());
    }
    if (problem && problem != std::errc::no_such_file_or_directory) found_.files[path].problem = problem.message();
    std::ranges::sort(names);
    return names;
  }

  void read_adapter(const std::string& name) {
    const std::string folder = adapters_folder + "/" + name;
    take(folder, {"node_type", "fw_ver", "board_id", "hca_type"});
    take_device(folder + "/device");
    take_device(folder + "/device/physfn");
    take(folder + "/device", {"numa_node", "current_link_speed", "current_link_width", "max_link_speed",
                              "max_link_width", "../max_link_speed", "../max_link_width"});
    Names interfaces = names_in(folder + "/device/net");
    for (const std::string& each : interfaces) found_.files[folder + "/device/net/" + each].text = each;
    for (const std::string& port : names_in(folder + "/ports")) read_port(folder + "/ports/" + port, interfaces);
    for (const std::string& each : interfaces) read_interface(each);
    if (!exists(folder)) found_.files[folder].problem = "the adapter was taken away while it was read";
  }

  /// @param interfaces gets those that the port's addresses name, too: that of a bond is not the adapter's own.
  void read_port(const std::string& folder, Names& interfaces) {
    take(folder, {"state", "phys_state", "rate", "link_layer", "lid"});
    for (const PortCounter& counter : port_counters) {
      if (!counter.is_of_interface) take(folder, {counter.path});
    }
    // The first addresses are the port's own; an unused place in the table cannot be read.
    for (int place = 0; place < 8; ++place) {
      for (const char* const table : {"/gid_attrs/ndevs/", "/gid_attrs/types/"}) {
        const std::string path = folder + table + std::to_string(place);
        FileState state;
        if (!read_line(root_ + path, state) || !state.problem.empty()) continue;
        if (std::string_view(table).find("ndevs") != std::string_view::npos &&
            std::ranges::find(interfaces, state.text) == interfaces.end()) {
          interfaces.push_back(state.text);
        }
        found_.files[path] = std::move(state);
      }
    }
  }

  void read_interface(const std::string& name) {
    const std::string folder = interfaces_folder + "/" + name;
    take(folder, {"carrier", "operstate", "speed", "mtu", "dev_port"});
    for (const PortCounter& counter : port_counters) {
      if (counter.is_of_interface) take(folder, {counter.path});
    }
  }

  /// GPUs of NVIDIA's, and controllers of InfiniBand (base class 2, sub-class 7 of the PCI code assignments).
  void read_pci_device(const std::string& address) {
    const std::string folder = bus_folder + "/" + address;
    FileState kind;
    FileState vendor;
    static_cast<void>(read_line(root_ + folder + "/class", kind));
    static_cast<void>(read_line(root_ + folder + "/vendor", vendor));
    const bool is_gpu = kind.text.starts_with("0x03") && vendor.text == "0x10de";
    if (!is_gpu && !kind.text.starts_with("0x0207")) return;
    take(folder, {"class", "numa_node"});
    take_device(folder);
    std::error_code problem;
    const files::path driver = files::read_symlink(root_ + folder + "/driver", problem);
    if (!problem) found_.files[folder + "/driver"].text = driver.filename();
  }

  std::string root_;
  NetworkFiles found_;
};

}  // namespace

NetworkFiles read_network_files(const std::string& root) { return NetworkReader(root).read(); }

}  // namespace gpucheck::telemetry
