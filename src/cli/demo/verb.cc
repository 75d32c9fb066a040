#include <array>
#include <chrono>
#include <optional>

#include "camera/camera.h"
#include "camera/recorder.h"
#include "cli/demo/arguments.h"
#include "cli/demo/demo.h"
#include "cli/shared/exit_codes.h"
#include "decode/draw.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr int kRetries = 3;  // a camera may miss a picture

struct Row {
  std::string_view module, camera;
  MadeDemo (*make)(const DemoArguments&);
};
constexpr std::array kRows = {
    Row{"spot_tracker", "synthetic:wandering_dot", spot_demo},
    Row{"pattern_tracker", "synthetic:wandering_dot", pattern_demo},
    Row{"looming_detector", "synthetic:approaching", looming_demo},
    Row{"optical_flow", "synthetic:panning", flow_demo},
    Row{"visual_compass", "synthetic:panning", compass_demo},
    Row{"reservoir_computer", "synthetic:wandering_dot", reservoir_demo},
    Row{"embedding_similarity", "synthetic:panning", similarity_demo},
    Row{"simple_invoker", "synthetic:wandering_dot", invoker_demo},
};

Result<std::optional<Tensor>> read_patiently(camera::Camera& source) {
  for (int i = 1; i < kRetries; ++i) {
    auto picture = source.read();
    if (picture.ok() || picture.error().code != ErrorCode::camera_device) return picture;
  }
  return source.read();
}

Status watch(const DemoArguments& a, const Row& row, Console& console) {
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Demo> demo, row.make(a));
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<camera::Camera> source,
                      camera::open_camera(a.camera.empty() ? std::string(row.camera) : a.camera,
                                          {a.width, a.height, a.fps}));
  std::optional<camera::Recorder> recorder;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(auto made, camera::Recorder::create(a.output.path, a.output.overwrite));
    recorder.emplace(std::move(made));
  }
  EDGETWIN_TRY(demo->open());
  console.print(source->description() + "\n");
  Json rows = Json::array();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < a.frames; ++i) {
    EDGETWIN_TRY_ASSIGN(std::optional<Tensor> picture, read_patiently(*source));
    if (!picture) break;
    Json members = Json::object();
    members.set("frame", i);
    EDGETWIN_TRY_ASSIGN(const std::string line, demo->observe(*picture, members));
    console.print(std::to_string(i) + ": " + line + "\n");
    rows.push(std::move(members));
    if (!recorder) continue;
    EDGETWIN_TRY_ASSIGN(const Tensor captioned,
                        decode::draw_lines(*picture, {std::to_string(i) + ": " + line}));
    EDGETWIN_TRY(recorder->add(captioned));
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (rows.size() > 0 && time.count() > 0.0) {
    console.note("measured: " + decimal(static_cast<double>(rows.size()) / time.count(), 1) +
                 " pictures a second");
  }
  EDGETWIN_TRY(demo->finish());
  if (recorder) EDGETWIN_TRY(recorder->finish());
  console.json().set("camera", source->description()).set("frames", std::move(rows));
  console.print(demo->summary(console.json()));
  return Ok{};
}

}  // namespace

Result<int> execute(const DemoArguments& a, Console& console) {
  if (a.module == "matmul_engine") return matmul_demo(a, console);
  for (const Row& row : kRows) {
    if (row.module != a.module) continue;
    EDGETWIN_TRY(watch(a, row, console));
    return kYes;
  }
  return Error(ErrorCode::usage, "there is no module '" + a.module + "'");
}

}  // namespace edgetwin::cli
