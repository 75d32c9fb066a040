#include "sweep.hpp"

#include <algorithm>

#include "tensors.hpp"

namespace check {
namespace {

constexpr uint8_t kInt8 = 3;

struct Sweep {
  int64_t lowest = 0;
  int64_t values = 0;
  int64_t chunk = 0;    // elements of one run
  int64_t highest = 0;  // the largest input that was run
  int64_t padded = 0;   // elements of the last run that repeat the largest input
};

void fill(const Sweep& sweep, int64_t begin, uint8_t dtype, void* data) {
  for (int64_t i = 0; i < sweep.chunk; ++i) {
    const int64_t value = sweep.lowest + std::min(begin + i, sweep.values - 1);
    if (dtype == kInt8) {
      static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value);
    } else {
      static_cast<int16_t*>(data)[i] = static_cast<int16_t>(value);
    }
  }
}

void compare_chunk(const Sweep& sweep, int64_t begin, const GoldenTensor& golden,
                   dl::TensorBase& output, Difference& difference) {
  const uint8_t* data = output.get_element_ptr<uint8_t>();
  const int64_t end = std::min(begin + sweep.chunk, sweep.values);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t hw = element(golden.dtype, data, static_cast<size_t>(i - begin));
    const int64_t sim = element(golden.dtype, golden.data, static_cast<size_t>(i));
    ++difference.checked;
    if (hw != sim) difference.add(i, hw, sim);
  }
}

void tell(const Case& wanted, const Sweep& sweep, Report& report) {
  report.info({{"case", wanted.name},
               {"sweep", std::to_string(sweep.values)},
               {"lowest", std::to_string(sweep.lowest)},
               {"highest", std::to_string(sweep.highest)},
               {"chunk", std::to_string(sweep.chunk)},
               {"padded", std::to_string(sweep.padded)}});
  say(std::string(wanted.name) + ": inputs " + std::to_string(sweep.lowest) + " to " +
      std::to_string(sweep.highest) + " were run, input " + std::to_string(sweep.highest) +
      " included");
}

}  // namespace

void run_sweep(dl::Model& model, const Case& wanted, const Golden& golden, Report& report) {
  const GoldenTensor& in = golden.inputs[0];
  const GoldenTensor& out = golden.outputs[0];
  const dl::TensorBase& model_in = *model.get_inputs().begin()->second;
  dl::TensorBase& model_out = *model.get_outputs().begin()->second;
  Sweep sweep;
  sweep.values = in.dtype == kInt8 ? 256 : 65536;
  sweep.lowest = -sweep.values / 2;
  sweep.chunk = elements_of(model_in);
  GoldenTensor feed = in;
  feed.shape = model_in.shape;
  feed.bytes = static_cast<uint32_t>(sweep.chunk) * in.element_bytes();
  Buffer buffer(feed.bytes);
  if (buffer.data() == nullptr)
    return report.fail("lut", wanted.name, wrong("memory", 0, feed.bytes));
  feed.data = static_cast<const uint8_t*>(buffer.data());
  Inputs inputs({feed});

  Difference difference;
  for (int64_t begin = 0; begin < sweep.values; begin += sweep.chunk) {
    fill(sweep, begin, in.dtype, buffer.data());
    run(model, inputs.map(), {});
    compare_chunk(sweep, begin, out, model_out, difference);
    sweep.highest = sweep.lowest + std::min(begin + sweep.chunk, sweep.values) - 1;
    sweep.padded = std::max<int64_t>(0, begin + sweep.chunk - sweep.values);
  }
  tell(wanted, sweep, report);
  if (difference.equal()) return report.pass("lut", wanted.name, difference.checked);
  report.fail("lut", wanted.name, difference);
}

}  // namespace check
