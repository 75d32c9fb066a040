// XNNPACK's quantized convolution operators, on one thread.
#include "runner.h"

#if EDGETWIN_HAVE_XNNPACK
#include <xnnpack.h>

namespace edgetwin::bench {
namespace {

enum class Operator { qc8, qs8, qu8 };

class XnnpackRunner : public Runner {
 public:
  XnnpackRunner(const ConvLayer& layer, const Operands& operands, Operator kind)
      : kind_(kind), out_(layer.out_size()) {
    // It reads up to 16 bytes past the end of its input.
    in_ = operands.in;
    in_.resize(in_.size() + 16);
    ok_ =
        create(layer, operands) == xnn_status_success && setup(layer.window) == xnn_status_success;
  }
  ~XnnpackRunner() override {
    if (op_ != nullptr) xnn_delete_operator(op_);
  }
  bool ok() const { return ok_; }
  void run() override { xnn_run_operator(op_, nullptr); }
  const std::vector<uint8_t>& result() const override { return out_; }

 private:
  template <class F, class... Scales>
  xnn_status create_with(F function, const ConvLayer& layer, const Operands& o, auto zero,
                         Scales... weight_arguments) {
    using T = decltype(zero);
    const Window2D& w = layer.window;
    const auto u = [](int x) { return static_cast<uint32_t>(x); };
    const auto z = [](int x) { return static_cast<std::size_t>(x); };
    const SamePadding rows(w.in_h, w.out_h, w.kernel_h, w.stride_h);
    const SamePadding columns(w.in_w, w.out_w, w.kernel_w, w.stride_w);
    const auto& weights = layer.depthwise ? o.depthwise_by_channel : o.weights;
    return function(u(rows.before), u(columns.after), u(rows.after), u(columns.before),
                    u(w.kernel_h), u(w.kernel_w), u(w.stride_h), u(w.stride_w), 1, 1,
                    layer.depthwise ? u(w.in_c) : 1, layer.depthwise ? 1 : z(w.in_c),
                    layer.depthwise ? 1 : z(w.out_c), z(w.in_c), z(w.out_c),
                    static_cast<T>(o.input_zero_point), 1.0F, weight_arguments...,
                    reinterpret_cast<const T*>(weights.data()), o.bias.data(),
                    static_cast<T>(o.output_zero_point), 1.0F, static_cast<T>(o.act_min),
                    static_cast<T>(o.act_max), 0, &op_);
  }

  xnn_status create(const ConvLayer& layer, const Operands& o) {
    switch (kind_) {
      case Operator::qc8:
        return create_with(xnn_create_convolution2d_nhwc_qc8, layer, o, int8_t{},
                           o.weight_scales.data());
      case Operator::qs8:
        return create_with(xnn_create_convolution2d_nhwc_qs8, layer, o, int8_t{},
                           o.weight_scales[0]);
      case Operator::qu8:
        return create_with(xnn_create_convolution2d_nhwc_qu8, layer, o, uint8_t{},
                           static_cast<uint8_t>(o.weight_zero_point), o.weight_scales[0]);
    }
    return xnn_status_invalid_parameter;
  }

  template <class T, class F>
  xnn_status setup_with(F function, const Window2D& w, T*) {
    return function(op_, static_cast<std::size_t>(w.batch), static_cast<std::size_t>(w.in_h),
                    static_cast<std::size_t>(w.in_w), reinterpret_cast<const T*>(in_.data()),
                    reinterpret_cast<T*>(out_.data()), nullptr);
  }

  xnn_status setup(const Window2D& w) {
    switch (kind_) {
      case Operator::qc8:
        return setup_with(xnn_setup_convolution2d_nhwc_qc8, w, static_cast<int8_t*>(nullptr));
      case Operator::qs8:
        return setup_with(xnn_setup_convolution2d_nhwc_qs8, w, static_cast<int8_t*>(nullptr));
      case Operator::qu8:
        return setup_with(xnn_setup_convolution2d_nhwc_qu8, w, static_cast<uint8_t*>(nullptr));
    }
    return xnn_status_invalid_parameter;
  }

  Operator kind_;
  std::vector<uint8_t> in_, out_;
  xnn_operator_t op_ = nullptr;
  bool ok_ = false;
};

}  // namespace

bool have_xnnpack() {
  static const bool ready = xnn_initialize(nullptr) == xnn_status_success;
  return ready;
}

std::vector<std::unique_ptr<Runner>> xnnpack_runners(const ConvLayer& layer,
                                                     const Operands& operands) {
  std::vector<std::unique_ptr<Runner>> runners;
  if (!have_xnnpack()) return runners;
  const auto add = [&](Operator kind) {
    auto runner = std::make_unique<XnnpackRunner>(layer, operands, kind);
    if (runner->ok()) runners.push_back(std::move(runner));
  };
  if (operands.is_unsigned) {
    add(Operator::qu8);
  } else {
    add(Operator::qc8);
    add(Operator::qs8);
  }
  return runners;
}

}  // namespace edgetwin::bench

#else

namespace edgetwin::bench {

bool have_xnnpack() { return false; }

std::vector<std::unique_ptr<Runner>> xnnpack_runners(const ConvLayer&, const Operands&) {
  return {};
}

}  // namespace edgetwin::bench

#endif
