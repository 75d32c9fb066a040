#include <algorithm>

#include "edgetwin/compile.h"
#include "edgetwin/version.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/compile/proof/proof.h"
#include "twin/load.h"
#include "twin/make/edgetpu_outlook.h"

namespace edgetwin {
namespace {

namespace compiler = edgetpu::compiler;

std::vector<ProgramGroup> groups_of(const compiler::Partition& partition) {
  std::vector<ProgramGroup> all;
  for (const compiler::CompiledGroup& g : partition.groups) {
    ProgramGroup p;
    p.operators = g.segment.ops.size();
    p.narrow_bytes = g.compiled.narrow_bytes;
    p.resident_lines = g.compiled.resident_lines;
    p.resident_room = g.compiled.resident_room;
    p.parameter_bytes = g.compiled.parameters.size();
    p.streamed_bytes = g.compiled.streamed_bytes;
    all.push_back(std::move(p));
  }
  return all;
}

std::string wrong_of(const compiler::GroupProof& p) {
  if (!p.error.empty()) return p.error;
  if (!p.standstill.empty()) return "the program stands still: " + p.standstill;
  if (p.races != 0) return std::to_string(p.races) + " pairs of accesses that nothing orders";
  if (p.inputs != p.equal) {
    return std::to_string(p.different) + " of " + std::to_string(p.bytes) +
           " bytes of the machine are not the twin's: " + p.differs;
  }
  return "";
}

// The lines that users of the vendor's compiler know.
std::string log_of(const std::string& name, const EdgetpuCompiled& c) {
  return "Edge TPU Compiler version edgetwin-" + std::string(version()) + "\nInput: " + name +
         "\n" + edgetpu_summary(c) + "\n" + edgetpu_operations(c);
}

std::string proof_text(const EdgetpuCompiled& c) {
  std::string text = "No device has run this file. What was shown:\n";
  for (size_t k = 0; k < c.groups.size(); ++k) {
    const ProgramGroup& g = c.groups[k];
    text += "group " + std::to_string(k) + ": " + std::to_string(g.instructions) +
            " instructions; the machine's bytes are the twin's for " + std::to_string(g.equal) +
            " of " + std::to_string(g.inputs) + " runs with pseudo-random inputs; ";
    text += g.steps == 0 ? "order of engines not checked"
                         : "engines in order: no race, no standstill, " + std::to_string(g.steps) +
                               " steps of the timed machine";
    if (g.short_lines != 0) {
      text += "; by the counters alone " + std::to_string(g.short_lines) +
              " pairs race, since receivers take short lines for whole ones, as in the vendor's "
              "program: shown with the true words";
    }
    text += g.wrong.empty() ? "\n" : "; WRONG: " + g.wrong + "\n";
  }
  size_t errors = 0, warnings = 0;
  for (const Finding& f : c.findings) {
    errors += f.severity == Severity::error ? 1 : 0;
    warnings += f.severity == Severity::warning ? 1 : 0;
  }
  text += "forms and file: " + std::to_string(errors) + " errors, " + std::to_string(warnings) +
          " warnings\n";
  text += "decompiled: " + std::to_string(c.decompiled) + " of " + std::to_string(c.layers) +
          " layers equal to the network's\n";
  for (const std::string& layer : c.not_decompiled) text += "not given back: " + layer + "\n";
  return text;
}

Status add_files(const Model& source, compiler::CompiledModel& made,
                 const EdgetpuCompileOptions& options, EdgetpuCompiled& result) {
  EDGETWIN_TRY_ASSIGN(Bytes file, tflite::write(made.model));
  std::vector<compiler::ProvenGroup> groups;
  for (const compiler::CompiledGroup& g : made.partition.groups)
    groups.push_back({&g.segment, &g.package});
  compiler::ProofOptions how;
  how.inputs = options.inputs;
  how.order = options.order;
  how.short_lines = options.like_vendor;
  EDGETWIN_TRY_ASSIGN(const compiler::Proof proof,
                      compiler::prove(source.main(), groups, file, how));
  for (size_t k = 0; k < made.partition.groups.size(); ++k) {
    ProgramGroup& g = result.groups[k];
    const compiler::GroupProof& p = proof.groups[k];
    g.instructions = p.instructions;
    g.program_bytes = p.program_bytes;
    g.caching_bytes = p.caching_bytes;
    g.inputs = p.inputs;
    g.equal = p.equal;
    g.steps = p.steps;
    g.short_lines = p.short_lines;
    g.wrong = wrong_of(p);
  }
  result.findings = proof.findings;
  result.layers = proof.layers;
  result.decompiled = proof.decompiled;
  result.not_decompiled = proof.open;
  result.proven = proof.holds();
  if (result.proven) result.file = std::move(file);
  return Ok{};
}

}  // namespace

size_t EdgetpuCompiled::on_chip() const {
  return static_cast<size_t>(
      std::ranges::count_if(operators, [](const PlacedOperator& p) { return p.group >= 0; }));
}

namespace {

Status check_version(int version) {
  if (version >= darwinn::kOldestRuntimeVersion && version <= darwinn::kCurrentRuntimeVersion) {
    return Ok{};
  }
  return Error(ErrorCode::usage, "there is no runtime version " + std::to_string(version))
      .with_hint("10 to 14 are known.");
}

}  // namespace

Result<twin::LoadedModel> twin::load_for_edgetpu(ByteSpan network, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(twin::LoadedModel loaded, twin::load_model(network, name));
  if (loaded.model->format != "tflite") {
    return Error(ErrorCode::file_kind, "the compiler for the Edge TPU takes .tflite files")
        .in_file(name)
        .with_hint("Make one of an .onnx network first: `edgetwin quantize --target edgetpu`.");
  }
  if (darwinn::container_of(network)) {
    return Error(ErrorCode::file_kind, "the model is compiled for the Edge TPU already")
        .in_file(name)
        .with_hint("Give the model that it was compiled from; `decompile` makes one of it.");
  }
  const Graph& graph = loaded.model->main();
  const bool floats = std::ranges::all_of(
      graph.inputs, [&](ValueId id) { return graph.value(id).dtype == DType::float32; });
  const bool bytes = std::ranges::any_of(graph.values, [](const Value& v) {
    return v.dtype == DType::int8 || v.dtype == DType::uint8;
  });
  if (floats && !bytes) {
    return Error(ErrorCode::file_kind, "the network computes with floats, the chip with bytes")
        .in_file(name)
        .with_hint("Make integers of it first: `edgetwin quantize MODEL.onnx --target edgetpu`.");
  }
  return loaded;
}

namespace {

Result<EdgetpuCompiled> proven(const Model& source, compiler::CompiledModel& made,
                               const std::string& name, const EdgetpuCompileOptions& options) {
  EdgetpuCompiled result;
  result.operators = twin::placed(source.main(), made.partition);
  result.vendor_equal = std::ranges::any_of(
      made.partition.groups, [](const compiler::CompiledGroup& g) { return g.vendor_equal; });
  result.groups = groups_of(made.partition);
  if (!made.partition.groups.empty()) EDGETWIN_TRY(add_files(source, made, options, result));
  result.log = log_of(name, result);
  result.proof = proof_text(result);
  return result;
}

}  // namespace

Result<EdgetpuCompiled> compile_edgetpu(ByteSpan network, const std::string& name,
                                        const EdgetpuCompileOptions& options) {
  EDGETWIN_TRY(check_version(options.min_runtime_version));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_for_edgetpu(network, name));
  const Model& source = *loaded.model;
  const auto style = options.like_vendor_17 ? compiler::Style::vendor_17
                     : options.like_vendor  ? compiler::Style::vendor
                                            : compiler::Style::own;
  if (options.like_vendor && compiler::has_vendor_style(source.main())) {
    return Error(ErrorCode::usage,
                 "the vendor's style changes nothing: without it this layer's program is the "
                 "vendor's, too")
        .in_file(name)
        .with_hint("Leave it out.");
  }
  if (options.plan_only) {
    EdgetpuCompiled result;
    const compiler::Partition partition = compiler::partition_of(source.main(), style);
    result.operators = twin::placed(source.main(), partition);
    result.groups = groups_of(partition);
    return result;
  }
  EDGETWIN_TRY_ASSIGN(compiler::CompiledModel made,
                      compiler::compile_model(source, options.min_runtime_version, style));
  return proven(source, made, name, options);
}

Result<std::vector<EdgetpuCompiled>> compile_edgetpu_together(
    const std::vector<MadeFile>& networks, const EdgetpuCompileOptions& options) {
  EDGETWIN_TRY(check_version(options.min_runtime_version));
  std::vector<twin::LoadedModel> loaded;
  std::vector<const Model*> sources;
  for (const MadeFile& network : networks) {
    EDGETWIN_TRY_ASSIGN(twin::LoadedModel model,
                        twin::load_for_edgetpu(network.bytes, network.path));
    loaded.push_back(std::move(model));
  }
  for (const twin::LoadedModel& l : loaded) sources.push_back(l.model.get());
  EDGETWIN_TRY_ASSIGN(std::vector<compiler::CompiledModel> made,
                      compiler::compile_models(sources, options.min_runtime_version));
  std::vector<EdgetpuCompiled> all;
  for (size_t k = 0; k < made.size(); ++k) {
    EDGETWIN_TRY_ASSIGN(EdgetpuCompiled one,
                        proven(*sources[k], made[k], networks[k].path, options));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace edgetwin
