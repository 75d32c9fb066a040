// A model as a function from numbers to numbers: that of a file, or a template.
#include <edgetwin/invoker.h>
#include <edgetwin/network.h>

#include "example.h"
#include "robotics/module.h"

using namespace edgetwin;

int main(int argc, char** argv) {
  if (argc > 1) {
    const Network network = must(Network::open(argv[1]));
    Invoker model(must(network.runner()));
    std::vector<std::vector<float>> zeros;
    for (const Port& p : model.runner().inputs()) {
      zeros.emplace_back(static_cast<size_t>(p.shape.elements()), 0.0F);
    }
    std::printf("%zu numbers\n", must(model.invoke(zeros)).front().size());
    return 0;
  }
  edgetpu::templates::Looming a;
  a.height = a.width = 24;
  auto made = must(robotics::on_twin(edgetpu::templates::build(a), {}));
  // The engine keeps the runner.
  Invoker model(std::shared_ptr<Runner>(made.engine, &made.engine->runner()));
  std::vector<float> picture(24 * 24, 0.0F);
  for (size_t i = 12; i < 24; ++i) picture[12 * 24 + i] = 255.0F;
  for (const float zone : must(model.invoke_one(picture))) {
    std::printf("%.0f ", static_cast<double>(zone));
  }
  std::puts("");
}
