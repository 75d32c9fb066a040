#include "base/file.h"
#include "cli/bench/arguments.h"
#include "cli/bench/device.h"
#include "cli/networks/max78.h"
#include "cli/networks/twin_inputs.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "edgetwin/measure.h"
#include "edgetwin/target.h"
#include "report/format.h"
#include "report/measure.h"
#include "targets/max78/page/texts.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"
#include "twin/network_impl.h"

namespace edgetwin::cli {
namespace {

using report::Json;

const std::vector<std::string> kGenerated = {"xs32:1"};

std::string us(double value) { return report::duration_text(value); }

// A network of the MAX7800x on the twin, and the cycles of the chip.
Result<int> bench_max78(const BenchArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Network network, open_for_twin(a.model, a.compute, a.max78, a.inputs));
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  const bool generated = a.inputs.empty() && network.sample() == nullptr;
  EDGETWIN_TRY_ASSIGN(const Inputs inputs,
                      inputs_for_twin(network, *runner, generated ? kGenerated : a.inputs));
  for (const Finding& f : runner->findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const RunTimes t,
                      measure(*runner, inputs.tensors, a.runs, console.progress_sink()));
  const report::Machine machine = report::this_machine();
  console.print("median " + us(t.median) + " of " + std::to_string(a.runs) +
                " runs, measured here\nmin " + us(t.min) + "  p90 " + us(t.p90) + "  max " +
                us(t.max) + "; first run " + us(t.first) + "\nmachine " + machine.cpu + ", " +
                std::to_string(machine.cpus) + " CPUs; " + std::to_string(a.compute.threads) +
                (a.compute.threads == 1 ? " thread" : " threads") + "; numerics " +
                runner->numerics() + "\n\non the chip\n" +
                max78::statistics_text(network.impl().max78->network->plan()));
  Json spread = Json::object();
  spread.set("median", t.median).set("min", t.min).set("p90", t.p90).set("max", t.max);
  Json m = Json::object();
  m.set("cpu", machine.cpu).set("cpus", machine.cpus);
  console.json().set("model", a.model).set("unit", "microseconds").set("machine", std::move(m));
  console.json().set("threads", a.compute.threads).set("numerics", runner->numerics());
  console.json().set("runs", a.runs).set("total", std::move(spread));
  console.json().set("first", t.first).set("each", Json::list(t.runs));
  return kYes;
}

}  // namespace

Result<int> execute(const BenchArguments& a, Console& console) {
  const Result<Bytes> read = read_file(a.model);
  EDGETWIN_TRY_ASSIGN(const bool max78,
                      is_max78_network(read.ok() ? ByteSpan(*read) : ByteSpan(), a.max78, "bench"));
  if (!read.ok()) return read.error();
  const Bytes& data = *read;
  if (max78 && !a.device.device.empty()) {
    return Error(ErrorCode::usage, "--device does not go with a network .yaml");
  }
  if (max78) return bench_max78(a, console);
  if (!a.device.device.empty()) return bench_on_device(a, console);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(data, a.model, twin::load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, a.compute, false));
  EDGETWIN_TRY_ASSIGN(
      const twin::LoadedInputs inputs,
      twin::load_inputs(a.inputs.empty() ? kGenerated : a.inputs, loaded, session, a.compute));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  EDGETWIN_TRY_ASSIGN(const report::Timing timing,
                      report::measure(session, a.runs, console.progress_sink()));
  const report::Machine machine = report::this_machine();
  const std::string isa = twin::used_isa(a.compute);
  console.print(report::timing_text(session, timing, machine, isa));
  if (const Target* chip = find_target(loaded.target);
      loaded.espdl != nullptr && chip != nullptr && lacks(*chip, "estimate").empty()) {
    console.print("these are times of this computer; `edgetwin estimate " + a.model + " --target " +
                  loaded.target + "` says what the chip takes\n");
  }
  console.json().set("model", a.model).merge(report::timing_json(session, timing, machine, isa));
  return kYes;
}

}  // namespace edgetwin::cli
