#include "support.hpp"

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "report/formats/formats.hpp"

namespace gpucheck::report {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gpucheck_report_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::size_t TemporaryFolder::file_count() const {
  const std::filesystem::directory_iterator files(path_);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

MemoryStream::MemoryStream() : stream_(::open_memstream(&buffer_, &size_)) {
  if (stream_ == nullptr) throw std::runtime_error("cannot open a stream in memory");
}

MemoryStream::~MemoryStream() {
  std::fclose(stream_);
  std::free(buffer_);
}

std::string MemoryStream::text() const {
  std::fflush(stream_);
  return {buffer_, size_};
}

std::unique_ptr<harness::EventSink> make_json(const std::string& path) {
  return open_report(*find_format("json"), path, {});
}

std::unique_ptr<harness::EventSink> make_junit(const std::string& path) {
  return open_report(*find_format("junit"), path, {});
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string data_path(const std::string& name) { return std::string(GPUCHECK_REPORT_TEST_DATA) + "/" + name; }

std::string approved(const std::string& name) { return read_file(data_path(name)); }

std::string schema_complaints(const std::string& path) {
  const std::string command =
      "xmllint --nonet --noout --schema '" + data_path("junit-10.xsd") + "' '" + path + "' 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) output += static_cast<char>(letter);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  constexpr int command_not_found = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == command_not_found) {
    return "xmllint is needed for this test: install the package libxml2-utils";
  }
  return output;
}

}  // namespace gpucheck::report
