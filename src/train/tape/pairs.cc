// Functions of two numbers with NumPy's broadcasting, and sums of maps.
#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

enum class Pair : uint8_t { add, sub, mul, div, maximum, minimum, slope };

// Element of an operand for each element of the result.
std::vector<uint32_t> places(const Shape& operand, const Shape& result) {
  const int rank = result.rank();
  std::vector<int64_t> strides(static_cast<size_t>(rank), 0);
  int64_t stride = 1;
  for (int i = 0; i < operand.rank(); ++i) {
    const int64_t size = operand.back(i);
    if (size != 1) strides[static_cast<size_t>(rank - 1 - i)] = stride;
    stride *= size;
  }
  std::vector<uint32_t> map(static_cast<size_t>(result.elements()));
  for (size_t at = 0; at < map.size(); ++at) {
    auto rest = static_cast<int64_t>(at);
    int64_t from = 0;
    for (int axis = rank; axis-- > 0;) {
      from += rest % result[axis] * strides[static_cast<size_t>(axis)];
      rest /= result[axis];
    }
    map[at] = static_cast<uint32_t>(from);
  }
  return map;
}

double value_of(Pair pair, double a, double b) {
  switch (pair) {
    case Pair::add:
      return a + b;
    case Pair::sub:
      return a - b;
    case Pair::mul:
      return a * b;
    case Pair::div:
      return a / b;
    case Pair::maximum:
      return a >= b ? a : b;
    case Pair::minimum:
      return a <= b ? a : b;
    case Pair::slope:
      return a < 0 ? a * b : a;
  }
  return 0;
}

// Of the first operand, and of the second.
std::pair<double, double> slopes_of(Pair pair, double a, double b) {
  switch (pair) {
    case Pair::add:
      return {1, 1};
    case Pair::sub:
      return {1, -1};
    case Pair::mul:
      return {b, a};
    case Pair::div:
      return {1 / b, -a / (b * b)};
    case Pair::maximum:
      return a >= b ? std::pair(1.0, 0.0) : std::pair(0.0, 1.0);
    case Pair::minimum:
      return a <= b ? std::pair(1.0, 0.0) : std::pair(0.0, 1.0);
    case Pair::slope:
      return a < 0 ? std::pair(b, a) : std::pair(1.0, 0.0);
  }
  return {};
}

class Binary : public Step {
 public:
  Binary(Pair pair, std::vector<uint32_t> first, std::vector<uint32_t> second)
      : pair_(pair), first_(std::move(first)), second_(std::move(second)) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = value_of(pair_, (*in[0])[first_[i]], (*in[1])[second_[i]]);
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    for (size_t i = 0; i < gradient.size(); ++i) {
      const auto [a, b] = slopes_of(pair_, (*in[0])[first_[i]], (*in[1])[second_[i]]);
      if (to[0] != nullptr) (*to[0])[first_[i]] += gradient[i] * a;
      if (to[1] != nullptr) (*to[1])[second_[i]] += gradient[i] * b;
    }
  }

 private:
  Pair pair_;
  std::vector<uint32_t> first_, second_;
};

}  // namespace

MadeStep make_binary(const Graph& graph, const Op& op) {
  const auto made = [&](Pair pair) -> MadeStep {
    const Shape& a = graph.value(op.inputs[0]).shape;
    const Shape& b = graph.value(op.inputs[1]).shape;
    const auto result = broadcast(a, b);
    if (!result || !(*result == graph.value(op.outputs[0]).shape)) return nullptr;
    return std::make_unique<Binary>(pair, places(a, *result), places(b, *result));
  };
  switch (op.kind) {
    case OpKind::add:
      return made(Pair::add);
    case OpKind::sub:
      return made(Pair::sub);
    case OpKind::mul:
      return made(Pair::mul);
    case OpKind::div:
      return made(Pair::div);
    case OpKind::maximum:
      return made(Pair::maximum);
    case OpKind::minimum:
      return made(Pair::minimum);
    case OpKind::prelu:
      return made(Pair::slope);
    default:
      return nullptr;
  }
}

}  // namespace edgetwin::train
