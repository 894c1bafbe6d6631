#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/context.hpp"
#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {

/// The command line, after the program's name, that `hidden_command` reads back.
std::vector<std::string> child_arguments(const ChildRequest& request);

/// Starts children of one running case as further processes of this program, in the
/// worker's process group, so that whoever kills the worker kills them too. Used by one
/// thread at a time.
class ProcessLauncher final : public harness::ChildLauncher {
 public:
  /// @param request what all children have in common; the child's name is filled in.
  explicit ProcessLauncher(ChildRequest request) : request_(std::move(request)) {}

  /// @throws EnvironmentError when a child cannot be started; those already started are
  /// killed.
  std::vector<harness::ChildResult> run(const harness::Case& test_case, const std::vector<std::string>& names,
                                        std::chrono::milliseconds limit) override;
  /// See program/program.hpp.
  harness::ProgramEnd run_program(const harness::ProgramStart& start,
                                  const std::function<void(std::string_view)>& take) override;

 private:
  ChildRequest request_;
};

}  // namespace gpucheck::runner
