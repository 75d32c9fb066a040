// A robotics module at work on the pictures of a camera: what it sees, drawn into the picture and
// as numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plot/canvas.h"
#include "serve/modes/engines.h"
#include "serve/modes/parameters.h"
#include "tensor/tensor.h"

namespace edgetwin::serve {

// What the mouse did since the picture before, in pixels of the picture.
struct Mouse {
  std::optional<plot::Point> click;
  std::optional<plot::Rect> dragging;  // not yet let go
  std::optional<plot::Rect> dragged;   // let go
};

class Mode {
 public:
  virtual ~Mode() = default;
  // Draws into `picture` and sets members of `values`. Errors: those of the module.
  virtual Status observe(Tensor& picture, const Mouse& mouse, Json& values) = 0;
};

struct ModeSetup {
  ParameterValues values;
  EngineChoice engine;
  std::vector<std::string> models;  // files for SimpleInvoker
  int fps = 30;
};

struct ModeInfo {
  std::string_view name;    // "SpotTracker"
  std::string_view text;    // for people
  std::string_view camera;  // the synthetic pattern that shows it best
  std::string_view mouse;   // what the mouse does; empty: nothing
  std::vector<Parameter> (*parameters)(const std::vector<std::string>& models);
  // Opened. Errors: those of the module, of the compiler and of devices.
  Result<std::unique_ptr<Mode>> (*make)(const ModeSetup& setup);
};

// All modes; modes.def.
const std::vector<ModeInfo>& modes();
const ModeInfo* find_mode(std::string_view name);  // null: there is none

}  // namespace edgetwin::serve
