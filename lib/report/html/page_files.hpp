#pragma once

#include <string_view>

/// The files beside this one, as they are.
namespace gpucheck::report {

std::string_view page_css();
std::string_view page_js();

}  // namespace gpucheck::report
