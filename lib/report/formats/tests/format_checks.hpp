#pragma once

#include <string>

/// What a reader of each format would find wrong with a document; empty when nothing is.
namespace gpucheck::report {

std::string ctrf_complaints(const std::string& document);
std::string github_complaints(const std::string& document);
std::string markdown_complaints(const std::string& document);
/// That it is well formed, stands alone, leads nowhere else, and that its links and the cells of its tables fit.
std::string html_complaints(const std::string& document);
std::string prometheus_complaints(const std::string& document);

}  // namespace gpucheck::report
