#include "runner/runner.hpp"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "runner/supervision/run_ledger.hpp"
#include "runner/supervision/start_answers.hpp"
#include "runner/supervision/supervisor.hpp"

namespace gpucheck::runner {

RunSummary run(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
               std::span<harness::EventSink* const> sinks) {
  return Supervisor(plan, goldens, options, sinks).run();
}

RunSummary run_nothing(const Options& options, std::span<harness::EventSink* const> sinks) {
  RunLedger ledger(options, sinks);
  ledger.begin({}, 0, {}, 1);
  ledger.end(0, 0, {});
  return ledger.take_summary();
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
  return identity_from(std::move(end), options, options.start_limit).devices;
}

}  // namespace gpucheck::runner
