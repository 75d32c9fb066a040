#include "cli/streams/transforms.h"

#include "robotics/sidecar.h"
#include "signals/measure/measure.h"

namespace edgetwin::cli {

bool is_transform(const Runner& runner) {
  if (runner.inputs().size() != 1 || runner.outputs().size() > 1) return false;
  const auto input = signals::pairs_of(runner.inputs().front().shape);
  // Networks of the MAX7800x do not say their outputs before they run.
  const bool fits =
      runner.outputs().empty() || input == signals::pairs_of(runner.outputs().front().shape);
  return input.has_value() && fits;
}

namespace {

// What was said of the order; nothing where neither `word` nor a side-car file does.
Result<std::optional<signals::InputOrder>> given_order(const std::string& model,
                                                       const std::string& word) {
  std::string order = word;
  if (order.empty()) {
    EDGETWIN_TRY_ASSIGN(const auto sidecar, robotics::Sidecar::beside(model));
    order = sidecar.text("input_order").value_or("");
  }
  return signals::input_order(order);
}

Status settle_order(const std::string& model, const std::string& word, StreamTransform& t) {
  EDGETWIN_TRY_ASSIGN(std::optional<signals::InputOrder> order, given_order(model, word));
  if (!order) {
    EDGETWIN_TRY_ASSIGN(order, signals::find_order(t.input, t.compute));
    t.order_is_found = true;
  }
  if (!order) {
    return Error(ErrorCode::usage,
                 "the order in which '" + model + "' takes its samples is unknown")
        .detail("a tone becomes a line in neither order")
        .with_hint(
            "Say it with --order, or put the file of `template fft --metadata` beside the "
            "model under the name NAME.json.");
  }
  t.order = *order;
  return Ok{};
}

}  // namespace

void say_order(const StreamTransform& t, Console& console) {
  if (!t.order_is_found) return;
  console.note("samples are taken in the order " + std::string(signals::name(t.order)) +
               ", in which a tone becomes a line");
}

Result<Tensor> empty_input(const std::string& name, DType type, const Shape& shape,
                           const Quant& quant) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(type, shape));
  t.name = name;
  t.quant = quant;
  return t;
}

Result<StreamTransform> transform_of(std::shared_ptr<Runner> runner, const std::string& model,
                                     const std::string& word) {
  if (runner->inputs().size() != 1) {
    return Error(ErrorCode::template_argument, "the network has " +
                                                   std::to_string(runner->inputs().size()) +
                                                   " inputs; a transform has one")
        .with_hint("Give a network that `template fft` made.");
  }
  const Port& port = runner->inputs().front();
  StreamTransform t;
  EDGETWIN_TRY_ASSIGN(t.input, empty_input(port.name, port.dtype, port.shape, port.quant));
  t.compute = [runner](const Tensor& input) -> Result<Tensor> {
    EDGETWIN_TRY_ASSIGN(auto run, runner->run(std::span(&input, 1)));
    if (run.outputs.empty())
      return Error(ErrorCode::template_argument, "the network has no output");
    return std::move(run.outputs.front());
  };
  EDGETWIN_TRY(settle_order(model, word, t));
  return t;
}

}  // namespace edgetwin::cli
