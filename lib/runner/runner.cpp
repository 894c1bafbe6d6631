#include "runner/runner.hpp"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "runner/start_answers.hpp"
#include "runner/supervisor.hpp"

namespace gpucheck::runner {

RunSummary run(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
               std::span<harness::EventSink* const> sinks) {
  return Supervisor(plan, goldens, options, sinks).run();
}

std::vector<harness::DeviceIdentity> identify_devices(const Options& options) {
  boost::asio::io_context context(1);
  WorkerProcess worker(context, options.program, [] {});
  RequestEnd end;
  worker.request(IdentifyRequest{.device = options.settings.device, .seed = options.settings.seed}, options.start_limit,
                 [&](RequestEnd how) {
                   end = std::move(how);
                   worker.retire();
                 });
  context.run();
  return identity_from(std::move(end), options).devices;
}

}  // namespace gpucheck::runner
