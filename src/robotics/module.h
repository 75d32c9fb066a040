// What all modules have: an engine, the numbers beside the model, opening and closing.
#pragma once

#include <memory>
#include <utility>

#include "robotics/engine/engine.h"
#include "robotics/engine/twin_engine.h"
#include "robotics/sidecar.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::robotics {

class Module {
 public:
  Status open() { return engine_->open(); }
  void close() { engine_->close(); }
  bool is_open() const { return engine_->is_open(); }

  Engine& engine() const { return *engine_; }
  const Sidecar& sidecar() const { return sidecar_; }
  const Shape& input_shape() const { return engine_->input().shape; }
  const Shape& output_shape() const { return engine_->outputs().front().shape; }
  // Bytes of all outputs together.
  size_t output_bytes() const;

  // The bytes of all outputs, one after the other. Errors: module_closed, module_input.
  Result<Bytes> execute_raw(ByteSpan input);

 protected:
  Module(std::shared_ptr<Engine> engine, Sidecar sidecar)
      : engine_(std::move(engine)), sidecar_(std::move(sidecar)) {}
  Status check_open() const;

  std::shared_ptr<Engine> engine_;
  Sidecar sidecar_;
};

// A template on the twin: what from_template() of every module begins with.
struct Prepared {
  std::shared_ptr<Engine> engine;
  Sidecar sidecar;
};
Result<Prepared> on_twin(Result<edgetpu::templates::Template> made, const TwinOptions& options);

// What is left after the model was checked: [1, height, width, channels]. Error: module_model.
struct PictureSize {
  int height = 0, width = 0, channels = 0;
};
Result<PictureSize> picture_size(const Engine& engine);

}  // namespace edgetwin::robotics
