// Follows a green dot with the picture of a camera that is made up.
#include "robotics/trackers/spot_tracker.h"
#include "camera/camera.h"
#include "example.h"

using namespace edgetwin;

int main() {
  auto tracker = must(robotics::SpotTracker::from_template(64, "green"));
  must(tracker.open());
  const auto camera = must(camera::open_camera("synthetic:wandering_dot", {320, 240, 10}));
  for (int i = 0; i < 5; ++i) {
    const auto picture = must(camera->read());
    const auto at = must(tracker.track(*picture));
    const auto servo = robotics::offset_to_servo_error(at.x, at.y);
    std::printf("%-10s turn by %+.2f %+.2f\n", robotics::offset_to_direction(at.x, at.y).c_str(),
                servo.x, servo.y);
  }
}
