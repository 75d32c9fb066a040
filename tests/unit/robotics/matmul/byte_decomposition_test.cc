// Operands of 16 bits as pairs of bytes: four products, added with their weights. Where the sums
// can be read this gains eight bits; on the Edge TPU every product leaves as a byte, and the
// rounding of the product of the high bytes alone is what it was. docs/signals.md shows the
// figures.
#include <cmath>

#include "robotics/matmul/matmul_engine.h"
#include "robotics/matmul/random.h"
#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

constexpr size_t kColumns = 64;

// The number nearest to `v` that a byte can stand for, and 256 times what is left.
struct HighAndLow {
  float high = 0.0F, low = 0.0F;
};
HighAndLow split_in_two(float v, double step) {
  const double high = std::nearbyint(v / step) * step;
  return {static_cast<float>(high), static_cast<float>((v - high) * 256.0)};
}

std::vector<double> exact_product(const Matrix& w, const std::vector<float>& x) {
  std::vector<double> y(w.rows);
  for (size_t r = 0; r < w.rows; ++r) {
    for (size_t c = 0; c < w.columns; ++c) y[r] += static_cast<double>(w.at(r, c)) * x[c];
  }
  return y;
}

// Rounded to bytes, then summed without loss: a machine whose sums can be read.
Matrix rounded_matrix(Matrix w, double step) {
  for (float& v : w.values) v = static_cast<float>(std::nearbyint(v / step) * step);
  return w;
}
std::vector<float> rounded_vector(std::vector<float> x, double step) {
  for (float& v : x) v = static_cast<float>(std::nearbyint(v / step) * step);
  return x;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

struct Operands {
  Matrix w{kColumns, kColumns, std::vector<float>(kColumns* kColumns)};
  std::vector<float> x = std::vector<float>(kColumns);
  Matrix w_high = w, w_low = w;
  std::vector<float> x_high = x, x_low = x;

  Operands(double w_step, double x_step) {
    Random random(3);
    for (size_t i = 0; i < w.values.size(); ++i) {
      w.values[i] = static_cast<float>((2.0 * random.uniform() - 1.0) * 100.0 * w_step);
      const HighAndLow parts = split_in_two(w.values[i], w_step);
      w_high.values[i] = parts.high;
      w_low.values[i] = parts.low;
    }
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>((2.0 * random.uniform() - 1.0) * 0.9);
      const HighAndLow parts = split_in_two(x[i], x_step);
      x_high[i] = parts.high;
      x_low[i] = parts.low;
    }
  }

  // `product` of a matrix and a vector; gives the four of them, added.
  template <class Product>
  std::vector<double> recombined(const Product& product) const {
    std::vector<double> y = product(w_high, x_high);
    const auto add = [&y](const std::vector<double>& part, double weight) {
      for (size_t i = 0; i < y.size(); ++i) y[i] += part[i] * weight;
    };
    add(product(w_high, x_low), 1.0 / 256.0);
    add(product(w_low, x_high), 1.0 / 256.0);
    add(product(w_low, x_low), 1.0 / 65536.0);
    return y;
  }
};

TEST(ByteDecomposition, HelpsWhereSumsCanBeReadAndNotOnTheEdgeTpu) {
  auto engine = MatMulEngine::from_template(kColumns, {"edgetpu"});
  ASSERT_TRUE(engine.ok());
  ASSERT_TRUE(engine->open().ok());
  const double w_step = *engine->weight_scale(), x_step = engine->input().scale;
  const Operands o(w_step, x_step);
  const auto exposed = [&](const Matrix& w, const std::vector<float>& x) {
    return exact_product(rounded_matrix(w, w_step), rounded_vector(x, x_step));
  };
  const auto on_chip = [&](const Matrix& w, const std::vector<float>& x) {
    EXPECT_TRUE(engine->set_weights(w).ok());
    const auto y = engine->matmul(x);
    EXPECT_TRUE(y.ok());
    return std::vector<double>(y->begin(), y->end());
  };
  const std::vector<double> exact = exact_product(o.w, o.x);
  const double one_exposed = distance(exact, exposed(o.w, o.x));
  const double four_exposed = distance(exact, o.recombined(exposed));
  const double one_on_chip = distance(exact, on_chip(o.w, o.x));
  const double four_on_chip = distance(exact, o.recombined(on_chip));
  const double step = engine->output().scale;
  RecordProperty("steps", std::to_string(one_exposed / step) + " " +
                              std::to_string(four_exposed / step) + " " +
                              std::to_string(one_on_chip / step) + " " +
                              std::to_string(four_on_chip / step));
  // Eight bits less 40 dB at least, for the low digits round too.
  EXPECT_LT(four_exposed, one_exposed / 100.0);
  // A rounding that is equally distributed over a step has step / sqrt(12): four products or one.
  EXPECT_NEAR(one_on_chip / step, std::sqrt(1.0 / 12.0), 0.06);
  EXPECT_NEAR(four_on_chip / step, std::sqrt(1.0 / 12.0), 0.06);
  EXPECT_GT(four_on_chip, four_exposed * 100.0);
}

}  // namespace
}  // namespace edgetwin::robotics
