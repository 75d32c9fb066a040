// A model as a function from numbers to numbers: that of a file, or a template.
#include "example.h"
#include "robotics/invoker.h"

using namespace edgetwin;

int main(int argc, char** argv) {
  if (argc > 1) {
    auto model = must(robotics::SimpleInvoker::load(argv[1]));
    must(model.open());
    const std::vector<float> zeros(model.engine().input().bytes, 0.0F);
    std::printf("%zu numbers\n", must(model.invoke(zeros)).size());
    return 0;
  }
  edgetpu::templates::Looming a;
  a.height = a.width = 24;
  auto made = must(robotics::on_twin(edgetpu::templates::build(a), {}));
  auto model = robotics::SimpleInvoker::create(made.engine, made.sidecar);
  must(model.open());
  std::vector<float> picture(24 * 24, 0.0F);
  for (size_t i = 12; i < 24; ++i) picture[12 * 24 + i] = 255.0F;
  for (const float zone : must(model.invoke(picture))) {
    std::printf("%.0f ", static_cast<double>(zone));
  }
  std::puts("");
}
