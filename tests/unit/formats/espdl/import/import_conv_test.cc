// Weights in the orders of the targets, and the operators that have them.
// Source: specification of the runtime 3.2, 4.3; operators 2 and 5.
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/espdl/import/import_sketch.h"

namespace edgetwin::espdl {
namespace {

using namespace testing;

int weight_at(int n, int c, int y, int x) { return (n * 7 + c * 3 + y * 5 + x * 11) % 15 - 7; }

// The index formulas of the specification, written once more.
size_t stored_at(Target target, bool grouped, int n, int c, int y, int x, int N, int C, int H,
                 int W) {
  const int block = 16, full = N / block * block;
  if (target == Target::c) {
    return static_cast<size_t>(grouped ? ((y * W + x) * C + c) * N + n
                                       : ((n * H + y) * W + x) * C + c);
  }
  if (n < full) {
    return static_cast<size_t>((((n / block * H + y) * W + x) * C + c) * block + n % block);
  }
  const int rest = n - full;
  return static_cast<size_t>(full * H * W * C + (grouped ? ((c * H + y) * W + x) * (N - full) + rest
                                                         : ((rest * H + y) * W + x) * C + c));
}

TensorData weights(Target target, bool grouped, int N, int C, int H, int W) {
  std::vector<int8_t> v(static_cast<size_t>(N * C * H * W));
  for (int n = 0; n < N; ++n) {
    for (int c = 0; c < C; ++c) {
      for (int y = 0; y < H; ++y) {
        for (int x = 0; x < W; ++x) {
          v[stored_at(target, grouped, n, c, y, x, N, C, H, W)] =
              static_cast<int8_t>(weight_at(n, c, y, x));
        }
      }
    }
  }
  const std::vector<int64_t> dims =
      grouped ? std::vector<int64_t>{H, W, N, C} : std::vector<int64_t>{H, W, C, N};
  return data<int8_t>("w", DataType::int8, dims, v, {-3});
}

constexpr Target kTargets[] = {Target::c, Target::esp32s3, Target::esp32p4};

std::string numerics_of(Target t) {
  return t == Target::c ? "espdl-c" : t == Target::esp32s3 ? "espdl-s3" : "espdl-p4";
}

std::vector<int8_t> ramp(int n) {
  std::vector<int8_t> v;
  for (int i = 0; i < n; ++i) v.push_back(static_cast<int8_t>(i % 17 - 8));
  return v;
}

TEST(LowerConv, TheSameLayerInEveryOrder) {
  const int N = 19, C = 3, H = 2, W = 3, IH = 4, IW = 5;
  const auto in = ramp(IH * IW * C);
  std::vector<int> wanted;
  for (int oy = 0; oy < IH - 1; ++oy) {
    for (int ox = 0; ox < IW; ++ox) {  // pads [0, 1, 0, 1]
      for (int n = 0; n < N; ++n) {
        int sum = 0;
        for (int y = 0; y < H; ++y) {
          for (int x = 0; x < W; ++x) {
            const int ix = ox + x - 1;
            if (ix < 0 || ix >= IW) continue;
            for (int c = 0; c < C; ++c) {
              sum += in[static_cast<size_t>(((oy + y) * IW + ix) * C + c)] * weight_at(n, c, y, x);
            }
          }
        }
        wanted.push_back(std::clamp(sum, -128, 127));
      }
    }
  }
  for (const Target target : kTargets) {
    Sketch s("Conv", {list("pads", {0, 1, 0, 1}), list("strides", {1, 1}), integer("group", 1)});
    s.in({1, IH, IW, C}, DataType::int8, 0).constant(weights(target, false, N, C, H, W));
    s.out({1, IH - 1, IW, N}, DataType::int8, -3);
    EXPECT_EQ(s.op(target).kind, OpKind::conv_2d);
    EXPECT_EQ(s.run(in, numerics_of(target), target), wanted) << name(target);
  }
}

TEST(LowerConv, DepthwiseInEveryOrder) {
  const int N = 21, H = 2, W = 2;
  const auto in = ramp(H * W * N);
  std::vector<int> wanted;
  for (int n = 0; n < N; ++n) {
    int sum = n;
    for (int y = 0; y < H; ++y) {
      for (int x = 0; x < W; ++x) {
        sum += in[static_cast<size_t>((y * W + x) * N + n)] * weight_at(n, 0, y, x);
      }
    }
    wanted.push_back(std::max(0, std::clamp(sum, -128, 127)));
  }
  std::vector<int32_t> bias(N);
  for (int n = 0; n < N; ++n) bias[static_cast<size_t>(n)] = n;
  for (const Target target : kTargets) {
    Sketch s("Conv", {integer("group", N), text("activation", "Relu")});
    s.in({1, H, W, N}, DataType::int8, 0).constant(weights(target, true, N, 1, H, W));
    s.constant(data<int32_t>("b", DataType::int32, {N}, bias, {-3}));
    s.out({1, 1, 1, N});
    EXPECT_EQ(s.op(target).kind, OpKind::depthwise_conv_2d);
    EXPECT_EQ(s.run(in, numerics_of(target), target), wanted) << name(target);
  }
}

TEST(LowerConv, OneDimension) {
  TensorData w = weights(Target::c, false, 2, 1, 1, 3);
  w.dims = {3, 1, 2};
  Sketch s("Conv", {list("pads", {1, 1}), list("strides", {2}), list("dilations", {1})});
  s.in({1, 4, 1}, DataType::int8, 0).constant(w).out({1, 2, 2});
  const auto a = s.op().as<Conv2DAttrs>();
  EXPECT_EQ(a.padding, (Padding{Padding::Kind::given, 0, 1, 0, 1}));
  EXPECT_EQ(a.stride_w, 2);
  const auto tap = [](int n, int x) { return weight_at(n, 0, 0, x); };
  std::vector<int> wanted;
  for (const int at : {0, 2}) {
    for (int n = 0; n < 2; ++n) {
      const int in[] = {0, 1, 2, 3, 4, 0};
      wanted.push_back(in[at] * tap(n, 0) + in[at + 1] * tap(n, 1) + in[at + 2] * tap(n, 2));
    }
  }
  EXPECT_EQ(s.run<int8_t>({1, 2, 3, 4}, "espdl-c", Target::c), wanted);
}

TEST(LowerConv, ExponentsPerChannel) {
  TensorData w = weights(Target::esp32p4, false, 2, 1, 1, 1);
  w.data = {std::byte{3}, std::byte{3}};
  w.exponents = {-3, -4};
  Sketch s("Conv");
  s.in({1, 1, 1, 1}, DataType::int8, 0).constant(w).out({1, 1, 1, 2});
  EXPECT_EQ(s.run<int8_t>({10}, "espdl-p4", Target::esp32p4), (std::vector<int>{30, 15}));
  w.exponents = {-3, -4, -5};
  Sketch wrong("Conv");
  wrong.in({1, 1, 1, 1}).constant(w).out({1, 1, 1, 2});
  EXPECT_EQ(wrong.error(Target::esp32p4), ErrorCode::espdl_tensor);
  w.exponents = {-3, -2000};
  Sketch far("Conv");
  far.in({1, 1, 1, 1}).constant(w).out({1, 1, 1, 2});
  EXPECT_EQ(far.error(Target::esp32p4), ErrorCode::espdl_tensor);
}

TEST(LowerConv, Refusals) {
  const auto error = [](std::vector<Attribute> attributes, TensorData w) {
    Sketch s("Conv", std::move(attributes));
    s.in({1, 4, 4, 4}).constant(std::move(w)).out({1, 4, 4, 4});
    return s.error();
  };
  const TensorData good = weights(Target::c, false, 4, 4, 1, 1);
  EXPECT_EQ(error({integer("group", 2)}, weights(Target::c, true, 4, 2, 1, 1)),
            ErrorCode::op_undefined);
  EXPECT_EQ(error({integer("group", 4)}, weights(Target::c, true, 8, 1, 1, 1)),
            ErrorCode::op_undefined);
  EXPECT_EQ(error({text("activation", "LeakyRelu")}, good), ErrorCode::espdl_attribute);
  EXPECT_EQ(error({list("strides", {1})}, good), ErrorCode::espdl_attribute);
  EXPECT_EQ(error({list("strides", {1, -1})}, good), ErrorCode::espdl_attribute);
  EXPECT_EQ(error({list("pads", {1, 1})}, good), ErrorCode::espdl_attribute);
  EXPECT_EQ(error({list("pads", {1, 1, 1, -1})}, good), ErrorCode::espdl_attribute);
  TensorData wide = data<int32_t>("w", DataType::int32, {1, 1, 4, 4}, std::vector<int32_t>(16));
  EXPECT_EQ(error({}, wide), ErrorCode::espdl_tensor);
  TensorData flat = good;
  flat.dims = {4, 4};
  EXPECT_EQ(error({}, flat), ErrorCode::espdl_layout);
  TensorData cut = good;
  cut.data.resize(15);
  EXPECT_EQ(error({}, cut), ErrorCode::espdl_layout);
  Sketch computed("Conv");
  computed.in({1, 4, 4, 4}).in({1, 1, 4, 4}).out({1, 4, 4, 4});
  EXPECT_EQ(computed.error(), ErrorCode::espdl_reference);
}

TEST(LowerGemm, OrdersAndRefusals) {
  const int N = 18, C = 5;
  const auto in = ramp(C);
  std::vector<int> wanted;
  for (int n = 0; n < N; ++n) {
    int sum = 0;
    for (int c = 0; c < C; ++c) sum += in[static_cast<size_t>(c)] * weight_at(n, c, 0, 0);
    wanted.push_back(std::clamp(sum, -128, 127));
  }
  const auto gemm = [&](Target target, std::vector<Attribute> attributes) {
    Sketch s("Gemm", std::move(attributes));
    s.in({1, C}, DataType::int8, 0).constant(weights(target, false, N, C, 1, 1)).out({1, N});
    return s;
  };
  for (const Target target : kTargets) {
    EXPECT_EQ(gemm(target, {integer("transB", 0)}).run(in, numerics_of(target), target), wanted);
  }
  EXPECT_EQ(gemm(Target::c, {integer("transA", 1)}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(gemm(Target::c, {integer("transB", 1)}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(gemm(Target::c, {real("alpha", 0.5F)}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(gemm(Target::c, {real("beta", 2.0F)}).error(), ErrorCode::espdl_attribute);
}

TEST(LowerMatMul, ConstantMatrices) {
  const int N = 17, C = 3;
  const auto in = ramp(2 * C);
  for (const Target target : kTargets) {
    // Two matrices, each in blocks of its own: the second is the first plus one.
    TensorData w = weights(target, false, N, C, 1, 1);
    const Bytes first = w.data;
    for (const std::byte b : first)
      w.data.push_back(static_cast<std::byte>(static_cast<int>(b) + 1));
    w.dims = {2, C, N};
    Sketch s("MatMul");
    s.in({2, 1, C}, DataType::int8, 0).constant(w).out({2, 1, N});
    EXPECT_EQ(s.op(target).kind, OpKind::matmul);
    std::vector<int> wanted;
    for (int b = 0; b < 2; ++b) {
      for (int n = 0; n < N; ++n) {
        int sum = 0;
        for (int c = 0; c < C; ++c) {
          sum += in[static_cast<size_t>(b * C + c)] * (weight_at(n, c, 0, 0) + b);
        }
        wanted.push_back(std::clamp(sum, -128, 127));
      }
    }
    EXPECT_EQ(s.run(in, numerics_of(target), target), wanted) << name(target);
    w.dims = {C, N};
    w.data = first;
    Sketch one("MatMul");
    one.in({2, C}, DataType::int8, 0).constant(w).out({2, N});
    EXPECT_EQ(one.op(target).kind, OpKind::fully_connected);
  }
}

TEST(LowerMatMul, ComputedMatrices) {
  Sketch s("MatMul", {text("activation", "Relu")});
  s.in({2, 3}).in({3, 17}).out({2, 17});
  EXPECT_EQ(s.op(Target::c).as<MatMulAttrs>().rhs_order, MatMulAttrs::Order::columns);
  EXPECT_EQ(s.op(Target::c).as<MatMulAttrs>().activation, Activation::relu);
  EXPECT_EQ(s.op(Target::esp32p4).as<MatMulAttrs>().rhs_order, MatMulAttrs::Order::blocks);
  EXPECT_EQ(s.op(Target::esp32p4).as<MatMulAttrs>().block, 16);
  Sketch wide("MatMul");
  wide.in({2, 3}, DataType::int16).in({3, 17}, DataType::int16).out({2, 17}, DataType::int16);
  EXPECT_EQ(wide.op(Target::esp32s3).as<MatMulAttrs>().block, 8);
  Sketch alone("MatMul");
  alone.in({2, 3}).out({2});
  EXPECT_EQ(alone.error(), ErrorCode::graph_arity);
}

TEST(LowerPool, AttributesAndWarnings) {
  const auto pool = [](const char* type, std::vector<Attribute> attributes) {
    Sketch s(type, std::move(attributes));
    s.in({1, 4, 4, 2}).out({1, 2, 2, 2});
    return s;
  };
  const Sketch max = pool("MaxPool", {list("kernel_shape", {2, 3}), list("strides", {1, 2})});
  EXPECT_EQ(max.op().kind, OpKind::max_pool_2d);
  EXPECT_EQ(max.op().as<PoolAttrs>().filter_w, 3);
  EXPECT_EQ(max.op().as<PoolAttrs>().stride_w, 2);
  EXPECT_EQ(pool("GlobalAveragePool", {}).op().as<PoolAttrs>().filter_h, 0);
  EXPECT_EQ(pool("AveragePool", {}).error(), ErrorCode::espdl_attribute);
  const auto findings = [&](std::vector<Attribute> attributes) {
    attributes.push_back(list("kernel_shape", {2, 2}));
    return pool("AveragePool", std::move(attributes)).imported()->findings.size();
  };
  EXPECT_EQ(findings({list("pads", {0, 0, 0, 0})}), 0U);
  EXPECT_EQ(findings({list("pads", {1, 0, 0, 0})}), 1U);
  EXPECT_EQ(findings({list("pads", {1, 0, 0, 0}), integer("count_include_pad", 1)}), 0U);
  EXPECT_EQ(findings({integer("ceil_mode", 1)}), 1U);
}

}  // namespace
}  // namespace edgetwin::espdl
