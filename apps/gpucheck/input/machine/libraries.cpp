#include "input/machine/libraries.hpp"

#include <array>
#include <cstddef>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/error.hpp"
#include "base/nvml/nvml_library.hpp"

namespace gpucheck::application {

namespace {

/// A function of the library, or null. The signatures are the vendor's documented ones;
/// no vendor header is needed for them.
template <typename Function>
Function* find_function(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// What a library answered: a version, or why there is none.
struct Answer {
  std::string version;
  std::string problem;
};

Answer missing_function(const char* name) { return {"", fmt::format("it has no function {}", name)}; }
Answer failed(const char* name, int code) { return {"", fmt::format("{} returned {}", name, code)}; }

Answer ask_driver(void* library) {
  auto* const get_version = find_function<int(int*)>(library, "cuDriverGetVersion");
  if (get_version == nullptr) return missing_function("cuDriverGetVersion");
  int version = 0;
  if (const int code = get_version(&version); code != 0) return failed("cuDriverGetVersion", code);
  return {fmt::format("{}.{}", version / 1000, version % 1000 / 10), ""};
}

Answer ask_nvml(void* /*library*/) {
  const char* const function = "nvmlSystemGetDriverVersion";
  try {
    const nvml::Library library;
    std::array<char, 96> text{};
    const nvml::Return code = library.call(function, text.data(), static_cast<unsigned int>(text.size()));
    if (code != nvml::Return::success) return {"", fmt::format("{}: {}", function, library.text(code))};
    return {fmt::format("driver {}", text.data()), ""};
  } catch (const EnvironmentError& error) {
    return {"", error.what()};
  }
}

/// cuBLAS and cuSPARSE answer for one part of the version at a time (libraryPropertyType:
/// 0 major, 1 minor, 2 patch).
Answer ask_property(void* library, const char* name) {
  auto* const get_property = find_function<int(int, int*)>(library, name);
  if (get_property == nullptr) return missing_function(name);
  std::array<int, 3> parts{};
  for (int part = 0; part < 3; ++part) {
    if (const int code = get_property(part, &parts[static_cast<std::size_t>(part)]); code != 0) {
      return failed(name, code);
    }
  }
  return {fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]), ""};
}

Answer ask_cublas(void* library) { return ask_property(library, "cublasGetProperty"); }
Answer ask_cusparse(void* library) { return ask_property(library, "cusparseGetProperty"); }

/// cuDNN 9 and NCCL from 2.9 count major * 10000 + minor * 100 + patch.
std::string from_decimal(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Answer ask_cudnn(void* library) {
  auto* const get_version = find_function<std::size_t()>(library, "cudnnGetVersion");
  if (get_version == nullptr) return missing_function("cudnnGetVersion");
  return {from_decimal(get_version()), ""};
}

Answer ask_nccl(void* library) {
  auto* const get_version = find_function<int(int*)>(library, "ncclGetVersion");
  if (get_version == nullptr) return missing_function("ncclGetVersion");
  int version = 0;
  if (const int code = get_version(&version); code != 0) return failed("ncclGetVersion", code);
  return {from_decimal(static_cast<std::size_t>(version)), ""};
}

struct Library {
  std::string_view name;
  std::array<const char*, 2> file_names;  ///< newest first; null after the last
  Answer (*ask)(void* library);
};

constexpr std::array<Library, 6> library_table{{
    {"CUDA driver", {"libcuda.so.1", nullptr}, ask_driver},
    {"NVML", {"libnvidia-ml.so.1", nullptr}, ask_nvml},
    {"cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, ask_cublas},
    {"cuDNN", {"libcudnn.so.9", nullptr}, ask_cudnn},
    {"cuSPARSE", {"libcusparse.so.12", nullptr}, ask_cusparse},
    {"NCCL", {"libnccl.so.2", nullptr}, ask_nccl},
}};

std::string path_of(void* library, const char* name) {
  link_map* map = nullptr;
  const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0';
  return known ? map->l_name : name;
}

}  // namespace

std::vector<std::string_view> library_names() {
  std::vector<std::string_view> names;
  for (const Library& library : library_table) names.push_back(library.name);
  return names;
}

LibraryReport find_library(std::size_t index) {
  const Library& library = library_table.at(index);
  LibraryReport report{.name = library.name, .path = "", .version = "", .problem = ""};
  for (const char* file_name : library.file_names) {
    if (file_name == nullptr) break;
    // Never closed: vendors' libraries keep memory and exit handlers of their own, which
    // a library that has gone away would leave behind.
    void* const handle = ::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) {
      const Answer answer = library.ask(handle);
      return {library.name, path_of(handle, file_name), answer.version, answer.problem};
    }
    if (report.problem.empty()) report.problem = ::dlerror();
  }
  return report;
}

}  // namespace gpucheck::application
