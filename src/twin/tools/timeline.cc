#include "edgetwin/timeline.h"

#include <algorithm>

#include "base/file.h"
#include "base/rng.h"
#include "formats/darwinn/darwinn.h"
#include "plot/drawing.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/interleaved.h"
#include "targets/edgetpu/sync/rules.h"
#include "targets/edgetpu/sync/sync.h"
#include "targets/edgetpu/timed/timeline.h"

namespace edgetwin {
namespace {

using edgetpu::sync::errors_in;
using edgetpu::sync::SyncMachine;
using edgetpu::sync::SyncOptions;
using edgetpu::sync::SyncReport;

constexpr double kStepsPerMicrosecond = edgetpu::sync::kStepsPerMillisecond / 1000.0;

double microseconds(int64_t steps) { return static_cast<double>(steps) / kStepsPerMicrosecond; }

std::vector<Bytes> generated(const darwinn::Executable& program, uint32_t seed) {
  XorShift32 random(seed);
  std::vector<Bytes> inputs;
  for (const darwinn::Layer& layer : program.inputs) {
    Bytes bytes(static_cast<size_t>(std::max(layer.size_bytes, 0)));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

// One program with its inputs, and what it gives in its own order.
struct Subject {
  const darwinn::Package& package;
  std::string name;
  std::vector<ByteSpan> inputs;
  std::vector<Bytes> expected;
};

struct OneRun {
  SyncReport report;
  std::vector<Finding> findings;
  bool same = false;
};

Result<OneRun> run_once(const Subject& s, const SyncOptions& options) {
  EDGETWIN_TRY_ASSIGN(SyncMachine machine, SyncMachine::make(s.package, options));
  OneRun run;
  run.findings = findings_of(machine.caching(), s.name);
  if (machine.caching().standstill) return run;
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> outputs, machine.run(s.inputs));
  const std::vector<Finding> more = findings_of(machine.report(), s.name);
  run.findings.insert(run.findings.end(), more.begin(), more.end());
  run.report = machine.report();
  run.same = !run.report.standstill && outputs == s.expected;
  return run;
}

// All orders; the findings are those of the first run that has any.
struct AllRuns {
  OneRun first;
  std::vector<Finding> findings;
  size_t different = 0;
  bool good() const { return errors_in(findings) == 0 && different == 0; }
};

Result<AllRuns> run_orders(const Subject& s, const TimelineOptions& o, bool true_words) {
  SyncOptions options;
  options.races = o.races;
  options.timeline = true;
  options.exact_lines = true_words;
  AllRuns all;
  EDGETWIN_TRY_ASSIGN(all.first, run_once(s, options));
  all.findings = all.first.findings;
  all.different = all.first.same ? 0U : 1U;
  options.timeline = false;
  for (const uint64_t seed : o.orders) {
    options.seed = seed;
    EDGETWIN_TRY_ASSIGN(const OneRun run, run_once(s, options));
    const bool worse = errors_in(all.findings) == 0 && errors_in(run.findings) != 0;
    if (all.findings.empty() || worse) all.findings = run.findings;
    all.different += run.same ? 0U : 1U;
  }
  return all;
}

std::vector<LayerOnChip> layers_of(const edgetpu::timed::Timeline& t) {
  std::vector<LayerOnChip> layers;
  for (const edgetpu::timed::LayerTime& l : t.layers) {
    LayerOnChip layer{.instructions = l.instructions,
                      .begin = microseconds(l.begin),
                      .end = microseconds(l.end),
                      .engine = "",
                      .busy = 0,
                      .waiting = 0};
    const auto* most =
        std::max_element(std::begin(l.engine), std::end(l.engine),
                         [](const auto& a, const auto& b) { return a.busy < b.busy; });
    layer.engine = name(static_cast<edgetpu::timed::EngineKind>(most - std::begin(l.engine)));
    layer.busy = microseconds(most->busy);
    layer.waiting = microseconds(most->waiting);
    layers.push_back(std::move(layer));
  }
  return layers;
}

Result<ProgramTimeline> timeline_of(const Subject& s, const TimelineOptions& o) {
  EDGETWIN_TRY_ASSIGN(AllRuns runs, run_orders(s, o, false));
  ProgramTimeline t;
  t.findings = runs.findings;
  t.different = runs.different;
  if (!runs.good() && !runs.first.report.standstill) {
    EDGETWIN_TRY_ASSIGN(const AllRuns exact, run_orders(s, o, true));
    t.short_lines = exact.good();
    if (t.short_lines) {
      t.findings = exact.findings;
      t.findings.push_back(
          edgetpu::sync::short_lines_note(s.name, errors_in(runs.findings), runs.different));
      t.different = 0;
    }
  }
  const std::string_view same_bytes = info(edgetpu::sync::Rule::same_bytes).id;
  t.same_bytes = static_cast<size_t>(
      std::ranges::count_if(t.findings, [&](const Finding& f) { return f.id == same_bytes; }));
  const SyncReport& report = runs.first.report;
  const edgetpu::timed::Timeline times = edgetpu::timed::timeline_of(report);
  t.name = s.name;
  t.time = microseconds(times.steps);
  t.layers = layers_of(times);
  t.orders = 1 + o.orders.size();
  t.checked = report.checked.reads + report.checked.writes;
  t.json = edgetpu::timed::to_json(times).text();
  t.trace = edgetpu::timed::chrome_trace(report).text();
  EDGETWIN_TRY_ASSIGN(t.picture, plot::to_png(edgetpu::timed::lanes(report, o.tile)));
  return t;
}

}  // namespace

bool ProgramTimeline::good() const { return different == 0 && errors_in(findings) == 0; }

Result<std::vector<ProgramTimeline>> timeline(const std::string& compiled,
                                              const TimelineOptions& options,
                                              const ProgressSink& progress) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(compiled));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, compiled));
  std::vector<ProgramTimeline> all;
  for (size_t i = 0; i < file.ops.size(); ++i) {
    if (progress) progress(static_cast<double>(i) / static_cast<double>(file.ops.size()), "");
    for (const darwinn::Package& package : file.ops[i].packages) {
      const darwinn::Executable* program = package.inference();
      if (program == nullptr) continue;
      const std::vector<Bytes> inputs = generated(*program, options.data);
      Subject s{package, "operator " + std::to_string(i), {inputs.begin(), inputs.end()}, {}};
      EDGETWIN_TRY_ASSIGN(auto machine, edgetpu::machine::Machine::make(package));
      EDGETWIN_TRY_ASSIGN(s.expected, machine.run(s.inputs));
      EDGETWIN_TRY_ASSIGN(ProgramTimeline t, timeline_of(s, options));
      all.push_back(std::move(t));
    }
  }
  if (!all.empty()) return all;
  return Error(ErrorCode::edgetpu_no_program, "the file has no program for inferences")
      .in_file(compiled);
}

}  // namespace edgetwin
