#include "runtime/settings/settings_tokens.hpp"

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "runtime/settings/settings_error.hpp"

namespace gpucheck::runtime::detail {

SettingsTokens::SettingsTokens(std::string_view text) {
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) tokens_.push_back(std::exchange(word, {}));
  };
  for (const char c : text) {
    if (std::string_view(",:[]").find(c) != std::string_view::npos) {
      finish_word();
      tokens_.emplace_back(1, c);
    } else if (std::string_view(" \t\n\r\f\v").find(c) == std::string_view::npos) {
      word += c;
    }
  }
  finish_word();
}

const std::string& SettingsTokens::peek() const {
  if (at_end()) throw SettingsError("Index out of bounds in ConfigTokenizer");
  return tokens_[position_];
}

const std::string& SettingsTokens::next() {
  const std::string& token = peek();
  ++position_;
  return token;
}

bool SettingsTokens::next_bool() {
  const std::string& token = next();
  if (token == "True") return true;
  if (token == "False") return false;
  throw SettingsError(
      fmt::format("Expected 'True' or 'False' at index {} in ConfigTokenizer but got '{}'", position_ - 1, token));
}

std::uint64_t SettingsTokens::next_integer() { return to_integer(next()); }

double SettingsTokens::next_double() {
  try {
    return std::stod(next());
  } catch (const std::logic_error& error) {  // names the function, as PyTorch's text does
    throw SettingsError(error.what());
  }
}

std::uint64_t to_integer(const std::string& token) {
  try {
    return std::stoull(token);
  } catch (const std::logic_error& error) {
    throw SettingsError(error.what());
  }
}

}  // namespace gpucheck::runtime::detail
