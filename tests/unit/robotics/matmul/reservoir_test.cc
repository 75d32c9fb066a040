#include "robotics/matmul/reservoir.h"

#include <algorithm>
#include <cmath>

#include "robotics/matmul/linear.h"
#include "robotics/matmul/random.h"
#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;

constexpr int kDim = 32;

Matrix sine(size_t count, double step, double phase) {
  Matrix m{count, 1, {}};
  for (size_t t = 0; t < count; ++t) {
    m.values.push_back(static_cast<float>(std::sin(step * static_cast<double>(t) + phase)));
  }
  return m;
}

ReservoirComputer opened(const ReservoirOptions& options = {}, int inputs = 1) {
  auto r = ReservoirComputer::from_template(kDim, inputs, options);
  EXPECT_TRUE(r.ok()) << to_text(r.error());
  EXPECT_TRUE(r->open().ok());
  return std::move(*r);
}

TEST(Reservoir, Options) {
  const auto refused = [](ReservoirOptions o, int inputs = 1) {
    return code_of(ReservoirComputer::from_template(kDim, inputs, o));
  };
  EXPECT_EQ(refused({0.0}), ErrorCode::module_input);
  EXPECT_EQ(refused({-1.0}), ErrorCode::module_input);
  EXPECT_EQ(refused({0.9, 0.0}), ErrorCode::module_input);
  EXPECT_EQ(refused({0.9, 0.1, 0.0}), ErrorCode::module_input);
  EXPECT_EQ(refused({0.9, 0.1, 1.1}), ErrorCode::module_input);
  EXPECT_EQ(refused({0.9, 0.1, 1.0, "sigmoid"}), ErrorCode::module_input);
  EXPECT_EQ(refused({}, 0), ErrorCode::module_input);
  EXPECT_EQ(refused({std::nan("")}), ErrorCode::module_input);
}

TEST(Reservoir, SpectralRadiusIsAsAsked) {
  const Matrix turn{2, 2, {0.0F, -3.0F, 3.0F, 0.0F}};  // eigenvalues 3i and -3i
  EXPECT_NEAR(spectral_radius(turn), 3.0, 1e-9);
  for (const double rho : {0.3, 0.95}) {
    auto r = ReservoirComputer::from_template(kDim, 1, {rho});
    ASSERT_TRUE(r.ok());
    EXPECT_NEAR(spectral_radius(r->reservoir_weights()), rho, 1e-3);
  }
}

TEST(Reservoir, SeedsAndBounds) {
  ReservoirOptions o;
  o.input_scaling = 0.25;
  auto a = ReservoirComputer::from_template(kDim, 3, o),
       b = ReservoirComputer::from_template(kDim, 3, o);
  o.seed = 5;
  auto c = ReservoirComputer::from_template(kDim, 3, o);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->reservoir_weights().values, b->reservoir_weights().values);
  EXPECT_NE(a->reservoir_weights().values, c->reservoir_weights().values);
  for (const float v : a->input_weights().values) EXPECT_LE(std::fabs(v), 0.25F);
  EXPECT_EQ(a->input_weights().rows, static_cast<size_t>(kDim));
  EXPECT_EQ(a->input_weights().columns, 3U);
  // A radius beyond what the engine can hold is cut off.
  auto wide = ReservoirComputer::from_template(kDim, 1, {50.0});
  ASSERT_TRUE(wide.ok());
  const auto range = wide->engine().weight_range();
  for (const float v : wide->reservoir_weights().values) {
    EXPECT_GE(v, static_cast<float>(range->first));
    EXPECT_LE(v, static_cast<float>(range->second));
  }
}

TEST(Reservoir, Steps) {
  auto closed = ReservoirComputer::from_template(kDim, 1);
  ASSERT_TRUE(closed.ok());
  const std::vector<float> one = {1.0F};
  EXPECT_EQ(code_of(closed->step(one)), ErrorCode::module_closed);
  ReservoirComputer r = opened();
  const auto first = r.step(one);
  ASSERT_TRUE(first.ok());
  // From a state of zeros only the input counts, as far as the product of zeros is 0.
  for (size_t i = 0; i < first->size(); ++i) {
    EXPECT_NEAR((*first)[i], std::tanh(r.input_weights().values[i]), r.engine().output().scale);
  }
  EXPECT_NE(*r.step(one), *first);
  r.reset_state();
  EXPECT_EQ(r.state(), std::vector<float>(kDim, 0.0F));
  EXPECT_EQ(*r.step(one), *first);
  EXPECT_EQ(code_of(r.step(std::vector<float>(2))), ErrorCode::module_input);
  EXPECT_EQ(code_of(r.step(std::vector<float>{std::nanf("")})), ErrorCode::module_input);
}

TEST(Reservoir, LeakAndActivations) {
  const std::vector<float> one = {1.0F};
  const auto first = [&](const ReservoirOptions& o) { return *opened(o).step(one); };
  const auto full = first({0.95, 0.5});
  const auto half = first({0.95, 0.5, 0.5});
  const auto relu = first({0.95, 0.5, 1.0, "relu"});
  const auto identity = first({0.95, 0.5, 1.0, "identity"});
  for (size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(half[i], full[i] / 2, 1e-6);
    EXPECT_NEAR(full[i], std::tanh(identity[i]), 1e-6);
    EXPECT_EQ(relu[i], std::max(identity[i], 0.0F));
  }
}

TEST(Reservoir, LearnsASine) {
  ReservoirComputer r = opened({0.9, 0.5});
  const Matrix u = sine(300, 0.2, 0.0), y = sine(300, 0.2, 0.4);
  EXPECT_EQ(code_of(r.predict(u)), ErrorCode::module_state);
  ASSERT_TRUE(r.fit(u, y, 50, 1e-4).ok());
  ASSERT_TRUE(r.readout());
  EXPECT_EQ(r.readout()->rows, 1U);
  EXPECT_EQ(r.readout()->columns, static_cast<size_t>(kDim));
  const auto p = r.predict(u);
  ASSERT_TRUE(p.ok());
  double error = 0.0;
  for (size_t t = 50; t < 300; ++t) {
    error += std::pow(p->values[t] - y.values[t], 2) / 250.0;
  }
  EXPECT_LT(std::sqrt(error), 0.2);
  EXPECT_EQ(p->values, r.predict(u)->values);  // begins anew each time
}

TEST(Reservoir, FitRefuses) {
  ReservoirComputer r = opened();
  EXPECT_EQ(code_of(r.fit(sine(10, 1, 0), sine(9, 1, 0))), ErrorCode::module_input);
  EXPECT_EQ(code_of(r.fit(sine(10, 1, 0), sine(10, 1, 0), 10)), ErrorCode::module_input);
  EXPECT_EQ(code_of(r.fit(sine(10, 1, 0), sine(10, 1, 0), 0, -1.0)), ErrorCode::module_input);
}

TEST(Reservoir, RidgeShrinksTheReadout) {
  Random random(2);
  Matrix x{40, 5, {}}, y{40, 2, {}};
  for (int i = 0; i < 200; ++i) x.values.push_back(static_cast<float>(random.normal()));
  for (size_t t = 0; t < 40; ++t) {
    y.values.push_back(2.0F * x.at(t, 0) - x.at(t, 3));
    y.values.push_back(x.at(t, 1));
  }
  const Matrix w = ridge_regression(x, y, 0, 1e-9);
  EXPECT_NEAR(w.at(0, 0), 2.0, 1e-4);
  EXPECT_NEAR(w.at(0, 3), -1.0, 1e-4);
  EXPECT_NEAR(w.at(1, 1), 1.0, 1e-4);
  EXPECT_NEAR(w.at(1, 2), 0.0, 1e-4);
  EXPECT_LT(std::fabs(ridge_regression(x, y, 0, 1e3).at(0, 0)), 0.5F);
}

TEST(Reservoir, SecondEngineReadsOut) {
  auto first = MatMulEngine::from_template(kDim), second = MatMulEngine::from_template(kDim);
  ASSERT_TRUE(first.ok() && second.ok());
  auto readout = std::make_shared<MatMulEngine>(std::move(*second));
  auto r = ReservoirComputer::create(std::make_shared<MatMulEngine>(std::move(*first)), 1,
                                     {0.9, 0.5}, readout);
  ASSERT_TRUE(r.ok() && r->open().ok());
  EXPECT_FALSE(readout->is_open());  // not opened here
  ASSERT_TRUE(readout->open().ok());
  const Matrix u = sine(120, 0.2, 0.0);
  ASSERT_TRUE(r->fit(u, sine(120, 0.2, 0.3), 20, 0.1).ok());
  EXPECT_TRUE(readout->weights_loaded());
  const auto p = r->predict(u);
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p->columns, 1U);
  r->close();
  EXPECT_TRUE(readout->is_open());  // nor closed
}

}  // namespace
}  // namespace edgetwin::robotics
