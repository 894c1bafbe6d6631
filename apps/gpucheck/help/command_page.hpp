#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "help/topic.hpp"

namespace gpucheck::application {

/// gpucheck(1): every command with its options, as their --help has them, and the topics.
std::string command_page(const CLI::App& application, std::string_view version, std::span<const Topic> topics);

}  // namespace gpucheck::application
