#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "input/environment.hpp"

namespace gpucheck::application {

/// A word that may stand at the end of a command line.
struct Completion {
  std::string word;         ///< what is typed so far and what follows
  std::string description;  ///< in one line; empty where there is nothing to say
};

/// What may follow, in alphabetical order: commands, options, cases, groups, and values of options as far as they are
/// known. Nothing where a file is meant: shells know those.
/// @param words behind the program's name, the last one as far as it is typed. None: as one that is empty.
std::vector<Completion> completions(const CLI::App& application, const Environment& environment,
                                    std::vector<std::string> words);

}  // namespace gpucheck::application
