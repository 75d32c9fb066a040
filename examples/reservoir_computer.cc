// Learns to run ahead of a sine.
#include <cmath>

#include "example.h"
#include "robotics/matmul/reservoir.h"

using namespace edgetwin;

int main() {
  auto reservoir = must(robotics::ReservoirComputer::from_template(64, 1, {0.9, 0.5}));
  must(reservoir.open());
  robotics::Matrix u{300, 1, {}}, y{300, 1, {}};
  for (int t = 0; t < 300; ++t) {
    u.values.push_back(static_cast<float>(std::sin(0.2 * t)));
    y.values.push_back(static_cast<float>(std::sin(0.2 * t + 0.4)));
  }
  must(reservoir.fit(u, y, 50, 1e-4));
  const auto predicted = must(reservoir.predict(u));
  double error = 0.0;
  for (size_t t = 50; t < 300; ++t) error += std::pow(predicted.values[t] - y.values[t], 2) / 250.0;
  std::printf("root of the mean square error: %.3f\n", std::sqrt(error));
  return error < 0.04 ? 0 : 1;
}
