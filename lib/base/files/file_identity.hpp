#pragma once

#include <string>

namespace gpucheck {

/// The path at the end of `path`'s symbolic links, whether or not there is a file yet: what
/// a writer replaces, so that the links stay. `path` itself where that cannot be known (a
/// loop, a folder that may not be searched, a pipe).
std::string end_of_links(const std::string& path);

/// True when both paths lead to one file, however they are spelled: the same inode or,
/// of files that are not there yet, the same place. "-" is stdout. Devices such as /dev/null
/// keep nothing that could be lost: of them, only one spelling is the same.
bool is_same_file(const std::string& first, const std::string& second);

}  // namespace gpucheck
