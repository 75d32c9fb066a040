// Pictures resized: the plain operator, the fast one and a copy of the output in memory, in turns;
// the least time of each per byte of the output.
//
//   bench_resize [PART]      the rows whose names contain it
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "exec/session.h"

namespace edgetwin {
namespace {

constexpr int kRounds = 60;  // of the fast operator; a tenth of the plain one

enum class Positions { corner, align_corners, half_pixel };

struct Case {
  OpKind kind;
  const char* numerics;
  DType type;
  int32_t in, out, channels;
  Positions positions;
};

const char* name_of(Positions positions) {
  if (positions == Positions::align_corners) return "align_corners";
  return positions == Positions::half_pixel ? "half_pixel" : "";
}

std::string name_of(const Case& c) {
  const std::string what = c.kind == OpKind::resize_bilinear ? "bilinear" : "nearest";
  return what + " " + (c.type == DType::int8 ? "int8" : "uint8") + " " + c.numerics + " " +
         std::to_string(c.in) + " -> " + std::to_string(c.out) + " x " +
         std::to_string(c.channels) + " " + name_of(c.positions);
}

Value tensor(const char* name, DType type, const Shape& shape) {
  Value v;
  v.name = name;
  v.dtype = type;
  v.shape = shape;
  v.quant = Quant::affine(0.05F, 5);
  return v;
}

std::shared_ptr<const Graph> graph_of(const Case& c) {
  auto graph = std::make_shared<Graph>();
  graph->values.push_back(tensor("x", c.type, {1, c.in, c.in, c.channels}));
  const std::vector<int32_t> size = {c.out, c.out};
  Value numbers;
  numbers.name = "size";
  numbers.dtype = DType::int32;
  numbers.shape = {2};
  numbers.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(size))));
  graph->values.push_back(std::move(numbers));
  graph->values.push_back(tensor("y", c.type, {1, c.out, c.out, c.channels}));
  Op op;
  op.kind = c.kind;
  op.attrs = ResizeAttrs{.align_corners = c.positions == Positions::align_corners,
                         .half_pixel_centers = c.positions == Positions::half_pixel};
  op.inputs = {0, 1};
  op.outputs = {2};
  graph->ops = {op};
  graph->inputs = {0};
  graph->outputs = {2};
  return graph;
}

Result<exec::Session> session_of(const Case& c, bool fast) {
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(graph_of(c), {.numerics = c.numerics, .fast = fast}));
  Bytes data(static_cast<size_t>(c.in) * static_cast<size_t>(c.in) *
             static_cast<size_t>(c.channels));
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::byte>(k * 37 % 251);
  EDGETWIN_TRY(session.set_input(0, data));
  return session;
}

// In nanoseconds, without the copy of the input.
double run_once(exec::Session& session) {
  double time = 0;
  const auto observe = [&time](size_t, std::chrono::nanoseconds elapsed) {
    time += static_cast<double>(elapsed.count());
  };
  if (!session.run(observe).ok()) std::puts("the run failed");
  return time;
}

// The second of two copies: pages and caches are then as warm as they get.
double copy_once(const Bytes& from, Bytes& to) {
  double time = 0;
  for (int i = 0; i < 2; ++i) {
    const auto start = std::chrono::steady_clock::now();
    std::memcpy(to.data(), from.data(), from.size());
    asm volatile("" : : "r"(to.data()) : "memory");
    time = static_cast<double>((std::chrono::steady_clock::now() - start).count());
  }
  return time;
}

int measure(const Case& c) {
  auto plain = session_of(c, false), fast = session_of(c, true);
  if (!plain.ok() || !fast.ok()) {
    std::printf("%s: no session\n", name_of(c).c_str());
    return 1;
  }
  double p = run_once(*plain), f = run_once(*fast);
  const Bytes expected = plain->output(0).data, from = fast->output(0).data;
  Bytes to(from.size());
  double copy = copy_once(from, to);
  for (int i = 0; i < kRounds; ++i) {
    if (i % 10 == 0) p = std::min(p, run_once(*plain));
    f = std::min(f, run_once(*fast));
    copy = std::min(copy, copy_once(from, to));
  }
  const bool equal = fast->output(0).data == expected;
  const auto bytes = static_cast<double>(from.size());
  std::printf("%-58s %7.2f %8.3f %8.3f %7.1f  %s\n", name_of(c).c_str(), p / bytes, f / bytes,
              copy / bytes, f / copy, equal ? "equal" : "DIFFERENT");
  return equal ? 0 : 1;
}

std::vector<Case> all_cases() {
  constexpr OpKind kBilinear = OpKind::resize_bilinear, kNearest = OpKind::resize_nearest_neighbor;
  constexpr Positions kAlign = Positions::align_corners, kHalf = Positions::half_pixel;
  std::vector<Case> cases;
  const auto add = [&](const char* numerics, DType type) {
    for (const int32_t channels : {3, 21, 64}) {
      cases.push_back({kBilinear, numerics, type, 32, 64, channels, kHalf});
      cases.push_back({kBilinear, numerics, type, 64, 224, channels, kHalf});
      cases.push_back({kBilinear, numerics, type, 65, 320, channels, kAlign});
      cases.push_back({kBilinear, numerics, type, 65, 513, channels, kAlign});
      cases.push_back({kBilinear, numerics, type, 20, 640, channels == 64 ? 16 : channels, kHalf});
    }
    cases.push_back({kBilinear, numerics, type, 65, 129, 256, Positions::corner});
  };
  add("tflite", DType::int8);
  add("tflite", DType::uint8);
  add("edgetpu", DType::uint8);
  for (const int32_t channels : {1, 3, 4, 21, 64}) {
    cases.push_back({kNearest, "tflite", DType::uint8, 320, 640, channels, Positions::corner});
    cases.push_back({kNearest, "tflite", DType::uint8, 65, 513, channels, kAlign});
  }
  return cases;
}

int measure_all(std::string_view part) {
  std::printf("%-58s %7s %8s %8s %7s\n", "ns per byte of the output, least", "plain", "fast",
              "copy", "copies");
  int different = 0;
  for (const Case& c : all_cases()) {
    if (name_of(c).find(part) != std::string::npos) different += measure(c);
  }
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace edgetwin

int main(int argc, char** argv) { return edgetwin::measure_all(argc > 1 ? argv[1] : ""); }
