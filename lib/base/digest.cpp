#include "base/digest.hpp"

#include <array>
#include <fmt/format.h>
#include <sodium.h>

namespace gpucheck {

struct Sha256::State {
  crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { crypto_hash_sha256_init(&state_->hash); }
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  // The only way to view characters as bytes.
  crypto_hash_sha256_update(&state_->hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string Sha256::take() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state_->hash, digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.take();
}

}  // namespace gpucheck
