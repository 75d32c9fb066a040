#include <chrono>

#include "cli/bench/device.h"

#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "report/measure.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json estimate(twin::DeviceRun& run, int runs, Console& console) {
  const edgetpu::StickTime& t = run.bus.virtual_bus->stick().time();
  const double total = static_cast<double>(t.total()) / 1000.0 / runs;
  const double compute = static_cast<double>(t.compute_ns) / 1000.0 / runs;
  console.print("a real stick would likely need " + report::duration_text(total) +
                " (estimate), of which the chip computes " + report::duration_text(compute) + "\n");
  Json j = Json::object();
  j.set("total_us", total).set("compute_us", compute);
  return j.set("transfer_us", total - compute);
}

}  // namespace

Result<int> bench_on_device(const BenchArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_reference(a.device));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  const std::vector<std::string> any_input = {"xs32:1"};
  EDGETWIN_TRY_ASSIGN(twin::DeviceRun run,
                      twin::open_device_run(data, a.model, a.inputs.empty() ? any_input : a.inputs,
                                            a.compute, a.device));
  const auto once = [&run]() -> Result<double> {
    const auto start = std::chrono::steady_clock::now();
    EDGETWIN_TRY(run.run());
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
    return us.count();
  };
  EDGETWIN_TRY_ASSIGN(const double first, once());
  if (run.bus.virtual_bus != nullptr) run.bus.virtual_bus->stick().reset_time();
  std::vector<double> times;
  for (int i = 0; i < a.runs; ++i) {
    EDGETWIN_TRY_ASSIGN(const double us, once());
    times.push_back(us);
    console.progress(static_cast<double>(i + 1) / a.runs, "inference");
  }
  const report::Spread s = report::spread(times);
  show_device_findings(run, console);
  console.print("median " + report::duration_text(s.median) + " per inference on " +
                twin::device_text(run) + "\n");
  console.print("min " + report::duration_text(s.min) + ", p90 " + report::duration_text(s.p90) +
                ", max " + report::duration_text(s.max) + ", " + std::to_string(a.runs) +
                " runs; first run with its weights " + report::duration_text(first) + "\n");
  Json j = Json::object();
  j.set("median_us", s.median).set("min_us", s.min).set("p90_us", s.p90).set("max_us", s.max);
  j.set("first_us", first).set("runs", a.runs);
  console.json().set("model", a.model).set("device", run.bus.transport->name());
  console.json().set("inference", std::move(j));
  if (run.bus.virtual_bus != nullptr)
    console.json().set("estimate", estimate(run, a.runs, console));
  return kYes;
}

}  // namespace edgetwin::cli
