#pragma once

#include <memory>
#include <string>

#include "harness/rendezvous/rendezvous.hpp"

namespace gpucheck::harness {

/// A file for each text, which appears whole; the folder is made when a text is left. A file system that remembers for
/// a while that a file is absent, as NFS does, delays it.
std::unique_ptr<Rendezvous> make_folder_rendezvous(std::string folder);

}  // namespace gpucheck::harness
