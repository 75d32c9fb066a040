#include "robotics/module.h"

namespace edgetwin::robotics {

size_t Module::output_bytes() const {
  size_t sum = 0;
  for (const BytePort& port : engine_->outputs()) sum += port.bytes;
  return sum;
}

Status Module::check_open() const {
  if (engine_->is_open()) return Ok{};
  return Error(ErrorCode::module_closed, "the module is not open");
}

Result<Bytes> Module::execute_raw(ByteSpan input) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> outputs, engine_->run(input));
  Bytes all;
  for (const Bytes& one : outputs) all.insert(all.end(), one.begin(), one.end());
  return all;
}

Result<Prepared> on_twin(Result<edgetpu::templates::Template> made, const TwinOptions& options) {
  if (!made.ok()) return std::move(made).error();
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Engine> engine, twin_engine(made->model, options));
  return Prepared{std::move(engine), Sidecar(made->metadata)};
}

Result<PictureSize> picture_size(const Engine& engine) {
  const Shape& s = engine.input().shape;
  if (s.rank() != 4 || s[0] != 1) {
    return Error(ErrorCode::module_model, "the model takes " + to_string(s) +
                                              "; one picture, 1 x height x width x "
                                              "channels, is needed");
  }
  return PictureSize{static_cast<int>(s[1]), static_cast<int>(s[2]), static_cast<int>(s[3])};
}

}  // namespace edgetwin::robotics
