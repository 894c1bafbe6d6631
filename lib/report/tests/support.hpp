#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/run/events.hpp"

namespace gpucheck::report {

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Names of everything in it.
  [[nodiscard]] std::size_t file_count() const;

 private:
  std::filesystem::path path_;
};

/// A FILE that keeps in memory what is written to it.
class MemoryStream {
 public:
  MemoryStream();
  MemoryStream(const MemoryStream&) = delete;
  MemoryStream& operator=(const MemoryStream&) = delete;
  ~MemoryStream();

  [[nodiscard]] std::FILE* get() const { return stream_; }
  [[nodiscard]] std::string text() const;

 private:
  char* buffer_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_ = nullptr;
};

/// What writes a run as JSON or JUnit XML to this file.
std::unique_ptr<harness::EventSink> make_json(const std::string& path);
std::unique_ptr<harness::EventSink> make_junit(const std::string& path);

std::string read_file(const std::string& path);
/// Content of a file of tests/data.
std::string approved(const std::string& name);
std::string data_path(const std::string& name);

/// What xmllint says about the file by junit-10.xsd: empty when it is valid. Its
/// absence is reported as a reason, so that a test that needs it fails.
std::string schema_complaints(const std::string& path);

}  // namespace gpucheck::report
