#include "robotics/matmul/matmul_engine.h"

#include <algorithm>
#include <cmath>

#include "robotics/blob.h"
#include "robotics/matmul/byte_matmul.h"
#include "robotics/matmul/random.h"
#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;

Matrix random_matrix(size_t n, double size, uint64_t seed) {
  Random random(seed);
  Matrix w{n, n, std::vector<float>(n * n)};
  for (float& v : w.values) v = static_cast<float>((2.0 * random.uniform() - 1.0) * size);
  return w;
}

TEST(MatMul, ProductsAreThoseOfRealNumbers) {
  for (const char* numerics : {"edgetpu", "tflite"}) {
    auto m = MatMulEngine::from_template(64, {numerics});
    ASSERT_TRUE(m.ok()) << to_text(m.error());
    ASSERT_TRUE(m->open().ok());
    for (const uint64_t seed : {1U, 2U}) {
      const Matrix w = random_matrix(64, 0.05, seed);
      ASSERT_TRUE(m->set_weights(w).ok());
      std::vector<float> x(64);
      Random random(seed + 10);
      for (float& v : x) v = static_cast<float>(2.0 * random.uniform() - 1.0);
      const auto y = m->matmul(x);
      ASSERT_TRUE(y.ok());
      for (size_t r = 0; r < 64; ++r) {
        // Half a step of every weight, every input and the output, at most.
        double sum = 0.0, bound = m->output().scale;
        const double half_w = *m->weight_scale() / 2, half_x = m->input().scale / 2;
        for (size_t c = 0; c < 64; ++c) {
          sum += static_cast<double>(w.at(r, c)) * x[c];
          bound += std::fabs(x[c]) * half_w + std::fabs(w.at(r, c)) * half_x + half_w * half_x;
        }
        EXPECT_NEAR((*y)[r], sum, bound);
      }
    }
  }
}

TEST(MatMul, Life) {
  auto m = MatMulEngine::from_template(16);
  ASSERT_TRUE(m.ok());
  const std::vector<float> x(16, 0.5F);
  EXPECT_EQ(code_of(m->matmul(x)), ErrorCode::module_closed);
  EXPECT_EQ(code_of(m->set_weights(random_matrix(16, 0.5, 1))), ErrorCode::module_closed);
  ASSERT_TRUE(m->open().ok());
  EXPECT_EQ(code_of(m->matmul(x)), ErrorCode::module_state);
  ASSERT_TRUE(m->reset_weights().ok());
  EXPECT_TRUE(m->matmul(x).ok());
  ASSERT_TRUE(m->set_weights(random_matrix(16, 0.5, 1)).ok());
  const auto y = m->matmul(x);
  m->close();
  ASSERT_TRUE(m->open().ok());
  EXPECT_EQ(code_of(m->matmul(x)), ErrorCode::module_state);  // opening forgets
  ASSERT_TRUE(m->set_weights(random_matrix(16, 0.5, 1)).ok());
  EXPECT_EQ(*m->matmul(x), *y);
  EXPECT_EQ(code_of(m->matmul(std::vector<float>(15))), ErrorCode::module_input);
  EXPECT_EQ(code_of(m->matmul(std::vector<float>(16, std::nanf("")))), ErrorCode::module_input);
}

TEST(MatMul, RangesAndRefusals) {
  auto m = MatMulEngine::from_template(16);
  ASSERT_TRUE(m.ok() && m->open().ok());
  const auto range = m->weight_range();
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->first, -128.0 / 127.0, 1e-12);
  EXPECT_NEAR(range->second, 1.0, 1e-12);
  const auto wrong = m->set_weights(random_matrix(15, 0.5, 1));
  ASSERT_EQ(code_of(wrong), ErrorCode::module_weights);
  EXPECT_NE(wrong.error().message.find("15 x 15"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("16 x 16"), std::string::npos);
  Matrix bad = random_matrix(16, 0.5, 1);
  bad.at(3, 3) = std::nanf("");
  EXPECT_EQ(code_of(m->set_weights(bad)), ErrorCode::module_weights);
  EXPECT_EQ(code_of(MatMulEngine::from_template(16, {"tflite", 1, false})),
            ErrorCode::module_model);
  // Numbers beyond the range are limited.
  Matrix large = random_matrix(16, 5.0, 1);
  const auto q = m->quantize_weights(large);
  ASSERT_TRUE(q.ok());
  for (size_t i = 0; i < q->size(); ++i) {
    const float step = std::nearbyint(large.values[i] * 127.0F);
    EXPECT_NEAR((*q)[i], std::min(127.0F, std::max(-128.0F, step)), 1);
  }
}

TEST(MatMul, NoScaleNoWeights) {
  edgetpu::templates::Dense a;
  a.n = 8;
  const auto made = edgetpu::templates::build(a);
  auto engine = twin_engine(made->model);
  ASSERT_TRUE(engine.ok());
  auto m = MatMulEngine::create(std::shared_ptr<Engine>(std::move(*engine)), Sidecar());
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->matrix_size(), 8U);
  EXPECT_FALSE(m->weight_range());
  ASSERT_TRUE(m->open().ok());
  EXPECT_EQ(code_of(m->set_weights(random_matrix(8, 0.5, 1))), ErrorCode::module_model);
}

// The steps of the model, not of a side-car file, and then one for each row.
TEST(MatMul, WithoutSidecarTheScalesAreTheModels) {
  edgetpu::templates::Dense a;
  a.n = 8;
  const auto made = edgetpu::templates::build(a);
  auto engine = twin_engine(made->model, {"tflite"});
  ASSERT_TRUE(engine.ok());
  auto m = MatMulEngine::create(std::shared_ptr<Engine>(std::move(*engine)));
  ASSERT_TRUE(m.ok()) << to_text(m.error());
  ASSERT_TRUE(m->open().ok());
  const std::vector<float> kept(m->weight_scales().begin(), m->weight_scales().end());
  ASSERT_EQ(kept.size(), 8U);
  EXPECT_EQ(m->weight_range_of(3), std::pair(-128.0F * kept[3], 127.0F * kept[3]));
  Matrix w{8, 8, std::vector<float>(64, 0.0F)};
  for (size_t r = 0; r < 8; ++r) w.at(r, r) = 0.005F * static_cast<float>(r + 1);
  ASSERT_TRUE(m->set_weights(w, Scales::own).ok());
  EXPECT_FLOAT_EQ(m->weight_scales()[4], 0.025F / 127.0F);
  std::vector<std::vector<float>> x(2, std::vector<float>(8, 1.0F));
  x[1].assign(8, -1.0F);
  const auto y = m->matmul_batch(x);
  ASSERT_TRUE(y.ok()) << to_text(y.error());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*y)[i], *m->matmul(x[i]));
    for (size_t r = 0; r < 8; ++r) {
      EXPECT_NEAR((*y)[i][r], w.at(r, r) * x[i][r], m->output().scale + m->input().scale);
    }
  }
  ASSERT_TRUE(m->reset_weights().ok());
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), m->weight_scales().begin()));
  EXPECT_EQ(code_of(m->set_weights_int8(std::vector<int8_t>(63))), ErrorCode::module_weights);
  EXPECT_EQ(code_of(m->matmul_batch(std::vector<std::vector<float>>{{1.0F}})),
            ErrorCode::module_input);
}

// Five rows of eight columns.
TEST(MatMul, AMatrixNeedNotBeSquare) {
  edgetpu::templates::Dense a;
  a.n = 8;
  Model model = edgetpu::templates::build(a)->model;
  Graph& graph = model.graphs.front();
  const auto layer = std::ranges::find(graph.ops, OpKind::fully_connected, &Op::kind);
  ASSERT_NE(layer, graph.ops.end());
  const Op& op = *layer;
  Value& weights = graph.value(op.inputs[1]);
  weights.shape = Shape{5, 8};
  weights.constant = std::make_shared<const Bytes>(40);
  for (auto after = layer; after != graph.ops.end(); ++after)
    graph.value(after->outputs[0]).shape = Shape{1, 5};
  if (op.has_input(2)) {
    graph.value(op.inputs[2]).shape = Shape{5};
    graph.value(op.inputs[2]).constant = std::make_shared<const Bytes>(20);
  }
  auto engine = twin_engine(model, {"tflite"});
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  auto m = MatMulEngine::create(std::shared_ptr<Engine>(std::move(*engine)));
  ASSERT_TRUE(m.ok()) << to_text(m.error());
  EXPECT_EQ(m->rows(), 5U);
  EXPECT_EQ(m->columns(), 8U);
  ASSERT_TRUE(m->open().ok());
  Matrix w{5, 8, std::vector<float>(40, 0.0F)};
  w.at(4, 7) = 0.05F;
  ASSERT_TRUE(m->set_weights(w).ok());
  std::vector<float> x(8, 0.0F);
  x[7] = 1.0F;
  const auto y = m->matmul(x);
  ASSERT_TRUE(y.ok());
  ASSERT_EQ(y->size(), 5U);
  EXPECT_NEAR((*y)[4], 0.05F, 0.01F);
  EXPECT_NEAR((*y)[0], 0.0F, m->output().scale);
  EXPECT_EQ(code_of(m->set_weights_raw(Bytes(80))), ErrorCode::module_weights);
}

TEST(MatMul, OtherModelsAreRefused) {
  edgetpu::templates::Looming a;
  a.height = a.width = 12;
  const auto made = edgetpu::templates::build(a);
  auto engine = twin_engine(made->model);
  ASSERT_TRUE(engine.ok());
  EXPECT_EQ(code_of(MatMulEngine::create(std::shared_ptr<Engine>(std::move(*engine)), Sidecar())),
            ErrorCode::module_model);
}

std::vector<int8_t> some_weights(size_t n) {
  std::vector<int8_t> w(n * n);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(i * 31 + i / n);
  return w;
}

TEST(Blob, RoundTripAndPlaces) {
  for (const size_t n : {4U, 60U, 64U, 68U, 100U, 128U, 256U}) {
    Bytes overhead(blob_groups(n) * kBlobOverhead);
    for (size_t i = 0; i < overhead.size(); ++i) overhead[i] = static_cast<std::byte>(i * 7);
    const auto w = some_weights(n);
    const auto blob = dense_blob(n, w, overhead);
    ASSERT_TRUE(blob.ok()) << to_text(blob.error());
    EXPECT_EQ(blob->size(), blob_bytes(n));
    EXPECT_EQ(*dense_weights(n, *blob), w);
    EXPECT_EQ(*dense_overhead(n, *blob), overhead);
    const size_t r = n - 1, c = n - 2;
    const size_t at = r / 64 * (512 + 64 * n) + 512 + c / 4 * 256 + r % 64 * 4 + c % 4;
    EXPECT_EQ((*blob)[at], static_cast<std::byte>(w[r * n + c]) ^ std::byte{0x80});
  }
  EXPECT_EQ(blob_bytes(256), 67584U);
  EXPECT_EQ(blob_bytes(512), 266240U);
  EXPECT_EQ(blob_bytes(1024), 1056768U);
}

TEST(Blob, RowsThatAreMissingStayZero) {
  const size_t n = 68;
  const auto blob = dense_blob(n, some_weights(n), Bytes(2 * kBlobOverhead, std::byte{1}));
  ASSERT_TRUE(blob.ok());
  const size_t second = kBlobOverhead + 64 * n + kBlobOverhead;
  for (size_t row = 4; row < 64; ++row) {
    EXPECT_EQ((*blob)[second + row * 4], std::byte{0}) << row;
  }
}

TEST(Blob, QuantizedGroupByGroup) {
  const Matrix w = random_matrix(100, 1.2, 9);
  const Bytes overhead(2 * kBlobOverhead, std::byte{3});
  Bytes blob(blob_bytes(100));
  ASSERT_TRUE(write_quantized_blob(100, w.values, 0.01F, 0, overhead, std::span(blob)).ok());
  std::vector<int8_t> q(w.values.size());
  for (size_t i = 0; i < q.size(); ++i) {
    const float v = std::nearbyint(w.values[i] / 0.01F);
    q[i] = static_cast<int8_t>(std::min(127.0F, std::max(-128.0F, v)));
  }
  EXPECT_EQ(blob, *dense_blob(100, q, overhead));
  std::vector<float> bad = w.values;
  bad[9000] = std::nanf("");
  EXPECT_EQ(code_of(write_quantized_blob(100, bad, 0.01F, 0, overhead, std::span(blob))),
            ErrorCode::module_weights);
}

TEST(Blob, Refusals) {
  EXPECT_EQ(code_of(dense_blob(64, std::vector<int8_t>(5), Bytes(512))), ErrorCode::module_weights);
  EXPECT_EQ(code_of(dense_blob(64, some_weights(64), Bytes(511))), ErrorCode::module_weights);
  EXPECT_EQ(code_of(dense_weights(64, Bytes(77))), ErrorCode::module_weights);
  EXPECT_EQ(code_of(dense_overhead(64, Bytes(77))), ErrorCode::module_weights);
}

TEST(Blob, LoadsIntoTheEngine) {
  auto m = MatMulEngine::from_template(64);
  ASSERT_TRUE(m.ok() && m->open().ok());
  EXPECT_EQ(code_of(m->blob_of(some_weights(64))), ErrorCode::module_model);
  m->set_overhead(Bytes(512));
  const auto blob = m->blob_of(some_weights(64));
  ASSERT_TRUE(blob.ok());
  ASSERT_TRUE(m->set_weights_raw(*blob).ok());
  EXPECT_TRUE(m->matmul_raw(Bytes(64)).ok());
  EXPECT_EQ(code_of(m->set_weights_raw(Bytes(7))), ErrorCode::module_weights);
}

TEST(Sidecar, ReadsAndRefuses) {
  const auto s =
      Sidecar::parse(R"({"a": 1.5, "n": 7, "t": "x", "l": [1, 2], "b": "AAEC/w=="})", "f");
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->number("a"), 1.5);
  EXPECT_EQ(s->integer("n"), 7);
  EXPECT_EQ(s->text("t"), "x");
  EXPECT_EQ(s->integers("l"), (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(s->number("missing"));
  EXPECT_EQ((*s->bytes("b"))->size(), 4U);
  EXPECT_EQ((**s->bytes("b"))[3], std::byte{255});
  EXPECT_EQ(code_of(s->bytes("t")), ErrorCode::module_model);
  EXPECT_EQ(code_of(Sidecar::parse("[1]", "f")), ErrorCode::module_model);
  EXPECT_EQ(code_of(Sidecar::parse("", "f")), ErrorCode::module_model);
  EXPECT_EQ(code_of(Sidecar::parse("{", "f")), ErrorCode::module_model);
  EXPECT_TRUE(Sidecar::beside("/nowhere/model.tflite").ok());
}

TEST(Engine, BytesInBytesOut) {
  edgetpu::templates::Looming a;
  a.height = a.width = 12;
  const auto made = edgetpu::templates::build(a);
  auto engine = twin_engine(made->model);
  ASSERT_TRUE(engine.ok());
  EXPECT_EQ(code_of((*engine)->run(Bytes(144))), ErrorCode::module_closed);
  ASSERT_TRUE((*engine)->open().ok());
  EXPECT_EQ((*engine)->run(Bytes(144))->size(), 1U);
  EXPECT_EQ(code_of((*engine)->run(Bytes(3))), ErrorCode::module_input);
}

TEST(ByteMatMul, FourProductsOfBytesAreExactWhereSumsCanBeRead) {
  Random random(3);
  std::vector<uint16_t> w(20 * 50), x(50);
  for (uint16_t& v : w) v = static_cast<uint16_t>(random.next());
  for (uint16_t& v : x) v = static_cast<uint16_t>(random.next());
  w[0] = x[0] = 65535;
  const auto y = recombine_bytes(w, 20, x);
  ASSERT_TRUE(y.ok());
  for (size_t r = 0; r < 20; ++r) {
    uint64_t sum = 0;
    for (size_t c = 0; c < 50; ++c) sum += uint64_t{w[r * 50 + c]} * x[c];
    EXPECT_EQ((*y)[r], sum);
  }
  // The bound: all ones, at the last size that is allowed.
  const std::vector<uint16_t> ones(static_cast<size_t>(kMaxByteColumns), 65535);
  EXPECT_EQ((*recombine_bytes(ones, 1, ones))[0],
            uint64_t{65535} * 65535 * static_cast<uint64_t>(kMaxByteColumns));
  const std::vector<uint16_t> more(static_cast<size_t>(kMaxByteColumns) + 1, 65535);
  EXPECT_EQ(code_of(recombine_bytes(more, 1, more)), ErrorCode::module_weights);
}

TEST(ByteMatMul, SmallDigitsAreExactOnBytes) {
  for (const int n : {1, 5, 17, 36}) {
    auto m = ByteMatMul::create(n, 8, 8, {"edgetpu"});
    ASSERT_TRUE(m.ok()) << to_text(m.error());
    EXPECT_LE(m->split().largest_sum, 255);
    Random random(static_cast<uint64_t>(n));
    const auto size = static_cast<size_t>(n);
    std::vector<uint32_t> w(size * size), x(size);
    for (uint32_t& v : w) v = static_cast<uint32_t>(random.next() % 256);
    for (uint32_t& v : x) v = static_cast<uint32_t>(random.next() % 256);
    w[0] = x[0] = 255;
    const auto y = m->multiply(w, x);
    ASSERT_TRUE(y.ok());
    for (size_t r = 0; r < size; ++r) {
      uint64_t sum = 0;
      for (size_t c = 0; c < size; ++c) sum += uint64_t{w[r * size + c]} * x[c];
      EXPECT_EQ((*y)[r], sum);
    }
  }
}

TEST(ByteMatMul, TheTableIsTheTruthAndTheRestIsRefused) {
  const auto table = exact_ranges(8, 8);
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table.back().columns, 255);
  for (const ExactRange& row : table) {
    const int64_t sum = ((int64_t{1} << row.split.weight_bits) - 1) *
                        ((int64_t{1} << row.split.input_bits) - 1) * row.columns;
    EXPECT_EQ(sum, row.split.largest_sum);
    EXPECT_LE(sum, 255);
  }
  EXPECT_EQ(code_of(digit_split(256, 8, 8)), ErrorCode::module_weights);
  EXPECT_EQ(code_of(ByteMatMul::create(256, 8, 8)), ErrorCode::module_weights);
  auto m = ByteMatMul::create(4, 4, 4);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(code_of(m->multiply(std::vector<uint32_t>(16, 16), std::vector<uint32_t>(4))),
            ErrorCode::module_weights);
  EXPECT_EQ(code_of(m->multiply(std::vector<uint32_t>(16), std::vector<uint32_t>(4, 16))),
            ErrorCode::module_input);
}

}  // namespace
}  // namespace edgetwin::robotics
