// Finds a cross of eight pixels in a grey picture.
#include "robotics/trackers/pattern_tracker.h"
#include "example.h"
#include "robotics/picture.h"

using namespace edgetwin;

int main() {
  auto tracker = must(robotics::PatternTracker::from_template(32, 8));
  must(tracker.open());
  std::vector<int8_t> cross(64, -40);
  for (size_t i = 0; i < 8; ++i) cross[3 * 8 + i] = cross[4 * 8 + i] = cross[i * 8 + 3] = 100;
  must(tracker.set_template_raw(cross));
  Bytes pixels(32 * 32, std::byte{20});
  for (size_t i = 0; i < 64; ++i) {
    if (cross[i] > 0) pixels[(20 + i / 8) * 32 + 4 + i % 8] = std::byte{220};
  }
  const auto at = must(tracker.track(robotics::grey_picture(32, 32, pixels)));
  // Offsets are among the 25 x 25 places that the pattern can take.
  std::printf("at row %.0f, column %.0f\n", 12 + 12 * at.y, 12 + 12 * at.x);
}
