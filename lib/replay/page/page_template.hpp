#pragma once

#include <string_view>

/// The page's parts as they stand beside this header, built in (page_template.cpp is
/// made by the build).
namespace gpucheck::replay {

std::string_view page_html();
std::string_view page_css();
std::string_view page_js();

}  // namespace gpucheck::replay
