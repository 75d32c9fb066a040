// Operands of 16 bits as pairs of bytes: four products, added with their weights. Where the sums
// can be read this gains eight bits; on the Edge TPU every product leaves as a byte, and the
// rounding of the product of the high bytes alone is what it was. docs/signals.md shows the
// figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "exec/session.h"
#include "signals/fft/maker.h"

namespace edgetwin::signals {
namespace {

constexpr size_t kColumns = 64;
constexpr double kReach = 8.0;  // of the products: 3.7 standard deviations
using RealVector = std::vector<float>;

double exact_row(const RealVector& w, const RealVector& x, size_t r) {
  double sum = 0.0;
  for (size_t c = 0; c < kColumns; ++c) sum += static_cast<double>(w[r * kColumns + c]) * x[c];
  return sum;
}

// A machine whose sums can be read: operands rounded to bytes, nothing after them.
std::vector<double> exposed_sums(const RealVector& w, const RealVector& x) {
  const auto rounded = [](RealVector v, float steps) {
    for (float& n : v) n = std::clamp(std::nearbyint(n * steps), -128.0F, 127.0F) / steps;
    return v;
  };
  const RealVector w8 = rounded(w, 127.0F), x8 = rounded(x, 128.0F);
  std::vector<double> y;
  for (size_t r = 0; r < kColumns; ++r) y.push_back(exact_row(w8, x8, r));
  return y;
}

// One FULLY_CONNECTED on the twin of the Edge TPU.
std::vector<double> bytes_of_the_chip(const RealVector& w, const RealVector& x) {
  FftMaker m(FftNumber::int8);
  const int64_t n = kColumns;
  const ValueId input = m.activation("x", {1, n}, 1.0);
  const ValueId output = m.product("y", input, m.constant("w", {n, n}, w, false), kReach);
  const Model model = std::move(m).finish(input, output, "product");
  auto session =
      exec::Session::create(std::make_shared<const Graph>(model.main()), {.numerics = "edgetpu"});
  EXPECT_TRUE(session.ok());
  std::vector<int8_t> bytes;
  for (const float v : x) {
    bytes.push_back(static_cast<int8_t>(std::clamp(std::nearbyint(v * 128.0F), -128.0F, 127.0F)));
  }
  EXPECT_TRUE(session->set_input(0, std::as_bytes(std::span(bytes))).ok());
  EXPECT_TRUE(session->run().ok());
  const Tensor out = session->output(0);
  std::vector<double> y;
  for (const int8_t v : out.as<int8_t>())
    y.push_back(v * static_cast<double>(out.quant.scale_of(0)));
  return y;
}

// The number nearest to each that a byte stands for, and 256 times what is left.
struct TwoBytes {
  RealVector high, low;
  TwoBytes(const RealVector& numbers, float steps) {
    for (const float v : numbers) {
      high.push_back(std::nearbyint(v * steps) / steps);
      low.push_back((v - high.back()) * 256.0F);
    }
  }
};

template <class Product>
std::vector<double> recombined(const TwoBytes& w, const TwoBytes& x, const Product& product) {
  std::vector<double> y = product(w.high, x.high);
  const auto add = [&y](const std::vector<double>& part, double weight) {
    for (size_t i = 0; i < y.size(); ++i) y[i] += part[i] * weight;
  };
  add(product(w.high, x.low), 1.0 / 256.0);
  add(product(w.low, x.high), 1.0 / 256.0);
  add(product(w.low, x.low), 1.0 / 65536.0);
  return y;
}

TEST(ByteDecomposition, HelpsWhereSumsCanBeReadAndNotOnTheEdgeTpu) {
  XorShift32 random(5);
  const auto numbers = [&random](size_t count) {
    RealVector v;
    for (size_t i = 0; i < count; ++i) {
      v.push_back(0.9F * (std::ldexp(static_cast<float>(random.next() >> 8), -23) - 1.0F));
    }
    return v;
  };
  constexpr size_t kTrials = 8;
  double squares[4] = {};
  for (size_t trial = 0; trial < kTrials; ++trial) {
    const RealVector w = numbers(kColumns * kColumns), x = numbers(kColumns);
    const TwoBytes w2(w, 127.0F), x2(x, 128.0F);
    const std::vector<double> results[4] = {exposed_sums(w, x), recombined(w2, x2, exposed_sums),
                                            bytes_of_the_chip(w, x),
                                            recombined(w2, x2, bytes_of_the_chip)};
    for (size_t r = 0; r < kColumns; ++r) {
      const double exact = exact_row(w, x, r);
      for (int i = 0; i < 4; ++i) squares[i] += std::pow(results[i][r] - exact, 2);
    }
  }
  // Root mean squares in steps of the chip's output.
  double steps[4];
  for (int i = 0; i < 4; ++i) {
    steps[i] = std::sqrt(squares[i] / (kTrials * kColumns)) / (kReach / 128.0);
  }
  const std::string all = std::to_string(steps[0]) + " " + std::to_string(steps[1]) + " " +
                          std::to_string(steps[2]) + " " + std::to_string(steps[3]);
  // Rounding of the operands alone is 0.21 steps; of the low bytes 1 / 256 of it.
  EXPECT_NEAR(steps[0], 0.21, 0.02) << all;
  EXPECT_LT(steps[1], steps[0] / 150.0) << all;
  // An error that is equally distributed over a step has step / sqrt(12) = 0.29: with one product
  // beside that of the operands, with four alone.
  EXPECT_NEAR(steps[2], std::hypot(0.21, 0.29), 0.03) << all;
  EXPECT_NEAR(steps[3], 0.29, 0.02) << all;
}

}  // namespace
}  // namespace edgetwin::signals
