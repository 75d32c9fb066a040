#include "cli/verify/numerics.h"

#include <algorithm>

#include "report/format.h"
#include "twin/compute.h"
#include "verify/compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

Json diff_json(const std::string& layer, const verify::TensorDiff& d) {
  Json j = Json::object();
  j.set("layer", layer).set("tensor", d.name).set("elements", d.elements);
  j.set("different", d.different).set("largest", d.largest);
  if (d.first_index >= 0) {
    j.set("first", d.first_position).set("first_a", d.first_a).set("first_b", d.first_b);
  }
  return j;
}

// Both sessions after a run, operator by operator.
struct Comparison {
  const exec::Session& a;
  const exec::Session& b;
  VerifyReport& results;
  size_t compared = 0, different = 0;

  void run() {
    TextTable table({{"different", TextTable::Align::right},
                     {"of", TextTable::Align::right},
                     {"largest", TextTable::Align::right},
                     {"layer"}});
    Json rows = Json::array();
    const Graph& graph = a.graph();
    for (size_t i = 0; i < graph.ops.size(); ++i) {
      for (const ValueId id : graph.ops[i].outputs) {
        const verify::TensorDiff d = verify::compare(a.tensor(id), b.tensor(id));
        ++compared;
        if (d.equal()) continue;
        ++different;
        const std::string label = op_label(graph, i);
        const std::string largest = report::real_text(static_cast<float>(d.largest));
        results.only_on_page({false, "different", label,
                              std::to_string(d.different) + " of " + std::to_string(d.elements) +
                                  " elements, by up to " + largest});
        table.add({std::to_string(d.different), std::to_string(d.elements), largest, label});
        rows.push(diff_json(label, d));
      }
    }
    if (different > 0) results.console().print(table.text(2));
    results.console().json().set("layers", std::move(rows)).set("compared", compared);
  }

  bool outputs_equal() const {
    return std::all_of(a.graph().outputs.begin(), a.graph().outputs.end(), [this](ValueId id) {
      return verify::compare(a.tensor(id), b.tensor(id)).equal();
    });
  }
};

}  // namespace

Result<bool> verify_numerics(const twin::LoadedModel& loaded, const VerifyArguments& a,
                             VerifyReport& results) {
  Console& console = results.console();
  ComputeArguments first = a.compute, second = a.compute;
  first.numerics = "tflite";
  if (second.numerics.empty()) second.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(exec::Session x, twin::plan(loaded, first, true));
  EDGETWIN_TRY_ASSIGN(exec::Session y, twin::plan(loaded, second, true));
  for (const Finding& f : y.findings()) results.finding(f);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedInputs inputs,
                      twin::load_inputs(a.inputs, loaded, x, first));
  for (exec::Session* s : {&x, &y}) {
    EDGETWIN_TRY(twin::set_inputs(*s, inputs.tensors));
    EDGETWIN_TRY(s->run());
  }
  for (const Finding& f : y.run_findings()) results.finding(f);
  results.asked("model", loaded.file);
  results.asked("numerics", "tflite, " + second.numerics);
  results.inputs();
  console.print("tflite beside " + second.numerics + "\n");
  Comparison comparison{x, y, results};
  comparison.run();
  const bool equal = comparison.outputs_equal();
  console.print(std::to_string(comparison.different) + " of " +
                std::to_string(comparison.compared) + " tensors differ; the model's outputs are " +
                (equal ? "equal\n" : "different\n"));
  console.json().set("model", loaded.file).set("numerics", second.numerics);
  console.json().set("different", comparison.different).set("outputs_equal", equal);
  return equal;
}

}  // namespace edgetwin::cli
