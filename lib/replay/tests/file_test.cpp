#include "replay/formats/file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "replay/formats/file_error.hpp"
#include "test_files.hpp"

namespace gpucheck::replay {
namespace {

using namespace std::string_literals;

std::string error_text(const std::string& bytes, const ReadLimits& limits = {}) {
  try {
    read_bytes("file", bytes, limits);
  } catch (const FileError& error) {
    return error.what();
  }
  return "nothing was rejected";
}

TEST(File, TellsTracesFromSnapshotsByContent) {
  EXPECT_EQ(std::get<std::vector<Trace>>(read_file(test_file("pytorch_traces.json"))).size(), 3U);
  EXPECT_EQ(std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json"))).segments.size(), 1U);
  EXPECT_EQ(std::get<std::vector<Trace>>(read_bytes("one", R"({"name": "one", "ops": []})")).size(), 1U);
}

TEST(File, TakesABareListOfSegments) {
  const std::string segment = R"({"address": 512, "total_size": 8, "stream": 0, "segment_type": "small",
      "blocks": [{"size": 8, "state": "active_allocated"}]})";
  EXPECT_EQ(std::get<Snapshot>(read_bytes("list", "[" + segment + "]")).segments.at(0).blocks.at(0).address, 512U);
}

TEST(File, SaysWhatAnUnreadableFileIs) {
  EXPECT_EQ(error_text(""), "file: byte 0: the file is empty");
  EXPECT_NE(error_text("PK\x03\x04").find("torch.save"), std::string::npos);
  EXPECT_NE(error_text("\x1f\x8b\x08").find("gzip"), std::string::npos);
  EXPECT_NE(error_text("(lp0\n.").find("protocol 0 or 1"), std::string::npos);
  EXPECT_NE(error_text("hello").find("expected a JSON text"), std::string::npos);
  EXPECT_NE(error_text("   ").find("expected a JSON text"), std::string::npos);
  EXPECT_NE(error_text("{}").find("found neither"), std::string::npos);
  EXPECT_NE(error_text("[]").find("found neither"), std::string::npos);
  EXPECT_NE(error_text("\x80\x02K\x01."s).find("found neither"), std::string::npos);
}

TEST(File, RejectsWhatIsTooLarge) {
  ReadLimits limits;
  limits.file_bytes = 3;
  EXPECT_NE(error_text("[  ]", limits).find("longer than 3 bytes"), std::string::npos);
  EXPECT_THROW(read_file(test_file("pytorch_snapshot.json"), limits), FileError);
}

// From bytes, from a file and from a pipe, which tells its length only at its end.
TEST(File, IsTooLargeExactlyBeyondItsLimit) {
  const std::filesystem::path path = test_file("pytorch_snapshot.json");
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const auto through_a_pipe = [&](const ReadLimits& limits) {
    const std::string pipe = testing::TempDir() + "limit_" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    try {
      read_file(pipe, limits);
    } catch (...) {
      std::filesystem::remove(pipe);
      throw;
    }
    std::filesystem::remove(pipe);
  };
  ReadLimits limits;
  limits.file_bytes = bytes.size();
  EXPECT_NO_THROW(read_bytes("file", bytes, limits));
  EXPECT_NO_THROW(read_file(path, limits));
  EXPECT_NO_THROW(through_a_pipe(limits));
  --limits.file_bytes;
  EXPECT_THROW(read_bytes("file", bytes, limits), FileError);
  EXPECT_THROW(read_file(path, limits), FileError);
  EXPECT_THROW(through_a_pipe(limits), FileError);
}

TEST(File, SaysThatAFileIsMissing) {
  try {
    read_file("no/such/file.json");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/file.json: byte 0: cannot be read: No such file"),
              std::string::npos)
        << error.what();
  }
}

TEST(File, PrintsTextFromAFileSafely) {
  EXPECT_EQ(printable("a\"\n\x1b[31m"), R"("a\x22\x0a\x1b[31m")");
  EXPECT_EQ(printable(std::string(61, 'x')), '"' + std::string(60, 'x') + "\"...");
}

TEST(File, MayBeAPipe) {
  const std::string folder = ::testing::TempDir() + "gpucheck_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(folder.c_str(), 0600), 0);
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_5.pickle"}) {
    std::thread writer([&] {
      std::ifstream source(test_file(name), std::ios::binary);
      std::ofstream(folder, std::ios::binary) << source.rdbuf();
    });
    EXPECT_EQ(std::get<Snapshot>(read_file(folder)).segments.size(), 1U) << name;
    writer.join();
  }
  std::thread writer([&] { std::ofstream(folder, std::ios::binary) << "[    ]"; });
  ReadLimits limits;
  limits.file_bytes = 3;
  EXPECT_THROW(read_file(folder, limits), FileError);
  writer.join();
  ::unlink(folder.c_str());
}

}  // namespace
}  // namespace gpucheck::replay
