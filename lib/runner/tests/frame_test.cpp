#include "runner/process/frame.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace gpucheck::runner {
namespace {

std::vector<std::string> drain(FrameDecoder& decoder) {
  std::vector<std::string> bodies;
  while (auto body = decoder.next()) bodies.push_back(*body);
  return bodies;
}

TEST(Frame, StartsWithTheLengthLeastSignificantByteFirst) {
  EXPECT_EQ(encode_frame("{}"), std::string("\x02\0\0\0{}", 6));
  EXPECT_EQ(encode_frame(std::string(0x12345, '{')).substr(0, 4), std::string("\x45\x23\x01\0", 4));
}

TEST(Frame, ComesBackWhole) {
  FrameDecoder decoder;
  decoder.append(encode_frame("{\"a\": 1}") + encode_frame("{}"));
  EXPECT_EQ(drain(decoder), (std::vector<std::string>{"{\"a\": 1}", "{}"}));
  EXPECT_TRUE(decoder.empty());
}

TEST(Frame, ComesBackFromPiecesOfAnySize) {
  std::mt19937 random(7);
  std::vector<std::string> bodies;
  std::string stream;
  for (int i = 0; i < 300; ++i) {
    bodies.emplace_back(1 + random() % 5000, static_cast<char>('a' + i % 26)).front() = '{';
    stream += encode_frame(bodies.back());
  }
  FrameDecoder decoder;
  std::vector<std::string> received;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = 1 + random() % 3000;
    decoder.append(std::string_view(stream).substr(at, size));
    at += size;
    for (std::string& body : drain(decoder)) received.push_back(std::move(body));
  }
  EXPECT_EQ(received, bodies);
  EXPECT_TRUE(decoder.empty());
}

TEST(Frame, HalfAFrameIsNotYetOne) {
  FrameDecoder decoder;
  for (const char byte : std::string("\x05\0\0\0{abc", 8)) {
    decoder.append({&byte, 1});
    EXPECT_FALSE(decoder.next());
  }
  EXPECT_FALSE(decoder.empty());
  decoder.append("d");
  EXPECT_EQ(decoder.next(), "{abcd");
}

TEST(Frame, RejectsLengthsOutOfBounds) {
  EXPECT_THROW(encode_frame(""), ProtocolError);
  EXPECT_THROW(encode_frame(std::string(max_frame_bytes + 1, '{')), ProtocolError);
  EXPECT_EQ(encode_frame(std::string(max_frame_bytes, '{')).size(), max_frame_bytes + 4);
  for (const std::string& header :
       {std::string("\0\0\0\0", 4), std::string("\xff\xff\xff\xff", 4), std::string("\x01\0\0\x01", 4)}) {
    FrameDecoder decoder;
    decoder.append(header);
    EXPECT_THROW(decoder.next(), ProtocolError);
    EXPECT_THROW(decoder.next(), ProtocolError);
  }
}

TEST(Frame, RejectsGarbageByItsFirstByteWithoutWaitingForTheRest) {
  FrameDecoder decoder;
  decoder.append(std::string("\0\0\x10\0x", 5));
  EXPECT_THROW(decoder.next(), ProtocolError);
}

}  // namespace
}  // namespace gpucheck::runner
