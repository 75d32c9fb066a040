// Something round that grows before faint stripes.
#include "example.h"
#include "robotics/picture.h"
#include "robotics/trackers/looming.h"

using namespace edgetwin;

int main() {
  auto detector = must(robotics::LoomingDetector::from_template(64));
  must(detector.open());
  std::vector<double> history;
  for (int radius = 2; radius <= 10; radius += 2) {
    Bytes pixels(64 * 64);
    for (int i = 0; i < 64 * 64; ++i) {
      const int y = i / 64 - 32, x = i % 64 - 32;
      const bool inside = x * x + y * y <= radius * radius;
      const int stripe = x / 3 % 2 == 0 ? 30 : 110;
      pixels[static_cast<size_t>(i)] = static_cast<std::byte>(inside ? 220 : stripe);
    }
    const auto zones = must(detector.detect(robotics::grey_picture(64, 64, pixels)));
    history.push_back(must(robotics::LoomingDetector::compute_tau(zones)));
    std::printf("radius %2d: tau %.3f\n", radius, history.back());
  }
  std::printf("time to contact: %.2f s\n",
              robotics::LoomingDetector::compute_ttc(history, 1.0 / 30.0));
}
