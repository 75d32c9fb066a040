#include "targets/edgetpu/synthesize/synthesize.h"

#include <memory>
#include <utility>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/compile/proof/proof.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kMostWeights = 2080 * 256 * 16;  // bytes of all wide memory
constexpr int kSigned = 128;                       // of a zero point of int8

Error refused(const Member& member, const std::string& why) {
  return Error(ErrorCode::synthesize_range,
               "no program can be made of " + text(member) + ": " + why);
}

Value tensor_of(const char* name, DType dtype, Shape shape, float scale, int zero_point) {
  Value v;
  v.name = name;
  v.dtype = dtype;
  v.shape = std::move(shape);
  v.quant = Quant::affine(scale, dtype == DType::int8 ? zero_point - kSigned : zero_point);
  return v;
}

// Zeros, with a scale for each output; equal ones would not be in the parameters.
Value weights_of(Shape shape) {
  Value v;
  v.name = "weights";
  v.dtype = DType::int8;
  const auto outputs = static_cast<size_t>(shape[0]);
  v.quant.scheme = Quant::Scheme::affine;
  v.quant.scale.assign(outputs, 1.0F);
  v.quant.scale.front() = 2.0F;
  v.quant.zero_point.assign(outputs, 0);
  v.constant = std::make_shared<const Bytes>(static_cast<size_t>(shape.elements()));
  v.shape = std::move(shape);
  return v;
}

Op op_of(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, ValueId output) {
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.inputs = std::move(inputs);
  op.outputs = {output};
  return op;
}

// Between two operators that turn uint8 into int8 and back, as the public models have it.
Graph dense_graph(const Member& m) {
  const Shape vector{1, m.size};
  Graph g;
  g.values = {tensor_of("input", DType::uint8, vector, 1.0F, m.input_zero_point),
              tensor_of("signed input", DType::int8, vector, 1.0F, m.input_zero_point),
              weights_of({m.size, m.size}),
              tensor_of("signed output", DType::int8, vector, m.output_scale, m.output_zero_point),
              tensor_of("output", DType::uint8, vector, m.output_scale, m.output_zero_point)};
  g.ops = {op_of(OpKind::quantize, {}, {0}, 1),
           op_of(OpKind::fully_connected, FullyConnectedAttrs{}, {1, 2, kAbsent}, 3),
           op_of(OpKind::quantize, {}, {3}, 4)};
  g.inputs = {0};
  g.outputs = {4};
  return g;
}

Graph conv_graph(const Member& m) {
  const Shape picture{1, m.height, m.width, m.channels};
  Conv2DAttrs attrs;
  attrs.padding.kind = Padding::Kind::same;
  attrs.stride_h = attrs.stride_w = 1;
  Graph g;
  g.values = {tensor_of("input", DType::int8, picture, 1.0F, m.input_zero_point),
              weights_of({m.channels, 3, 3, m.channels}),
              tensor_of("output", DType::int8, picture, m.output_scale, m.output_zero_point)};
  g.ops = {op_of(OpKind::conv_2d, attrs, {0, 1, kAbsent}, 2)};
  g.inputs = {0};
  g.outputs = {2};
  return g;
}

}  // namespace

Result<Model> model_of(const Member& member) {
  if (member.input_bytes() <= 0) return refused(member, "a size is 0");
  if (member.weights() > kMostWeights) {
    return refused(member, "its " + std::to_string(member.weights()) + " weights do not fit the " +
                               std::to_string(kMostWeights) + " bytes of all tiles");
  }
  Model model;
  model.format = "tflite";
  model.graphs.push_back(member.family == Family::dense ? dense_graph(member) : conv_graph(member));
  return model;
}

Result<Synthesized> synthesize(const Model& source) {
  Synthesized made;
  EDGETWIN_TRY_ASSIGN(made.member, member_of(source.main()));
  EDGETWIN_TRY_ASSIGN(
      compiler::CompiledModel compiled,
      compiler::compile_model(source, darwinn::kCurrentRuntimeVersion, compiler::Style::vendor));
  for (const compiler::Assignment& a : compiled.partition.ops) {
    if (a.refusal) return refused(made.member, a.refusal->message);
  }
  if (compiled.partition.groups.size() != 1 ||
      compiled.partition.groups[0].package.executables.size() != 2) {
    return refused(made.member, "its parameters do not rest in the tiles");
  }
  made.package = std::move(compiled.partition.groups[0].package);
  made.model = std::move(compiled.model);
  return made;
}

Result<Bytes> compiled_model(const Model& source, const Synthesized& made) {
  EDGETWIN_TRY_ASSIGN(Bytes file, tflite::write(made.model));
  const Graph& graph = source.main();
  const compiler::Segment all = compiler::segment_of(graph, 0, graph.ops.size());
  compiler::ProofOptions how;
  how.short_lines = true;
  EDGETWIN_TRY_ASSIGN(const compiler::Proof proof,
                      compiler::prove(graph, {{&all, &made.package}}, file, how));
  if (!proof.holds()) {
    return Error(ErrorCode::internal, "the program of " + text(made.member) + " fails its proof");
  }
  return file;
}

}  // namespace edgetwin::edgetpu
