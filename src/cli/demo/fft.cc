#include "cli/demo/fft.h"

#include "cli/shared/exit_codes.h"
#include "cli/streams/sources.h"
#include "cli/streams/spectrum_view.h"
#include "edgetwin/network.h"
#include "exec/session.h"
#include "signals/fft/network.h"
#include "signals/measure/measure.h"

namespace edgetwin::cli {
namespace {

Result<StreamTransform> computer_of_model(const FftDemoArguments& a) {
  OpenOptions open;
  open.numerics = a.numerics;
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(a.model, open));
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<Runner> runner, network.runner());
  return transform_of(std::move(runner), a.model, a.stream.order);
}

Result<StreamTransform> computer_of(const FftDemoArguments& a) {
  if (!a.model.empty()) return computer_of_model(a);
  const signals::FftOptions o{a.size, a.batch, *signals::fft_form(a.form),
                              *signals::fft_scaling(a.scaling), *signals::fft_number(a.number)};
  auto good = signals::check(o);
  if (!good.ok()) return std::move(good.error()).in_field("--" + good.error().place.field);
  signals::FftReach reach = signals::fft_reach(o);
  if (o.scaling == signals::FftScaling::calibrated) {
    EDGETWIN_TRY_ASSIGN(reach, signals::calibrated_reach(
                                   o, signals::calibration_noise(static_cast<size_t>(o.size))));
  }
  EDGETWIN_TRY_ASSIGN(const Model model, signals::fft_network(o, reach));
  const Value& v = model.main().value(model.main().inputs.front());
  StreamTransform c;
  c.order = signals::input_order(o.form);
  EDGETWIN_TRY_ASSIGN(c.input, empty_input(v.name, v.dtype, v.shape, v.quant));
  const std::string usual = o.number == signals::FftNumber::int8 ? "edgetpu" : "tflite";
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(std::make_shared<const Graph>(model.main()),
                                            {.numerics = a.numerics.empty() ? usual : a.numerics}));
  const auto shared = std::make_shared<exec::Session>(std::move(session));
  c.compute = [shared](const Tensor& input) -> Result<Tensor> {
    EDGETWIN_TRY(shared->set_input(0, input.data));
    EDGETWIN_TRY(shared->run());
    return shared->output(0);
  };
  return c;
}

}  // namespace

Result<int> execute(const FftDemoArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.spectra.check());
  EDGETWIN_TRY_ASSIGN(const StreamTransform transform, computer_of(a));
  say_order(transform, console);
  EDGETWIN_TRY_ASSIGN(const auto source, source_of(a.stream));
  SpectrumView view(a.stream, console);
  EDGETWIN_TRY(view.show(*source, transform, !a.spectra.empty()));
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes png, view.waterfall());
    EDGETWIN_TRY(a.output.write(ByteSpan(png)));
  }
  if (a.spectra.empty()) return kYes;
  EDGETWIN_TRY_ASSIGN(const Bytes npy, view.spectra());
  EDGETWIN_TRY(a.spectra.write(ByteSpan(npy)));
  return kYes;
}

}  // namespace edgetwin::cli
