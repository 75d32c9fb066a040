// Real numbers through a network, wherever it computes; several inferences at once; networks in
// segments.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/result.h"
#include "edgetwin/runner.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

// clamp(round half to even(v / max(scale, 1e-9) + zero point)) for every number, in single
// precision; a float tensor as it is. Of the port's name, type and quantization, one value per
// element. Errors: input_shape for another number of values, a negative scale, another type than
// uint8, int8, int16 and float32; op_data for a value that is not finite.
EDGETWIN_API Result<Tensor> quantize_reals(const Port& port, std::span<const float> reals);
// (q - zero point) * scale in single precision; a float tensor as it is.
EDGETWIN_API std::vector<float> dequantize_reals(const Tensor& tensor);

// How bytes count: as the model's types say, or as the Edge TPU has them, unsigned: the top bit of
// int8 elements is flipped on the way in and out.
enum class ByteForm : uint8_t { model, chip };

// A network as a function from numbers to numbers. Not to be called from two threads at once.
class EDGETWIN_API Invoker {
 public:
  explicit Invoker(std::shared_ptr<Runner> runner);

  Runner& runner() const { return *runner_; }

  // One array per input, dense, in the order of the port's shape; one per output. Errors:
  // input_missing, those of quantize_reals and of Runner::run.
  Result<std::vector<std::vector<float>>> invoke(std::span<const std::vector<float>> inputs);
  // The same of a network with one input: its first output.
  Result<std::vector<float>> invoke_one(std::span<const float> input);
  // Bytes in, bytes out. Errors: input_missing, input_shape, those of Runner::run.
  Result<std::vector<Bytes>> invoke_raw(std::span<const ByteSpan> inputs,
                                        ByteForm form = ByteForm::model);

 private:
  std::shared_ptr<Runner> runner_;
};

// Several inferences, each with its own inputs, in order. On a device the next is on its way while
// one computes, in a pipeline every segment works. Errors: those of Runner::run.
EDGETWIN_API Result<std::vector<Run>> run_batch(Runner& runner,
                                                std::span<const std::vector<Tensor>> inputs);

// Segments of a network in a row, each wherever it computes: outputs of one are the inputs of the
// next by name, by place where names differ. Takes what the first takes and gives what the last
// gives. Error: device_request without segments, or where a segment misses an input.
EDGETWIN_API Result<std::unique_ptr<Runner>> make_pipeline(
    std::vector<std::unique_ptr<Runner>> segments);

}  // namespace edgetwin
