#include "targets/edgetpu/decompile/decompile.h"

#include <algorithm>

#include "targets/edgetpu/decompile/layers/find_layers.h"
#include "targets/edgetpu/decompile/write/build.h"
#include "targets/edgetpu/decompile/write/graph_edges.h"
#include "targets/edgetpu/decompile/write/write_moves.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::edgetpu {
namespace {

std::string hexadecimal(ByteSpan bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[static_cast<size_t>(b) >> 4U];
    text += kDigits[static_cast<size_t>(b) & 15U];
  }
  return text;
}

// Every instruction of what was not recovered, with its bytes.
void report(const DecompiledOp& op, std::vector<Finding>& findings) {
  const DecodedProgram& steps = op.layers.replay.steps;
  for (size_t l = 0; l < op.layers.layers.size(); ++l) {
    const DecompiledLayer& layer = op.layers.layers[l];
    if (layer.problem.empty()) continue;
    std::vector<size_t> instructions = layer.steps;
    if (instructions.empty()) {
      for (const size_t s : layer.stages) {
        const auto& of_stage = op.layers.replay.stages[s].steps;
        instructions.insert(instructions.end(), of_stage.begin(), of_stage.end());
      }
    }
    for (const size_t i : instructions) {
      const ProgramInstruction& s = steps.all[i];
      Finding f;
      f.severity = Severity::warning;
      f.id = "TPU-DEC-02";
      f.place = "chunk " + std::to_string(s.chunk) + ", word " + std::to_string(s.word);
      f.message =
          std::string(name(layer.type)) + ": " + layer.problem + "; " + hexadecimal(s.bytes);
      findings.push_back(std::move(f));
    }
  }
}

// By input of the executable the size of the operator's tensor with its name.
std::vector<Extent2D> given_sizes(const Graph& graph, size_t op,
                                  const darwinn::Executable& inference) {
  std::vector<Extent2D> sizes(inference.inputs.size(), Extent2D{0, 0, 0});
  if (op >= graph.ops.size()) return sizes;
  for (const ValueId v : graph.ops[op].inputs) {
    if (v == kAbsent) continue;
    const Shape& s = graph.value(v).shape;
    const size_t i = layer_index(inference.inputs, graph.value(v).name, sizes.size());
    constexpr int64_t kMost = 65536;
    const bool picture = s.rank() == 4 && s[0] == 1 && s[1] <= kMost && s[2] <= kMost;
    if (i == sizes.size() || !picture || s[3] > kMost) continue;
    sizes[i] = {static_cast<int>(s[1]), static_cast<int>(s[2]), static_cast<int>(s[3])};
  }
  return sizes;
}

// Whether the program computes nothing.
bool only_moves(const std::vector<DecompiledLayer>& layers) {
  return std::all_of(layers.begin(), layers.end(), [](const DecompiledLayer& l) {
    return l.type == LayerType::concat || l.type == LayerType::reshape;
  });
}

// Executes the program to find out where its bytes go. Errors: those of write_moves.
Status replace_moves(Graph& graph, DecompiledOp& op, const darwinn::Package& package,
                     const ReplayLimits& limits) {
  machine::MachineLimits most;
  // Enough for a picture of 2048 x 2048.
  constexpr uint64_t kPlaces = 100'000'000;
  most.places = std::min(limits.places, kPlaces);
  most.memory = uint64_t{1} << 29U;
  EDGETWIN_TRY_ASSIGN(auto chip, machine::Machine::make(package, most));
  const Op old = graph.ops[op.op];
  GraphRewrite r{graph, op, *package.inference()};
  const ByteProgram program = [&](const std::vector<ByteSpan>& in) { return chip.run_dense(in); };
  EDGETWIN_TRY(write_moves(r, old, program));
  op.written.assign(op.layers.layers.size(), -1);
  for (DecompiledLayer& l : op.layers.layers) {
    l.problem.clear();
    l.followed = true;
  }
  return Ok{};
}

// The operators that compute what the compiled one does, in its place. Errors: those of replace_op
// and replace_moves.
Status replace(Graph& graph, DecompiledOp& op, const darwinn::Package& package,
               const ReplayLimits& limits) {
  const auto& layers = op.layers.layers;
  if (!only_moves(layers)) return replace_op(graph, op, *package.inference());
  const Graph before = graph;
  if (!layers.empty() && op.complete()) {
    Status told = replace_op(graph, op, *package.inference());
    if (told.ok()) return told;
    graph = before;
  }
  Status moved = replace_moves(graph, op, package, limits);
  // Where it could be executed, what the instructions seem to say does not count.
  if (moved.ok() || moved.error().code == ErrorCode::decompile_layer) return moved;
  graph = before;
  return replace_op(graph, op, *package.inference());
}

}  // namespace

bool Decompiled::complete() const {
  return std::all_of(ops.begin(), ops.end(), [](const DecompiledOp& o) { return o.complete(); });
}

Result<Decompiled> decompile(const Model& model, const darwinn::File& file, ScaleOptions options,
                             ReplayLimits limits) {
  Decompiled result;
  result.model = model;
  result.model.findings.clear();
  // From the back, so that the places of earlier operators stay what they are.
  for (size_t k = file.ops.size(); k-- > 0;) {
    const darwinn::CompiledOp& compiled = file.ops[k];
    const auto g = static_cast<size_t>(compiled.graph);
    if (compiled.packages.empty() || g >= result.model.graphs.size()) continue;
    const darwinn::Package& package = compiled.packages.front();
    const darwinn::Executable* inference = package.inference();
    if (inference == nullptr) {
      return Error(ErrorCode::decompile_program, "the package has no program to run");
    }
    DecompiledOp op;
    op.graph = g;
    op.op = static_cast<size_t>(compiled.op);
    EDGETWIN_TRY_ASSIGN(
        op.layers, find_layers(*inference, package.find(darwinn::ExecutableType::parameter_caching),
                               limits, given_sizes(result.model.graphs[g], op.op, *inference)));
    op.scales = choose_scales(op.layers, *inference, options);
    Graph changed = result.model.graphs[g];
    const Status replaced = replace(changed, op, package, limits);
    result.findings.insert(result.findings.end(), op.layers.findings.begin(),
                           op.layers.findings.end());
    report(op, result.findings);
    const size_t before = result.compared().graphs[g].ops.size();
    if (replaced.ok()) {
      if (result.partial) (void)replace(result.partial->graphs[g], op, package, limits);
      result.model.graphs[g] = std::move(changed);
    } else {
      if (!result.partial) result.partial = result.model;
      insert_op(result.partial->graphs[g], op, *inference);
      Finding f;
      f.severity = Severity::warning;
      f.id = "TPU-DEC-02";
      f.place = "operator " + std::to_string(op.op);
      f.message = replaced.error().message + "; the compiled operator stays";
      result.findings.push_back(std::move(f));
    }
    // What was written before stands after it.
    const auto more =
        static_cast<int>(result.compared().graphs[g].ops.size()) - static_cast<int>(before);
    for (DecompiledOp& later : result.ops) {
      if (later.graph != g) continue;
      for (int& w : later.written) w += w < 0 ? 0 : more;
    }
    result.ops.insert(result.ops.begin(), std::move(op));
  }
  result.model.description =
      "decompiled from a compiled Edge TPU model; names and the scales "
      "inside of the network are chosen";
  for (const Graph& graph : result.model.graphs) EDGETWIN_TRY(verify_graph(graph));
  if (!result.partial) return result;
  for (const Graph& graph : result.partial->graphs) EDGETWIN_TRY(verify_graph(graph));
  return result;
}

}  // namespace edgetwin::edgetpu
