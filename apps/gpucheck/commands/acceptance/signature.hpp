#pragma once

#include <string>

namespace gpucheck::application {

/// What ssh-keygen says of a signature.
struct SignatureCheck {
  bool is_good = false;
  std::string signer;  ///< as the file of allowed signers names whoever it is
  std::string reason;  ///< why it is not good, in ssh-keygen's words
  std::string digest;  ///< SHA-256 of the bytes that were signed
};

/// The namespace of signatures of bundles: one that was made for something else does not count.
inline constexpr const char* signature_namespace = "gpucheck";

/// Has ssh-keygen (OpenSSH 8.2 or newer) check a detached signature.
/// @throws EnvironmentError where there is no ssh-keygen, or a file cannot be read.
SignatureCheck check_signature(const std::string& path, const std::string& signature_path,
                               const std::string& allowed_signers_path);

}  // namespace gpucheck::application
