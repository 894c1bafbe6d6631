#include "replay/formats/file.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/tests/test_files.hpp"

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

TEST(File, NamesWhatPeopleHaveInPlaceOfASnapshot) {
  const auto expect_named = [](const std::string& bytes, const char* name) {
    EXPECT_NE(error_text(bytes).find(name), std::string::npos) << error_text(bytes);
  };
  expect_named("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "git lfs pull");
  expect_named("<!DOCTYPE html>\n<html><head>", "HTML");
  expect_named("\xef\xbb\xbf  \n<HTML lang=\"en\">", "HTML");
  expect_named("<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>", "XML");
  expect_named("SQLite format 3\0\x10\0"s, "SQLite");
  expect_named(
      "\xfd"
      "7zXZ\0\0"s,
      "xz");
  expect_named("BZh91AY&SY", "bzip2");
  expect_named("\x28\xb5\x2f\xfd\x04", "zstd");
  expect_named("\x04\x22\x4d\x18", "lz4");
  expect_named("7z\xbc\xaf\x27\x1c", "7z");
  expect_named("\xff\xfe{\0\"\0"s, "UTF-16");
  expect_named(std::string(257, 'n') + "ustar\0"s, "tar");
  expect_named(R"({"schemaVersion": 1, "traceEvents": [{"ph": "X"}]})", "profiler");
}

TEST(File, RejectsSeveralSnapshotsInOneFile) {
  const std::string snapshot = R"({"segments": [], "device_traces": [[]]})";
  for (const std::string& bytes : {"[" + snapshot + "," + snapshot + "]", R"({"rank 0": )" + snapshot + "}",
                                   R"({"when": 1, "ranks": 2, "0": )" + snapshot + "}"}) {
    EXPECT_NE(error_text(bytes).find("several memory snapshots"), std::string::npos) << error_text(bytes);
  }
  // The same list as a pickle.
  const std::string pickled =
      "\x80\x02](}(\x8c\x08segments]\x8c\x0d"
      "device_traces]u}(\x8c\x08segments]ue."s;
  EXPECT_NE(error_text(pickled).find("several memory snapshots"), std::string::npos) << error_text(pickled);
}

TEST(File, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(std::get<std::vector<Trace>>(read_bytes("one", "\xef\xbb\xbf{\"name\": \"one\", \"ops\": []}")).size(), 1U);
}

// Whatever stands in place of a snapshot is left when its start says that it is none.
TEST(File, ThatNeverEndsIsLeft) {
  try {
    read_file("/dev/zero");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/zero: byte 0: expected a JSON text"), std::string::npos);
  }
  const std::string pipe = testing::TempDir() + "endless_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    ::signal(SIGPIPE, SIG_IGN);
    std::ofstream stream(pipe);
    while (stream << "[[[[[[[[") {
    }
  });
  ReadLimits limits;
  limits.stream_bytes = 1U << 20U;
  try {
    read_file(pipe, limits);
    ADD_FAILURE() << "nothing was rejected";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("longer than 1048576 bytes"), std::string::npos) << error.what();
  }
  writer.join();
  ::unlink(pipe.c_str());
}

TEST(File, RejectsWhatIsTooLarge) {
  ReadLimits limits;
  limits.file_bytes = 3;
  EXPECT_NE(error_text("[  ]", limits).find("longer than 3 bytes"), std::string::npos);
  EXPECT_THROW(read_file(test_file("pytorch_snapshot.json"), limits), FileError);
}

// From bytes, from a file and from a pipe, which says its length only at its end.
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
