// A checkpoint for the MAX78000 or MAX78002.
#include "cli/quantize/quantize.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/quantize.h"
#include "report/format.h"

namespace edgetwin::cli {

Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console) {
  CheckpointOptions options;
  options.target = a.target;
  options.description = a.network;
  options.method = a.clip_method;
  options.scale = a.scale;
  options.deviations = a.stddev;
  if (a.bits != 0) options.bits = a.bits;
  options.bn_epsilon = a.bn_epsilon;
  options.upstream_bugs = a.upstream_bugs;
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const QuantizedCheckpoint made,
                      edgetwin::quantize_checkpoint(a.checkpoint, options));
  int exit_code = kYes;
  for (const Finding& f : made.findings) {
    exit_code = console.error(error_of(f, ErrorCode::ai8x_quantize));
  }
  if (!made.fits()) return exit_code;
  report::TextTable table({{"weights"}, {"bits", report::TextTable::Align::right}, {"shift"}});
  for (const QuantizedWeights& l : made.layers) {
    table.add({l.name, std::to_string(l.bits), l.shift ? std::to_string(*l.shift) : "as stored"});
  }
  EDGETWIN_TRY(a.output.write(made.file));
  summary(table.text() + "wrote " + a.output.path + "\n", console);
  console.json().set("output", a.output.path).set("layers", made.layers.size());
  return kYes;
}

}  // namespace edgetwin::cli
