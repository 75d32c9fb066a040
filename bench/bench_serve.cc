// The live page's pictures: each mode on the twin at 640 x 480, with all that a picture costs: the
// camera's, the module's, drawing, JPEG. The goal is 30 pictures in a second on one core.
#include <chrono>
#include <cstdio>
#include <string>

#include "image/jpeg.h"
#include "serve/session/pipeline.h"

namespace edgetwin::serve {
namespace {

constexpr int kFrames = 120;
constexpr int kQuality = 85;

struct Measured {
  double picture_ms = 0, worst_ms = 0;
  size_t jpeg_bytes = 0;
  bool ok = false;
};

Measured measure(const std::string& mode, const std::string& params) {
  Measured m;
  PipelineOptions o;
  o.algorithm = mode;
  auto pipeline = Pipeline::create(o);
  if (!pipeline.ok()) return m;
  const auto event = Json::parse(R"({"event": "mode", "params": )" + params + "}", "parameters");
  if (!(*pipeline)->apply(*event).ok()) return m;
  using Clock = std::chrono::steady_clock;
  double sum = 0;
  for (int i = 0; i < kFrames; ++i) {
    const auto begin = Clock::now();
    const auto frame = (*pipeline)->next();
    if (!frame.ok() || !*frame) return m;
    const auto jpeg = encode_jpeg((*frame)->picture, kQuality);
    if (!jpeg.ok()) return m;
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    m.jpeg_bytes = jpeg->size();
    m.worst_ms = std::max(m.worst_ms, ms);
    sum += ms;
  }
  m.picture_ms = sum / kFrames;
  m.ok = true;
  return m;
}

int report(const std::string& mode, const std::string& params) {
  const Measured m = measure(mode, params);
  if (!m.ok) {
    std::printf("%-20s %-24s failed\n", mode.c_str(), params.c_str());
    return 1;
  }
  std::printf("%-20s %-24s %7.2f ms %7.2f ms at most %7.1f pictures/s  JPEG %zu bytes\n",
              mode.c_str(), params.c_str(), m.picture_ms, m.worst_ms, 1e3 / m.picture_ms,
              m.jpeg_bytes);
  return 0;
}

}  // namespace
}  // namespace edgetwin::serve

int main() {
  using edgetwin::serve::report;
  int failed = 0;
  for (const char* side : {"64", "128"}) {
    const std::string image = R"({"image_size": )" + std::string(side) + "}";
    failed += report("SpotTracker", image);
    failed += report("PatternTracker", R"({"search_size": )" + std::string(side) + "}");
    failed += report("LoomingDetector", image);
    failed += report("OpticalFlow", image);
    failed += report("VisualCompass", image);
  }
  for (const char* mode : {"MatMulEngine", "ReservoirComputer", "EmbeddingSimilarity"}) {
    failed += report(mode, R"({"dim": 256})");
    failed += report(mode, R"({"dim": 1024})");
  }
  return failed == 0 ? 0 : 1;
}
