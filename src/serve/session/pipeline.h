// From pictures of a camera to pictures with what a mode sees: everything that is the same each
// time it is done again with the same events. Clocks, clients and threads are in session.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "camera/camera.h"
#include "serve/modes/mode.h"

namespace edgetwin::serve {

struct PipelineOptions {
  // As open_camera() takes it; "none": the synthetic pattern that shows a mode best.
  std::string camera = "none";
  camera::Settings settings;
  std::string device = "twin";  // of EngineChoice
  bool beside = false;          // on devices: the twin computes each picture, too
  std::vector<std::string> models;
  std::string algorithm = "SpotTracker";
};

// What happens between two pictures, as recordings have it: {"event": "mode", "algorithm": …,
// "params": {…}, "device": …, "beside": …}, "pause" {"paused"}, "step", "camera" {"source"},
// "click", "drag_start", "drag_move", "drag_end" {"x", "y"}.
using Event = Json;

struct Frame {
  Tensor picture;       // drawn on; without clocks
  Json values;          // of the mode
  std::string message;  // why there is nothing to see; empty
};

// A mode that was made and not yet installed: making takes seconds where it is compiled.
struct BuiltMode {
  const ModeInfo* info = nullptr;
  ParameterValues values;
  std::string device;
  std::shared_ptr<Comparison> comparison;  // null: the twin alone, or no comparison
  std::unique_ptr<Mode> mode;
};

// Not to be used from two threads at once, but for build().
class Pipeline {
 public:
  // Errors: usage, camera_device, those of the mode.
  static Result<std::unique_ptr<Pipeline>> create(const PipelineOptions& options);

  // Of a "mode" event: missing members are as they are now. Errors: bad_value for an unknown
  // algorithm, parameters or a device; those of the mode.
  Result<BuiltMode> build(const Event& event) const;
  Status install(BuiltMode built);
  // Any other event, or a "mode" event with both steps. Error: bad_value.
  Status apply(const Event& event);

  // Nothing at the end of the camera's pictures. A mode that fails is Frame::message. Errors:
  // camera_device.
  Result<std::optional<Frame>> next();

  const ModeInfo& mode() const { return *info_; }
  const ParameterValues& values() const { return values_; }
  const PipelineOptions& options() const { return options_; }
  const std::string& device() const { return device_; }
  const Comparison* comparison() const { return comparison_.get(); }
  bool paused() const { return paused_; }
  // Pictures of this camera so far.
  int64_t camera_frames() const { return camera_frames_; }
  std::string camera_text() const { return camera_->description(); }
  bool synthetic() const;
  // As the camera gave it; nothing before the first one.
  const std::optional<Tensor>& picture() const { return picture_; }

 private:
  explicit Pipeline(PipelineOptions options) : options_(std::move(options)) {}
  Status open_camera_for(const std::string& source);
  Status apply_mouse(const std::string& kind, const Event& event);
  Result<bool> advance();

  PipelineOptions options_;
  std::unique_ptr<camera::Camera> camera_;
  std::string source_;  // that is open
  int64_t camera_frames_ = 0;
  const ModeInfo* info_ = nullptr;
  ParameterValues values_;
  std::string device_;
  std::shared_ptr<Comparison> comparison_;
  std::unique_ptr<Mode> mode_;
  Mouse mouse_;
  std::optional<plot::Point> drag_from_;
  bool paused_ = false, step_ = false;
  std::optional<Tensor> picture_;  // of the camera, kept while paused
};

}  // namespace edgetwin::serve
