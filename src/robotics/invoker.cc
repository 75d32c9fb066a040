#include "robotics/invoker.h"

#include <algorithm>

#include "robotics/quantize.h"

namespace edgetwin::robotics {

Result<SimpleInvoker> SimpleInvoker::load(const std::filesystem::path& model,
                                          const TwinOptions& options) {
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<TwinEngine> engine, TwinEngine::load(model, options));
  EDGETWIN_TRY_ASSIGN(Sidecar sidecar, Sidecar::beside(model));
  return create(std::move(engine), std::move(sidecar));
}

Result<std::vector<Bytes>> SimpleInvoker::invoke_raw_outputs(ByteSpan input) {
  EDGETWIN_TRY(check_open());
  return engine_->run(input);
}

Result<std::vector<float>> SimpleInvoker::invoke(std::span<const float> input) {
  const Port& in = engine_->input();
  if (input.size() != in.bytes) {
    return Error(ErrorCode::module_input, std::to_string(input.size()) +
                                              " values, the model takes " + to_string(in.shape) +
                                              " = " + std::to_string(in.bytes));
  }
  // An int8 input is sent with its top bit flipped, which adds 128 to the zero point.
  const int zero_point = in.zero_point + (in.dtype == DType::int8 ? 128 : 0);
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, quantize_uint8(input, in.scale, zero_point));
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> raw, invoke_raw_outputs(bytes));
  std::vector<float> real(raw.front().size());
  std::transform(raw.front().begin(), raw.front().end(), real.begin(),
                 [&](std::byte b) { return engine_->outputs().front().real(b); });
  return real;
}

}  // namespace edgetwin::robotics
