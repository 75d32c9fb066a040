#include "runner.hpp"

#include "nodes.hpp"
#include "place.hpp"
#include "stages.hpp"
#include "sweep.hpp"
#include "tensors.hpp"

namespace check {
namespace {

void describe(const Case& wanted, const Golden& golden, Report& report) {
  report.info({{"case", wanted.name},
               {"model_bytes", std::to_string(golden.header.model_size)},
               {"model_sha256", wanted.sha256},
               {"model_crc32", hexadecimal(golden.header.model_crc32)},
               {"golden_crc32", hexadecimal(golden.header.crc32)},
               {"nodes", std::to_string(golden.nodes.size())}});
  say("----------------------------------------");
  say(std::string(wanted.name) + ": model of " + std::to_string(golden.header.model_size) +
      " bytes");
}

// The golden tensors of one side against the model's, by name and form. A sweep has its own sizes.
Difference compare_side(const std::vector<GoldenTensor>& golden, const TensorMap& model, bool sweep,
                        const char* side) {
  if (golden.size() != model.size()) {
    return wrong(std::string(side) + "-count", static_cast<int64_t>(model.size()),
                 static_cast<int64_t>(golden.size()));
  }
  for (const GoldenTensor& tensor : golden) {
    const auto found = model.find(tensor.name);
    if (found == model.end()) return wrong("no-" + std::string(side) + "-" + tensor.name, 0, 1);
    Difference form = compare_form(tensor, *found->second);
    if (form.equal() || (sweep && form.reason == "size")) continue;
    form.reason = std::string(side) + "-" + form.reason;
    return form;
  }
  return {};
}

Difference compare_model(dl::Model& model, const Golden& golden) {
  const bool sweep = golden.lut_sweep();
  Difference found = compare_side(golden.inputs, model.get_inputs(), sweep, "input");
  if (found.equal()) found = compare_side(golden.outputs, model.get_outputs(), sweep, "output");
  if (!found.equal() || !sweep) return found;
  const int64_t in = elements_of(*model.get_inputs().begin()->second);
  const int64_t out = elements_of(*model.get_outputs().begin()->second);
  return in > 0 && in == out ? found : wrong("sweep-size", in, out);
}

void report_nodes(const Case& wanted, const NodeWalk& walk, Report& report) {
  report.info({{"case", wanted.name},
               {"nodes_checked", std::to_string(walk.checked)},
               {"nodes_unknown", std::to_string(walk.unknown)},
               {"first_node", walk.name.empty() ? "none" : walk.name}});
  if (!walk.name.empty()) {
    report.fail("node", wanted.name, walk.difference, walk.name);
  } else if (kAlwaysCheckNodes && walk.checked > 0) {
    report.pass("node", wanted.name, walk.checked);
  }
}

void run_vectors(dl::Model& model, const Case& wanted, const Golden& golden, Report& report) {
  {
    Inputs inputs(golden.inputs);
    run(model, inputs.map(), {});
  }
  // All outputs are compared before anything runs again.
  std::vector<Difference> differences;
  bool equal = true;
  for (const GoldenTensor& output : golden.outputs) {
    differences.push_back(compare(output, *model.get_outputs().at(output.name)));
    equal = equal && differences.back().equal();
  }
  NodeWalk walk;
  const bool walks = !golden.nodes.empty() && (!equal || kAlwaysCheckNodes);
  if (walks) walk = walk_nodes(model, golden);
  for (size_t i = 0; i < differences.size(); ++i) {
    const std::string name = std::string(wanted.name) + "/" + golden.outputs[i].name;
    if (differences[i].equal()) {
      report.pass("output", name, differences[i].checked);
    } else {
      report.fail("output", name, differences[i], walk.name);
    }
  }
  if (walks) report_nodes(wanted, walk, report);
}

// Cases that look at parts of one picture with the same network follow each other: its model stays.
struct Loaded {
  const Case* of = nullptr;
  std::unique_ptr<dl::Model> model;
};

dl::Model* model_of(const Case& wanted) {
  static Loaded loaded;
  const bool same = loaded.of != nullptr && loaded.of->model == wanted.model &&
                    std::string(loaded.of->partition == nullptr ? "" : loaded.of->partition) ==
                        (wanted.partition == nullptr ? "" : wanted.partition);
  if (same && loaded.model != nullptr) return loaded.model.get();
  leave_model();
  loaded.model.reset();
  loaded.model = load_model(wanted);
  loaded.of = &wanted;
  return loaded.model.get();
}

}  // namespace

void run_case(const Case& wanted, Report& report) {
  Golden golden;
  const std::string damage =
      open_golden(wanted.golden, static_cast<size_t>(wanted.golden_end - wanted.golden), golden);
  if (!damage.empty()) return report.fail("load", wanted.name, wrong(damage, 0, 1));
  describe(wanted, golden, report);

  uint32_t crc = 0;
  if (!model_crc32(wanted, golden.header.model_size, crc)) {
    return report.fail("load", wanted.name, wrong("no-model", 0, 1));
  }
  if (crc != golden.header.model_crc32) {
    return report.fail("load", wanted.name, wrong("model-crc32", crc, golden.header.model_crc32));
  }
  dl::Model* model = model_of(wanted);
  if (model == nullptr) return report.fail("load", wanted.name, wrong("not-loaded", 0, 1));
  const Difference form = compare_model(*model, golden);
  if (!form.equal()) return report.fail("load", wanted.name, form);
  report.pass("load", wanted.name, 1);

  if (golden.lut_sweep()) {
    run_sweep(*model, wanted, golden, report);
  } else {
    const size_t index = static_cast<size_t>(&wanted - kCases);
    before_run(*model, index, golden, report);
    run_vectors(*model, wanted, golden, report);
    after_run(*model, index, report);
  }
}

}  // namespace check
