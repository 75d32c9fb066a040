#include <algorithm>
#include <cmath>
#include <cstring>

#include "edgetwin/learn.h"
#include "formats/tflite/tflite.h"
#include "transform/subgraph.h"

namespace edgetwin {
namespace {

constexpr float kLogitScale = 1.0F / 128.0F;
constexpr int64_t kLogitZero = 128;  // of uint8

// The end of the network, by the numbers of its operators.
struct Tail {
  size_t norm = 0, conv = 0, mul = 0, reshape = 0, softmax = 0;
};

Error unsupported() {
  return Error(ErrorCode::usage,
               "Unsupported model architecture. Input model must have an L2Norm layer.")
      .with_hint(
          "The network has to end with L2_NORMALIZATION, CONV_2D of 1x1, MUL, RESHAPE and "
          "SOFTMAX.");
}

// The one operator that takes the first result of another.
std::optional<size_t> next(const Graph& graph, size_t op) {
  std::optional<size_t> found;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const auto& inputs = graph.ops[i].inputs;
    if (std::count(inputs.begin(), inputs.end(), graph.ops[op].outputs.front()) == 0) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

Result<Tail> tail_of(const Graph& graph) {
  Tail tail;
  size_t norms = 0;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (graph.ops[i].kind != OpKind::l2_normalization) continue;
    tail.norm = i;
    ++norms;
  }
  if (norms != 1) return unsupported();
  auto at = next(graph, tail.norm);
  if (at && graph.ops[*at].kind == OpKind::quantize) at = next(graph, *at);
  for (const auto& [kind, place] :
       {std::pair{OpKind::conv_2d, &tail.conv}, std::pair{OpKind::mul, &tail.mul},
        std::pair{OpKind::reshape, &tail.reshape}, std::pair{OpKind::softmax, &tail.softmax}}) {
    if (!at || graph.ops[*at].kind != kind) return unsupported();
    *place = *at;
    at = next(graph, *at);
  }
  const Value& kernel = graph.value(graph.ops[tail.conv].inputs[1]);
  const bool bytes = kernel.dtype == DType::uint8 || kernel.dtype == DType::int8;
  if (!kernel.is_constant() || !bytes || kernel.shape.rank() != 4 || kernel.shape[1] != 1 ||
      kernel.shape[2] != 1 || !kernel.quant.present() || kernel.quant.per_channel()) {
    return unsupported();
  }
  return tail;
}

// The kernel with other rows.
Value kernel_of(const Value& kernel, const ImprintedClasses& classes) {
  Value made = kernel;
  const auto features = static_cast<size_t>(kernel.shape[3]);
  made.shape = Shape{classes.classes, 1, 1, kernel.shape[3]};
  const auto range = *integer_range(kernel.dtype);
  const auto kept = static_cast<size_t>(classes.kept) * features;
  Bytes bytes(kernel.constant->begin(), kernel.constant->begin() + static_cast<ptrdiff_t>(kept));
  for (size_t i = kept; i < classes.weights.size(); ++i) {
    const float q = std::nearbyint(classes.weights[i] / kernel.quant.scale[0]) +
                    static_cast<float>(kernel.quant.zero_point[0]);
    const float in = std::clamp(q, static_cast<float>(range.low), static_cast<float>(range.high));
    bytes.push_back(static_cast<std::byte>(static_cast<int>(in) & 0xff));
  }
  made.constant = std::make_shared<const Bytes>(std::move(bytes));
  return made;
}

// A bias of so many classes; new ones are 0.
void resize_bias(Graph& graph, const Op& conv, int32_t classes) {
  if (!conv.has_input(2)) return;
  Value& bias = graph.value(conv.inputs[2]);
  Bytes bytes = bias.is_constant() ? *bias.constant : Bytes{};
  bytes.resize(static_cast<size_t>(classes) * sizeof(int32_t));
  bias.shape = Shape{classes};
  bias.constant = std::make_shared<const Bytes>(std::move(bytes));
}

// The real number that the MUL multiplies with.
Result<float> factor_of(const Graph& graph, const Op& mul) {
  for (const ValueId id : mul.inputs) {
    const Value& v = graph.value(id);
    if (!v.is_constant() || v.constant->empty() || byte_size(v.dtype) == 0) continue;
    const double q = element_as_double(v.dtype, *v.constant, 0);
    if (!v.quant.present()) return static_cast<float>(q);
    return static_cast<float>((q - static_cast<double>(v.quant.zero_point_of(0))) *
                              static_cast<double>(v.quant.scale_of(0)));
  }
  return unsupported();
}

Quant logits(float factor, DType type) {
  return Quant::affine(kLogitScale * factor, type == DType::uint8 ? kLogitZero : 0);
}

Status reshape_to(Graph& graph, Op& reshape, int32_t classes) {
  const int32_t sizes[] = {1, classes};
  if (reshape.has_input(1)) {
    Value& shape = graph.value(reshape.inputs[1]);
    if (shape.dtype != DType::int32) return unsupported();
    Bytes bytes(sizeof(sizes));
    std::memcpy(bytes.data(), sizes, sizeof(sizes));
    shape.shape = Shape{2};
    shape.constant = std::make_shared<const Bytes>(std::move(bytes));
  }
  if (auto* attrs = std::get_if<ReshapeAttrs>(&reshape.attrs)) attrs->new_shape = {1, classes};
  graph.value(reshape.outputs[0]).shape = Shape{1, classes};
  return Ok{};
}

Status apply(Graph& graph, const Tail& tail, const ImprintedClasses& classes) {
  const Op conv = graph.ops[tail.conv];
  EDGETWIN_TRY_ASSIGN(const float factor, factor_of(graph, graph.ops[tail.mul]));
  graph.value(conv.inputs[1]) = kernel_of(graph.value(conv.inputs[1]), classes);
  resize_bias(graph, conv, classes.classes);
  Value& out = graph.value(conv.outputs[0]);
  out.shape[out.shape.rank() - 1] = classes.classes;
  out.quant = logits(1.0F, out.dtype);
  Value& product = graph.value(graph.ops[tail.mul].outputs[0]);
  product.shape = out.shape;
  product.quant = logits(factor, product.dtype);
  EDGETWIN_TRY(reshape_to(graph, graph.ops[tail.reshape], classes.classes));
  graph.value(graph.ops[tail.reshape].outputs[0]).quant = product.quant;
  graph.value(graph.ops[tail.softmax].outputs[0]).shape = Shape{1, classes.classes};
  return Ok{};
}

}  // namespace

Result<ImprintingLayout> imprinting_layout(ByteSpan model, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const Model read, tflite::read(model, name));
  const Graph& graph = read.main();
  EDGETWIN_TRY_ASSIGN(const Tail tail, tail_of(graph));
  ImprintingLayout layout;
  layout.embedding = graph.ops[tail.norm].outputs[0];
  layout.kernel = graph.ops[tail.conv].inputs[1];
  layout.classes = static_cast<int32_t>(graph.value(layout.kernel).shape[0]);
  layout.features = static_cast<int32_t>(graph.value(layout.kernel).shape[3]);
  return layout;
}

Result<Bytes> embedding_extractor(ByteSpan model, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(Model read, tflite::read(model, name));
  EDGETWIN_TRY_ASSIGN(const Tail tail, tail_of(read.main()));
  Graph part = transform::part_for(read.main(), {read.main().ops[tail.norm].outputs[0]});
  transform::remove_unused(part);
  read.graphs.front() = std::move(part);
  read.signatures.clear();
  return tflite::write(read);
}

Result<Bytes> imprint(ByteSpan model, const std::string& name, const ImprintedClasses& classes) {
  EDGETWIN_TRY_ASSIGN(Model read, tflite::read(model, name));
  Graph& graph = read.graphs.front();
  EDGETWIN_TRY_ASSIGN(const Tail tail, tail_of(graph));
  const Value& kernel = graph.value(graph.ops[tail.conv].inputs[1]);
  const bool sizes = classes.classes > 0 && classes.kept >= 0 && classes.kept <= kernel.shape[0] &&
                     classes.kept <= classes.classes &&
                     classes.weights.size() == static_cast<size_t>(classes.classes) *
                                                   static_cast<size_t>(kernel.shape[3]);
  const bool finite = std::all_of(classes.weights.begin(), classes.weights.end(),
                                  [](float f) { return std::isfinite(f); });
  if (!sizes || !finite) {
    return Error(ErrorCode::usage, "the weights are not those of " +
                                       std::to_string(classes.classes) + " classes with " +
                                       std::to_string(kernel.shape[3]) + " features");
  }
  EDGETWIN_TRY(apply(graph, tail, classes));
  read.description = classes.description;
  return tflite::write(read);
}

}  // namespace edgetwin
