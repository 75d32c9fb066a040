// Functions of one number, with their derivatives.
#include <cmath>
#include <limits>

#include "train/math/functions.h"
#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

// alpha and beta are the operator's, or limits.
struct Curve {
  double (*value)(double x, double alpha, double beta);
  double (*slope)(double x, double alpha, double beta);
};

class Unary : public Step {
 public:
  Unary(Curve curve, double alpha, double beta) : curve_(curve), alpha_(alpha), beta_(beta) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = curve_.value((*in[0])[i], alpha_, beta_);
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    for (size_t i = 0; i < gradient.size(); ++i) {
      (*to[0])[i] += gradient[i] * curve_.slope((*in[0])[i], alpha_, beta_);
    }
  }

 private:
  Curve curve_;
  double alpha_, beta_;
};

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kDensity = 0.39894228040143267794;

double gelu(double x, double, double) { return 0.5 * x * (1 + std::erf(x * kRootHalf)); }
double gelu_slope_of(double x, double, double) {
  return 0.5 * (1 + std::erf(x * kRootHalf)) + x * kDensity * exponential(-x * x / 2);
}
double swish(double x, double, double) { return x * logistic(x); }
double swish_slope(double x, double, double) {
  const double s = logistic(x);
  return s + x * s * (1 - s);
}
double sigmoid(double x, double, double) { return logistic(x); }
double sigmoid_slope(double x, double, double) {
  const double s = logistic(x);
  return s * (1 - s);
}
double tangent(double x, double, double) { return hyperbolic_tangent(x); }
double tangent_slope(double x, double, double) {
  const double t = hyperbolic_tangent(x);
  return 1 - t * t;
}
// Between the limits alpha and beta; borders pass the gradient as every clamp here.
double clipped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double clip_slope(double x, double low, double high) { return x >= low && x <= high ? 1 : 0; }
double relu(double x, double, double) { return x > 0 ? x : 0; }
double relu_slope(double x, double, double) { return x > 0 ? 1 : 0; }
double leaky(double x, double a, double) { return x < 0 ? a * x : x; }
double leaky_slope(double x, double a, double) { return x < 0 ? a : 1; }
double elu(double x, double a, double) { return x > 0 ? x : a * (exponential(x) - 1); }
double elu_slope(double x, double a, double) { return x > 0 ? 1 : a * exponential(x); }
double hard_sigmoid(double x, double a, double b) { return clipped(a * x + b, 0, 1); }
double hard_sigmoid_slope(double x, double a, double b) {
  return a * x + b >= 0 && a * x + b <= 1 ? a : 0;
}
double hard_swish(double x, double, double) { return x * clipped(x + 3, 0, 6) / 6; }
double hard_swish_slope(double x, double, double) {
  return x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6;
}
double exponent(double x, double, double) { return exponential(x); }
double log_of(double x, double, double) { return logarithm(x); }
double reciprocal(double x, double, double) { return 1 / x; }
double root(double x, double, double) { return std::sqrt(x); }
double root_slope(double x, double, double) { return 0.5 / std::sqrt(x); }
double negated(double x, double, double) { return -x; }
double minus_one(double, double, double) { return -1; }
// x^alpha; negative x have whole powers.
double raised(double x, double a, double) { return std::pow(x, a); }
double raised_slope(double x, double a, double) { return a == 0 ? 0 : a * std::pow(x, a - 1); }

}  // namespace

double number_of(const Graph& graph, const Op& op, size_t operand, double otherwise) {
  if (!op.has_input(operand)) return otherwise;
  const Value& v = graph.value(op.inputs[operand]);
  if (!v.is_constant() || v.constant->size() < sizeof(float)) return otherwise;
  return static_cast<double>(*reinterpret_cast<const float*>(v.constant->data()));
}

MadeStep make_unary(const Graph& graph, const Op& op) {
  const auto* a = std::get_if<AlphaAttrs>(&op.attrs);
  const double alpha = a == nullptr ? 0 : static_cast<double>(a->alpha);
  const double beta = a == nullptr ? 0 : static_cast<double>(a->beta);
  constexpr double kMost = std::numeric_limits<double>::infinity();
  const auto made = [](Curve curve, double first = 0, double second = 0) -> MadeStep {
    return std::make_unique<Unary>(curve, first, second);
  };
  switch (op.kind) {
    case OpKind::relu:
      return made({relu, relu_slope});
    case OpKind::relu6:
      return made({clipped, clip_slope}, 0, 6);
    case OpKind::relu_n1_to_1:
      return made({clipped, clip_slope}, -1, 1);
    case OpKind::clip:
      return made({clipped, clip_slope}, number_of(graph, op, 1, -kMost),
                  number_of(graph, op, 2, kMost));
    case OpKind::leaky_relu:
      return made({leaky, leaky_slope}, alpha);
    case OpKind::elu:
      return made({elu, elu_slope}, alpha);
    case OpKind::logistic:
      return made({sigmoid, sigmoid_slope});
    case OpKind::tanh:
      return made({tangent, tangent_slope});
    case OpKind::swish:
      return made({swish, swish_slope});
    case OpKind::gelu:
      return made({gelu, gelu_slope_of});
    case OpKind::hard_sigmoid:
      return made({hard_sigmoid, hard_sigmoid_slope}, alpha, beta);
    case OpKind::hard_swish:
      return made({hard_swish, hard_swish_slope});
    case OpKind::exp:
      return made({exponent, exponent});
    case OpKind::log:
      return made({log_of, reciprocal});
    case OpKind::sqrt:
      return made({root, root_slope});
    case OpKind::neg:
      return made({negated, minus_one});
    case OpKind::pow:
      if (graph.value(op.inputs[1]).shape.elements() != 1) return nullptr;
      if (!graph.value(op.inputs[1]).is_constant()) return nullptr;
      return made({raised, raised_slope}, number_of(graph, op, 1, 1));
    default:
      return nullptr;
  }
}

}  // namespace edgetwin::train
