#include "cli/run/as_quantized.h"

#include <algorithm>

#include "base/file.h"
#include "cli/shared/open_arguments.h"
#include "report/model/diff_report.h"
#include "tensor/npy.h"
#include "twin/network_impl.h"
#include "verify/compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;

bool differs(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::add && op.kind != OpKind::sub) return false;
  const Quant& out = graph.value(op.outputs[0]).quant;
  if (!out.present()) return false;  // float32
  return std::ranges::any_of(
      op.inputs, [&](ValueId id) { return id != kAbsent && !(graph.value(id).quant == out); });
}

int64_t unequal_additions(const Graph& graph) {
  return std::ranges::count_if(graph.ops, [&](const Op& op) { return differs(graph, op); });
}

}  // namespace

Status show_as_quantized(const RunArguments& a, const Network& network, const Inputs& inputs,
                         const Run& chip, AtomicFolder* folder, Console& console) {
  const int64_t count = unequal_additions(*network.impl().loaded->graph());
  if (count == 0) {
    return Error(ErrorCode::usage,
                 "--as-quantized changes nothing: the exponents of every Add and "
                 "Sub are those of its output")
        .in_file(a.model)
        .with_hint("Leave --as-quantized out.");
  }
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  how.real_additions = true;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  EDGETWIN_TRY(runner->reset());
  EDGETWIN_TRY_ASSIGN(const Run meant, runner->run(inputs.tensors));
  console.print("as quantized: " + std::to_string(count) +
                (count == 1 ? " addition" : " additions") +
                " in real numbers, which the runtime adds as integers of other scales\n");
  Json list = Json::array();
  for (size_t i = 0; i < meant.outputs.size(); ++i) {
    const verify::TensorDiff d = verify::compare(meant.outputs[i], chip.outputs[i]);
    console.print("  output " + std::to_string(i) + ": the chip differs in " +
                  std::to_string(d.different) + " of " + std::to_string(d.elements) + ", " +
                  report::ratio_text(d) + "\n");
    list.push(report::to_json(d));
    if (folder == nullptr) continue;
    EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(meant.outputs[i]));
    EDGETWIN_TRY(folder->write("as_quantized_" + std::to_string(i) + ".npy", npy));
  }
  console.json().set("as_quantized", std::move(list)).set("unequal_additions", count);
  return Ok{};
}

}  // namespace edgetwin::cli
