// Operators that are no layers with weights: the plain operator and the fast one side by side, the
// least time of rounds that alternate, as whatever else the machine does can only lengthen one.
//
//   bench_elements [PART]      the operators whose names contain it
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

#include "exec/session.h"

namespace edgetwin {
namespace {

constexpr int kRounds = 50;  // of the fast operator; a fifth of the plain one

struct Case {
  const char* name;
  const char* numerics;
  OpKind kind;
  DType type;
  Shape a, b, out;
  std::vector<int32_t> numbers;  // a second operand that is constant
  DType out_type;
};

Value tensor(const char* name, DType type, const Shape& shape, float scale) {
  Value v;
  v.name = name;
  v.dtype = type;
  v.shape = shape;
  v.quant = Quant::affine(scale, type == DType::int16 ? 0 : 5);
  return v;
}

// Outputs whose scale and zero point the operator prescribes.
Quant output_quant(const Case& c) {
  const int lowest = c.type == DType::int8 ? -128 : 0;
  switch (c.kind) {
    case OpKind::resize_bilinear:
    case OpKind::resize_nearest_neighbor:
      return Quant::affine(0.0473F, c.type == DType::int16 ? 0 : 5);
    case OpKind::softmax:
      return Quant::affine(1.0F / 256, lowest);
    case OpKind::l2_normalization:
      return Quant::affine(1.0F / 128, lowest + 128);
    case OpKind::logistic:
    case OpKind::tanh:
      return Quant::affine(1.0F / 32768, 0);
    default:
      return Quant::affine(0.0587F, c.type == DType::int16 ? 0 : 5);
  }
}

Op operator_of(const Case& c) {
  Op op;
  op.kind = c.kind;
  op.inputs = {0, 1};
  op.outputs = {2};
  switch (c.kind) {
    case OpKind::resize_bilinear:
      op.attrs = ResizeAttrs{.align_corners = true};  // as DeepLab has it
      break;
    case OpKind::resize_nearest_neighbor:
      op.attrs = ResizeAttrs{};
      break;
    case OpKind::arg_max:
      op.attrs = ArgAttrs{};
      break;
    case OpKind::softmax:
      op.attrs = SoftmaxAttrs{.beta = 1.0F};
      break;
    case OpKind::l2_normalization:
      op.attrs = ActivationAttrs{};
      break;
    case OpKind::logistic:
    case OpKind::tanh:
      break;
    default:
      op.attrs = BinaryAttrs{};
  }
  return op;
}

std::shared_ptr<const Graph> graph_of(const Case& c) {
  auto graph = std::make_shared<Graph>();
  Op op = operator_of(c);
  if (c.b.rank() == 0 && c.numbers.empty()) {
    graph->values.push_back(tensor("a", c.type, c.a, 0.0473F));
    graph->values.push_back(tensor("y", c.out_type, c.out, 0.0587F));
    graph->values.back().quant = output_quant(c);
    op.inputs = {0};
    op.outputs = {1};
    graph->ops = {op};
    graph->inputs = {0};
    graph->outputs = {1};
    return graph;
  }
  graph->values.push_back(tensor("a", c.type, c.a, 0.0473F));
  graph->inputs = {0};
  if (c.numbers.empty()) {
    graph->values.push_back(tensor("b", c.type, c.b, 0.0311F));
    graph->inputs.push_back(1);
  } else {
    Value v;
    v.name = "numbers";
    v.dtype = DType::int32;
    if (c.numbers.size() > 1) v.shape = {static_cast<int64_t>(c.numbers.size())};
    v.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(c.numbers))));
    graph->values.push_back(std::move(v));
  }
  graph->values.push_back(tensor("y", c.out_type, c.out, 0.0587F));
  graph->values.back().quant = c.out_type == c.type ? output_quant(c) : Quant{};
  graph->ops = {op};
  graph->outputs = {2};
  return graph;
}

Result<exec::Session> session_of(const Case& c, bool fast) {
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(graph_of(c), {.numerics = c.numerics, .fast = fast}));
  for (size_t i = 0; i < session.graph().inputs.size(); ++i) {
    Bytes data(static_cast<size_t>((i == 0 ? c.a : c.b).elements()) * byte_size(c.type));
    for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::byte>(k * 37 % 251);
    EDGETWIN_TRY(session.set_input(i, data));
  }
  return session;
}

// The operator alone, without the copy of the inputs.
double run_once(exec::Session& session) {
  double time = 0;
  const auto observe = [&time](size_t, std::chrono::nanoseconds elapsed) {
    time += 1e-9 * static_cast<double>(elapsed.count());
  };
  if (!session.run(observe).ok()) std::puts("the run failed");
  return time;
}

int measure(const Case& c) {
  auto plain = session_of(c, false), fast = session_of(c, true);
  if (!plain.ok() || !fast.ok()) {
    std::printf("%s: no session\n", c.name);
    return 1;
  }
  double p = run_once(*plain), f = run_once(*fast);
  for (int i = 0; i < kRounds; ++i) {
    if (i % 5 == 0) p = std::min(p, run_once(*plain));
    f = std::min(f, run_once(*fast));
  }
  const bool equal = plain->output(0).data == fast->output(0).data;
  const double elements = static_cast<double>(std::max(c.a.elements(), c.out.elements()));
  std::printf("%-34s %-13s %9.4f %9.4f %8.2f %8.2f %7.1f  %s\n", c.name, c.numerics, p * 1e3,
              f * 1e3, p * 1e9 / elements, f * 1e9 / elements, p / f,
              equal ? "equal" : "DIFFERENT");
  return equal ? 0 : 1;
}

Case softmax(const char* name, const char* numerics, DType type, const Shape& shape) {
  return {name, numerics, OpKind::softmax, type, shape, {}, shape, {}, type};
}

int measure_all(std::string_view part) {
  using enum DType;
  const Shape x = {1, 56, 56, 64}, channel = {1, 1, 1, 64}, colour = {1, 1, 1, 3};
  const Shape picture = {1, 192, 192, 3}, classes = {200, 1001};
  const std::vector<Case> cases = {
      {"ADD int8", "tflite", OpKind::add, int8, x, x, x, {}, int8},
      {"ADD uint8", "tflite", OpKind::add, uint8, x, x, x, {}, uint8},
      {"ADD int8, single rounding", "tflite-single", OpKind::add, int8, x, x, x, {}, int8},
      {"ADD int8, Edge TPU", "edgetpu", OpKind::add, int8, x, x, x, {}, int8},
      {"ADD int8, one row of channels", "tflite", OpKind::add, int8, x, channel, x, {}, int8},
      {"ADD int16", "tflite", OpKind::add, int16, x, x, x, {}, int16},
      {"SUB int8", "tflite", OpKind::sub, int8, x, x, x, {}, int8},
      {"MUL int8", "tflite", OpKind::mul, int8, x, x, x, {}, int8},
      {"MUL int8, Edge TPU", "edgetpu", OpKind::mul, int8, x, x, x, {}, int8},
      {"MUL int16", "tflite", OpKind::mul, int16, x, x, x, {}, int16},
      {"SUB int8, one row of 3", "tflite", OpKind::sub, int8, picture, colour, picture, {}, int8},
      softmax("SOFTMAX uint8 of 1001", "tflite", uint8, {200, 1001}),
      softmax("SOFTMAX int8 of 1001", "tflite", int8, {200, 1001}),
      softmax("SOFTMAX int8 of 21", "tflite", int8, {9632, 21}),
      softmax("SOFTMAX int8, one row of 1001", "edgetpu", int8, {1, 1001}),
      softmax("SOFTMAX int8 of 1001", "edgetpu", int8, {200, 1001}),
      softmax("SOFTMAX uint8 of 1000", "edgetpu", uint8, {200, 1000}),
      softmax("SOFTMAX int8 of 300", "edgetpu", int8, {669, 300}),
      softmax("SOFTMAX int8 of 90", "edgetpu", int8, {2230, 90}),
      softmax("SOFTMAX int8 of 21", "edgetpu", int8, {9632, 21}),
      softmax("SOFTMAX int8 of 10", "edgetpu", int8, {20070, 10}),
      softmax("SOFTMAX int8, one row of 10", "edgetpu", int8, {1, 10}),
      {"L2_NORMALIZATION int8 of 1001",
       "tflite",
       OpKind::l2_normalization,
       int8,
       classes,
       {},
       classes,
       {},
       int8},
      {"L2_NORMALIZATION uint8 of 1001",
       "tflite",
       OpKind::l2_normalization,
       uint8,
       classes,
       {},
       classes,
       {},
       uint8},
      {"LOGISTIC int16", "tflite", OpKind::logistic, int16, x, {}, x, {}, int16},
      {"TANH int16", "tflite", OpKind::tanh, int16, x, {}, x, {}, int16},
      {"RESIZE_BILINEAR int8 65 -> 513",
       "tflite",
       OpKind::resize_bilinear,
       int8,
       {1, 65, 65, 21},
       {},
       {1, 513, 513, 21},
       {513, 513},
       int8},
      {"RESIZE_BILINEAR uint8 65 -> 513",
       "tflite",
       OpKind::resize_bilinear,
       uint8,
       {1, 65, 65, 21},
       {},
       {1, 513, 513, 21},
       {513, 513},
       uint8},
      {"RESIZE_BILINEAR int8 65 -> 320",
       "tflite",
       OpKind::resize_bilinear,
       int8,
       {1, 65, 65, 21},
       {},
       {1, 320, 320, 21},
       {320, 320},
       int8},
      {"RESIZE_BILINEAR uint8 65 -> 320",
       "tflite",
       OpKind::resize_bilinear,
       uint8,
       {1, 65, 65, 21},
       {},
       {1, 320, 320, 21},
       {320, 320},
       uint8},
      {"RESIZE_BILINEAR uint8, Edge TPU",
       "edgetpu",
       OpKind::resize_bilinear,
       uint8,
       {1, 65, 65, 21},
       {},
       {1, 320, 320, 21},
       {320, 320},
       uint8},
      {"RESIZE_NEAREST uint8 65 -> 513",
       "tflite",
       OpKind::resize_nearest_neighbor,
       uint8,
       {1, 65, 65, 21},
       {},
       {1, 513, 513, 21},
       {513, 513},
       uint8},
      {"RESIZE_NEAREST uint8, colours",
       "tflite",
       OpKind::resize_nearest_neighbor,
       uint8,
       {1, 320, 320, 3},
       {},
       {1, 640, 640, 3},
       {640, 640},
       uint8},
      {"ARG_MAX uint8 of 21",
       "tflite",
       OpKind::arg_max,
       uint8,
       {1, 513, 513, 21},
       {},
       {1, 513, 513},
       {3},
       int64}};
  std::printf("%-34s %-13s %9s %9s %8s %8s %7s\n", "least time", "numerics", "plain ms", "fast ms",
              "ns/elem", "ns/elem", "times");
  int different = 0;
  for (const Case& c : cases) {
    if (std::string_view(c.name).find(part) != std::string_view::npos) different += measure(c);
  }
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace edgetwin

int main(int argc, char** argv) { return edgetwin::measure_all(argc > 1 ? argv[1] : ""); }
