// How far a camera with a view of 90 degrees has turned.
#include <optional>

#include "camera/camera.h"
#include "example.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/picture.h"

using namespace edgetwin;

int main() {
  auto compass = must(robotics::VisualCompass::from_template(64, 90.0, true, {4, 0.1, 2}));
  must(compass.open());
  const auto camera = must(camera::open_camera("synthetic:panning", {640, 480, 30}));
  std::optional<Tensor> before;
  double heading = 0.0;
  for (int i = 0; i < 5; ++i) {
    const Tensor grey = must(robotics::to_grey(*must(camera->read())));
    const Tensor now = must(robotics::resize_by_area(grey, compass.height(), compass.width()));
    if (before) {
      const double yaw = must(compass.compute_yaw(*before, now));
      heading += yaw;
      std::printf("%s, heading %+.1f degrees\n", robotics::yaw_to_direction(yaw).c_str(), heading);
    }
    before = now;
  }
}
