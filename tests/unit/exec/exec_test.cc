#include <gtest/gtest.h>

#include <random>

#include "exec/arena.h"
#include "exec/input.h"
#include "exec/session.h"

namespace edgetwin::exec {
namespace {

TEST(Arena, LivingTensorsNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lifetimes(random() % 40);
    for (Lifetime& l : lifetimes) {
      l.bytes = static_cast<int64_t>(random() % 1000);
      l.first = static_cast<int>(random() % 30);
      l.last = l.first + static_cast<int>(random() % 10);
    }
    const ArenaLayout layout = place(lifetimes);
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      EXPECT_EQ(layout.offsets[a] % kArenaAlignment, 0);
      EXPECT_LE(layout.offsets[a] + lifetimes[a].bytes, layout.bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool alive =
            lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
        const bool share = layout.offsets[a] < layout.offsets[b] + lifetimes[b].bytes &&
                           layout.offsets[b] < layout.offsets[a] + lifetimes[a].bytes;
        ASSERT_FALSE(alive && share) << "round " << round << ": " << a << " and " << b;
      }
    }
    EXPECT_LE(lower_bound(lifetimes), layout.bytes);
  }
}

TEST(Arena, ChainNeedsTwoNeighboursOnly) {
  const std::vector<Lifetime> chain = {{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  EXPECT_EQ(place(chain).bytes, 1280);
  EXPECT_EQ(lower_bound(chain), 1280);
}

Value value(const std::string& name, DType type, const Shape& shape, const Quant& quant = {}) {
  Value v;
  v.name = name;
  v.dtype = type;
  v.shape = shape;
  v.quant = quant;
  return v;
}

Op op(OpKind kind, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Op o;
  o.kind = kind;
  o.attrs = default_attrs(kind);
  o.inputs = std::move(inputs);
  o.outputs = std::move(outputs);
  return o;
}

// The shape of x, doubled by ADD with itself, is computed while planning.
TEST(Session, ConstantOperatorsAreFolded) {
  auto g = std::make_shared<Graph>();
  g->values = {value("x", DType::int8, {1, 6}), value("shape", DType::int32, {2}),
               value("twice", DType::int32, {2})};
  g->ops = {op(OpKind::shape, {0}, {1}), op(OpKind::add, {1, 1}, {2})};
  g->inputs = {0};
  g->outputs = {2};
  auto session = Session::create(g, {});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_TRUE(session->steps()[0].folded);
  EXPECT_TRUE(session->steps()[1].folded);
  ASSERT_TRUE(session->run().ok());
  const Tensor y = session->output(0);
  EXPECT_EQ(y.as<int32_t>()[0], 2);
  EXPECT_EQ(y.as<int32_t>()[1], 12);
}

// Two layers with the same weights: they are given back after the second.
TEST(Session, WeightsOfSeveralLayersAreGivenBackOnce) {
  const Quant scale = Quant::affine(0.5F, 0);
  auto g = std::make_shared<Graph>();
  g->values = {value("x", DType::int8, {1, 4}, scale), value("w", DType::int8, {4, 4}, scale),
               value("y", DType::int8, {1, 4}, scale), value("z", DType::int8, {1, 4}, scale)};
  const std::vector<int8_t> w = {1, 0, 2, 0, 0, -3, 0, 1, 5, 0, 0, 0, 0, 0, 0, 4};
  const auto* bytes = reinterpret_cast<const std::byte*>(w.data());
  g->values[1].constant = std::make_shared<const Bytes>(bytes, bytes + w.size());
  g->ops = {op(OpKind::fully_connected, {0, 1, kAbsent}, {2}),
            op(OpKind::fully_connected, {2, 1, kAbsent}, {3})};
  g->inputs = {0};
  g->outputs = {3};
  std::vector<ValueId> given;
  Options options;
  options.given_back = [&](ValueId id) {
    given.push_back(id);
    g->value(id).constant = std::make_shared<const Bytes>();
  };
  const auto outputs = [](Session& s) {
    const std::vector<std::byte> x = {std::byte{7}, std::byte{2}, std::byte{9}, std::byte{1}};
    EXPECT_TRUE(s.set_input(0, x).ok());
    EXPECT_TRUE(s.run().ok());
    return s.output(0).data;
  };
  auto all = Session::create(g, {});
  ASSERT_TRUE(all.ok()) << to_text(all.error());
  auto session = Session::create(g, options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_LE(given.size(), 1U);
  EXPECT_EQ(outputs(*session), outputs(*all));
  EXPECT_EQ(given.empty(), session->steps()[0].path == "plain");
}

// Inputs give up their place in the arena once they are used, but a second run has them again.
TEST(Session, InputsSurviveTheRun) {
  auto g = std::make_shared<Graph>();
  for (int i = 0; i < 4; ++i) g->values.push_back(value("v", DType::float32, {64}));
  for (ValueId i = 0; i < 3; ++i) g->ops.push_back(op(OpKind::relu, {i}, {i + 1}));
  g->inputs = {0};
  g->outputs = {3};
  auto session = Session::create(g, {});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_EQ(session->memory().arena_bytes, 512);
  Tensor x = *Tensor::zeros(DType::float32, {64});
  x.as<float>()[5] = 3.0F;
  ASSERT_TRUE(session->set_input(0, x.data).ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(session->run().ok());
    EXPECT_EQ(session->output(0).data, x.data);
    EXPECT_EQ(session->tensor(0).data, x.data);
  }
}

// F12: all pairs of tensors took minutes. Each tensor here lives for two steps, and every offset is
// the lowest one that no neighbour in time covers.
TEST(Arena, LongChains) {
  constexpr int kLength = 300000;
  std::vector<Lifetime> chain(kLength);
  for (int i = 0; i < kLength; ++i) chain[static_cast<size_t>(i)] = {16, i - 1, i};
  const ArenaLayout layout = place(chain);
  EXPECT_EQ(layout.bytes, 2 * kArenaAlignment);
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    ASSERT_NE(layout.offsets[i], layout.offsets[i + 1]) << i;
  }
}

// The greedy rule itself, over all that was placed before.
TEST(Arena, IsGreedyBySize) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<Lifetime> lifetimes(1 + random() % 60);
    for (Lifetime& l : lifetimes) {
      l.bytes = static_cast<int64_t>(random() % 5) * kArenaAlignment;
      l.first = static_cast<int>(random() % 30) - 1;
      l.last = l.first + static_cast<int>(random() % (round % 2 == 0 ? 3 : 30));
    }
    const ArenaLayout layout = place(lifetimes);
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      const auto is_free = [&](int64_t offset) {
        for (size_t b = 0; b < lifetimes.size(); ++b) {
          const bool before = lifetimes[b].bytes > lifetimes[i].bytes ||
                              (lifetimes[b].bytes == lifetimes[i].bytes && b < i);
          if (!before || lifetimes[b].last < lifetimes[i].first ||
              lifetimes[i].last < lifetimes[b].first) {
            continue;
          }
          if (offset < layout.offsets[b] + lifetimes[b].bytes &&
              layout.offsets[b] < offset + lifetimes[i].bytes) {
            return false;
          }
        }
        return true;
      };
      ASSERT_TRUE(is_free(layout.offsets[i])) << round << " " << i;
      for (int64_t lower = 0; lower < layout.offsets[i]; lower += kArenaAlignment) {
        ASSERT_FALSE(is_free(lower) && lifetimes[i].bytes > 0) << round << " " << i;
      }
    }
  }
}

TEST(Session, UnknownNumericsAndOperators) {
  auto g = std::make_shared<Graph>();
  g->values = {value("x", DType::int8, {1}), value("y", DType::int8, {1})};
  OpaqueAttrs attrs;
  attrs.name = "Mystery";
  g->ops = {op(OpKind::opaque, {0}, {1})};
  g->ops[0].attrs = attrs;
  g->inputs = {0};
  g->outputs = {1};
  EXPECT_EQ(Session::create(g, {.numerics = "nonsense"}).error().code, ErrorCode::numerics_unknown);
  const auto refused = Session::create(g, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::op_unsupported);
  EXPECT_NE(refused.error().message.find("Mystery"), std::string::npos);
}

TEST(Session, DeclaredShapeThatDoesNotFitIsAFinding) {
  auto g = std::make_shared<Graph>();
  g->values = {value("x", DType::float32, {2, 2}), value("y", DType::float32, {1, 1})};
  g->ops = {op(OpKind::relu, {0}, {1})};
  g->inputs = {0};
  g->outputs = {1};
  auto session = Session::create(g, {});
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->findings().size(), 1U);
  EXPECT_EQ(session->shape(1), (Shape{2, 2}));
}

TEST(Input, FloatIsQuantizedRawIsTaken) {
  const Value input = value("x", DType::int8, {1, 2}, Quant::affine(0.5F, 1));
  Tensor real = *Tensor::zeros(DType::float32, {2});
  real.as<float>()[0] = 1.0F;
  real.as<float>()[1] = -100.0F;
  const auto quantized = convert_input(real, input, input.shape);
  ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
  EXPECT_EQ(quantized->as<int8_t>()[0], 3);
  EXPECT_EQ(quantized->as<int8_t>()[1], -128);
  real.as<float>()[1] = std::nanf("");
  EXPECT_EQ(convert_input(real, input, input.shape).error().code, ErrorCode::input_not_finite);
  EXPECT_EQ(convert_input(*Tensor::zeros(DType::int8, {3}), input, input.shape).error().code,
            ErrorCode::input_shape);
  EXPECT_EQ(convert_input(*Tensor::zeros(DType::uint8, {2}), input, input.shape).error().code,
            ErrorCode::input_type);
}

// 3x2 to 2x2 by nearest neighbour, colour to grey: rows 0 and 1 of 3 (y * 3 / 2).
TEST(Input, PictureIsResizedAndGreyed) {
  Tensor picture = *Tensor::zeros(DType::uint8, {3, 2, 3});
  for (size_t i = 0; i < 18; ++i) picture.as<uint8_t>()[i] = static_cast<uint8_t>(10 * i);
  const Value grey = value("x", DType::int8, {1, 2, 2, 1}, Quant::affine(1, 0));
  const auto t = picture_input(picture, grey, grey.shape);
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  const auto expected = [](int r, int g, int b) {
    return (299 * r + 587 * g + 114 * b + 500) / 1000 - 128;
  };
  EXPECT_EQ(t->as<int8_t>()[0], expected(0, 10, 20));
  EXPECT_EQ(t->as<int8_t>()[1], expected(30, 40, 50));
  EXPECT_EQ(t->as<int8_t>()[2], expected(60, 70, 80));
  EXPECT_TRUE(picture_input(picture, value("x", DType::int8, {4, 4}), {4, 4}).ok());
  EXPECT_EQ(picture_input(picture, value("x", DType::int8, {1, 4}), {1, 4}).error().code,
            ErrorCode::input_shape);
  EXPECT_EQ(
      picture_input(picture, value("x", DType::int16, {1, 2, 2, 1}), {1, 2, 2, 1}).error().code,
      ErrorCode::input_type);
}

// Planes one after the other: (pixel - mean) / std of the channel.
TEST(Input, PicturesOfOnnxNetworksArePlanar) {
  Tensor picture = *Tensor::zeros(DType::uint8, {1, 2, 3});
  for (size_t i = 0; i < 6; ++i) picture.as<uint8_t>()[i] = static_cast<uint8_t>(10 * i);
  const Value input = value("x", DType::float32, {1, 3, 1, 2});
  const auto plain = planar_picture_input(picture, input, input.shape);
  ASSERT_TRUE(plain.ok()) << to_text(plain.error());
  EXPECT_EQ(plain->as<float>()[1], 30.0F / 255.0F);
  EXPECT_EQ(plain->as<float>()[2], 10.0F / 255.0F);
  const auto scaled =
      planar_picture_input(picture, input, input.shape, {{0.0F, 10.0F, 20.0F}, {2.0F}});
  ASSERT_TRUE(scaled.ok()) << to_text(scaled.error());
  const std::vector<float> wanted = {0.0F, 15.0F, 0.0F, 15.0F, 0.0F, 15.0F};
  EXPECT_EQ(std::vector<float>(scaled->as<float>().begin(), scaled->as<float>().end()), wanted);
  EXPECT_EQ(planar_picture_input(picture, input, input.shape, {{1.0F, 2.0F}, {}}).error().code,
            ErrorCode::usage);
  const Shape channels_last = {1, 2, 2, 3};
  const Value other = value("x", DType::float32, {1, 2, 2, 3});
  EXPECT_FALSE(planar_picture_input(picture, other, channels_last).ok()) << "two channels";
}

TEST(Input, GeneratedBytesRunThroughAllInputs) {
  Graph g;
  g.values = {value("a", DType::uint8, {3}), value("b", DType::int16, {1})};
  g.inputs = {0, 1};
  const std::vector<Shape> shapes = {{3}, {1}};
  const auto t = generated_inputs(1, g, shapes);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ((*t)[0].as<uint8_t>()[2], 0x9d);
  EXPECT_EQ((*t)[1].as<uint16_t>()[0], 0x8e12);
}

}  // namespace
}  // namespace edgetwin::exec
