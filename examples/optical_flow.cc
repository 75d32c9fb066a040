// The motion of stripes that move 20 pixels from picture to picture.
#include <optional>

#include "camera/camera.h"
#include "example.h"
#include "modules/optical_flow.h"
#include "modules/picture.h"

using namespace edgetwin;

int main() {
  auto flow = must(modules::OpticalFlow::from_template(64, {4, 0.1, 2}));
  must(flow.open());
  const auto camera = must(camera::open_camera("synthetic:panning", {640, 480, 30}));
  std::optional<Tensor> before;
  for (int i = 0; i < 5; ++i) {
    const Tensor grey = must(modules::to_grey(*must(camera->read())));
    const Tensor now = must(modules::resize_by_area(grey, flow.height(), flow.width()));
    if (before) {
      const auto v = must(flow.compute(*before, now));
      std::printf("%+.2f %+.2f %s\n", v.vx, v.vy, modules::flow_to_direction(v.vx, v.vy).c_str());
    }
    before = now;
  }
}
