// `quantize` of float networks to full-integer int8 for TensorFlow Lite and the Edge TPU's
// compiler.
#include "cli/quantize/quantize.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/check.h"
#include "report/model/diff_report.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

// What the chip's compiler will make of the new network.
Status show_outlook(const QuantizeArguments& a, ByteSpan file, Console& console) {
  OpenOptions options;
  options.target = targets::name(targets::Id::edgetpu);
  EDGETWIN_TRY_ASSIGN(const std::vector<TargetCheck> checks, check(file, a.output.path, options));
  const TargetCheck& c = checks.front();
  summary(to_text(*c.outlook), console);
  console.json().set("on_chip", c.outlook->on_chip);
  return Ok{};
}

}  // namespace

Result<int> quantize_for_tflite(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const twin::QuantizeRun run, run_of(a, console));
  EDGETWIN_TRY_ASSIGN(const twin::TfliteQuantization q, twin::quantize_for_tflite(run));
  EDGETWIN_TRY(a.output.write(q.file));
  summary("wrote " + a.output.path + ": int8, " + std::to_string(q.operators) + " operators, " +
              std::to_string(q.samples) + " samples\n",
          console);
  // How far the integers are from the float network, on one sample.
  for (const auto& o : q.outputs) {
    summary("  output '" + o.name + "': signal to noise " + report::ratio_text(o.diff) + "\n",
            console);
  }
  console.json().set("output", a.output.path).set("operators", q.operators);
  if (targets::find_id(run.options.target) == targets::Id::edgetpu)
    EDGETWIN_TRY(show_outlook(a, q.file, console));
  return kYes;
}

}  // namespace edgetwin::cli
