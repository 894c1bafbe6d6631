#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/rendezvous/rendezvous.hpp"

/// What processes and the server say to each other: JSON texts, each after its length. A process says
/// ["hello", job] first, then ["put", name, text], which the server answers with `is_new` or `is_known`, or
/// ["get", name], which it answers with the text.
namespace gpucheck::harness::frames {

using Length = std::array<unsigned char, 4>;  ///< the most significant byte first

/// A text in its longest form as JSON, with what stands around it.
inline constexpr std::size_t max_bytes = 6 * max_rendezvous_bytes + 4096;
/// The same of somebody who has not said the job yet.
inline constexpr std::size_t max_stranger_bytes = 4096;

inline constexpr const char* is_new = "new";
inline constexpr const char* is_known = "known";

inline std::string framed(const nlohmann::json& message) {
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(text.size() >> shift & 0xFFU);
  return frame + text;
}

inline std::size_t length_of(const Length& bytes) {
  std::size_t length = 0;
  for (const unsigned char byte : bytes) length = length << 8U | byte;
  return length;
}

/// The words of a message; empty for what is not an array of texts.
inline std::vector<std::string> words_of(const std::string& text) {
  const nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> words;
  if (!message.is_array()) return words;
  for (const nlohmann::json& word : message) {
    if (!word.is_string()) return {};
    words.push_back(word.get<std::string>());
  }
  return words;
}

}  // namespace gpucheck::harness::frames
