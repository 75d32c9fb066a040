// The motion of stripes that move 20 pixels from picture to picture.
#include <optional>

#include "camera/camera.h"
#include "example.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/picture.h"

using namespace edgetwin;

int main() {
  auto flow = must(robotics::OpticalFlow::from_template(64, {4, 0.1, 2}));
  must(flow.open());
  const auto camera = must(camera::open_camera("synthetic:panning", {640, 480, 30}));
  std::optional<Tensor> before;
  for (int i = 0; i < 5; ++i) {
    const Tensor grey = must(robotics::to_grey(*must(camera->read())));
    const Tensor now = must(robotics::resize_by_area(grey, flow.height(), flow.width()));
    if (before) {
      const auto v = must(flow.compute(*before, now));
      std::printf("%+.2f %+.2f %s\n", v.vx, v.vy, robotics::flow_to_direction(v.vx, v.vy).c_str());
    }
    before = now;
  }
}
