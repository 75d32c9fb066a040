// Operators that move elements. Where each element comes from is asked of the operator itself: it
// is run once on the numbers of the elements. So there is one definition of each.
#include <cstring>

#include "exec/session.h"
#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

constexpr const char* kProbeNumerics = "onnx";
constexpr int64_t kMostElements = int64_t{1} << 24;  // whole numbers in float32

class Movement : public Step {
 public:
  struct Place {
    int32_t operand = -1;  // -1: the fill
    uint32_t element = 0;
  };
  Movement(std::vector<Place> places, double fill) : places_(std::move(places)), fill_(fill) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t i = 0; i < out.size(); ++i) {
      const Place p = places_[i];
      out[i] = p.operand < 0 ? fill_ : (*in[static_cast<size_t>(p.operand)])[p.element];
    }
  }
  void backward(Operands, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    for (size_t i = 0; i < gradient.size(); ++i) {
      const Place p = places_[i];
      if (p.operand < 0) continue;
      Numbers* target = to[static_cast<size_t>(p.operand)];
      if (target != nullptr) (*target)[p.element] += gradient[i];
    }
  }

 private:
  std::vector<Place> places_;
  double fill_;
};

// The operator alone, with its data as inputs of a network.
struct Probe {
  Graph graph;
  std::vector<int64_t> sizes;  // elements of each operand of the step
};

Probe probe_of(const Graph& graph, const Op& op, size_t output) {
  Probe p;
  p.graph.layout = graph.layout;
  p.graph.name = "probe";
  Op alone = op;
  const std::vector<size_t> data = data_operands(graph, op);
  const auto add = [&](Value v) {
    p.graph.values.push_back(std::move(v));
    return static_cast<ValueId>(p.graph.values.size() - 1);
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == kAbsent) continue;
    Value v = graph.value(op.inputs[i]);
    v.name = "operand" + std::to_string(i);
    if (std::find(data.begin(), data.end(), i) != data.end()) {
      v.constant = nullptr;
      v.is_variable = false;
      p.sizes.push_back(v.shape.elements());
      alone.inputs[i] = add(std::move(v));
      p.graph.inputs.push_back(alone.inputs[i]);
      continue;
    }
    if (op.kind == OpKind::border_pad) {
      v.constant = std::make_shared<const Bytes>(v.constant ? v.constant->size() : sizeof(float));
    }
    alone.inputs[i] = add(std::move(v));
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    Value v = graph.value(op.outputs[i]);
    v.name = "result" + std::to_string(i);
    alone.outputs[i] = add(std::move(v));
  }
  p.graph.outputs = {alone.outputs[output]};
  p.graph.ops = {std::move(alone)};
  return p;
}

Status number_inputs(const Probe& p, exec::Session& session) {
  float next = 1;
  for (size_t i = 0; i < p.sizes.size(); ++i) {
    std::vector<float> numbers(static_cast<size_t>(p.sizes[i]));
    for (float& n : numbers) n = next++;
    EDGETWIN_TRY(session.set_input(i, std::as_bytes(std::span(numbers))));
  }
  return Ok{};
}

}  // namespace

bool is_movement(const Op& op) {
  switch (op.kind) {
    case OpKind::reshape:
    case OpKind::flatten:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
    case OpKind::transpose:
    case OpKind::gather:
    case OpKind::slice_steps:
    case OpKind::split_sizes:
    case OpKind::concatenation:
    case OpKind::border_pad:
    case OpKind::depth_to_space:
    case OpKind::space_to_depth:
    case OpKind::identity:
    case OpKind::insert_zeros:
    case OpKind::reverse_sequence:
      return true;
    case OpKind::resize:
      return op.as<ScaleAttrs>().mode == ScaleAttrs::Mode::nearest;
    default:
      return false;
  }
}

Result<MadeStep> make_movement(const Graph& graph, const Op& op, size_t output) {
  const Probe p = probe_of(graph, op, output);
  int64_t all = 0;
  for (const int64_t size : p.sizes) all += size;
  if (all >= kMostElements) return MadeStep();
  exec::Options options;
  options.numerics = kProbeNumerics;
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(std::make_shared<const Graph>(p.graph), options));
  EDGETWIN_TRY(number_inputs(p, session));
  EDGETWIN_TRY(session.run());
  const Tensor result = session.output(0);
  std::vector<Movement::Place> places;
  for (const float number : result.as<float>()) {
    auto rest = static_cast<int64_t>(number) - 1;
    Movement::Place place;
    for (size_t i = 0; rest >= 0 && i < p.sizes.size(); ++i) {
      if (rest < p.sizes[i]) {
        place = {static_cast<int32_t>(i), static_cast<uint32_t>(rest)};
        break;
      }
      rest -= p.sizes[i];
    }
    places.push_back(place);
  }
  const double fill = op.kind == OpKind::border_pad ? number_of(graph, op, 1, 0) : 0;
  return MadeStep(std::make_unique<Movement>(std::move(places), fill));
}

}  // namespace edgetwin::train
