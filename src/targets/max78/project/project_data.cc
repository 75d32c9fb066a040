// What main.c loads, checks and prints: its arrays and functions beside main itself.
#include <algorithm>

#include "targets/max78/place/region.h"
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

// The word for the FIFO: from the array, or with each block's addend (--synthesize-input).
std::string fifo_value(const Plan& plan, int64_t list) {
  const std::string array = "input_" + std::to_string(list);
  if (!plan.options.synthesize_input) return array + "[i]";
  const std::string block = std::to_string(plan.options.synthesize_words);
  const auto addend = static_cast<uint32_t>(*plan.options.synthesize_input);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << (8 * std::min(plan.sample.c, 4))) - 1);
  return "(" + array + "[i % " + block + "] + (uint32_t) (i / " + block + ") * " +
         hex_text(addend) + "U) & " + hex_text(mask) + "U";
}

std::string fifo_input(const Plan& plan, const Access& fifo) {
  const size_t lists = fifo.addresses.size();
  const bool fast = plan.options.use_fast_fifo();
  std::string text;
  for (size_t n = 0; n < lists; ++n) {
    text += "static const uint32_t input_" + std::to_string(static_cast<int64_t>(n)) +
            "[] = SAMPLE_INPUT_" + std::to_string(static_cast<int64_t>(n)) + ";\n";
  }
  text += "\nvoid load_input(void)\n{\n  int i;\n\n  for (i = 0; i < " +
          std::to_string(static_cast<int64_t>(fifo.words.size() / lists)) + "; i++) {\n";
  for (size_t n = 0; n < lists; ++n) {
    const uint32_t status = fast ? kFastFifoBase + 4 : kFifoBase + 4;
    const uint32_t index = (fifo.addresses[n] - kFifoBase - 8) / 4;
    const uint32_t full = fast ? 2U : 1U << index;
    if (plan.options.fifo_wait) {
      text += "    while ((*((volatile uint32_t *) " + hex_text(status) + ") & " +
              std::to_string(full) + ") != 0) { } // full\n";
    }
    text += "    *((volatile uint32_t *) " + hex_text(fifo.addresses[n]) +
            ") = " + fifo_value(plan, static_cast<int64_t>(n)) + ";\n";
  }
  return text + "  }\n}\n\n";
}

// What cnn_unload fills: the results of all output layers, not of the last one only.
std::string result_buffer(const Plan& plan) {
  const LayerPlan& last = plan.layer(plan.last);
  const bool wide = last.output_width == 32;
  const std::string name = wide ? "static int32_t ml_data" : "static int32_t ml_data32";
  const std::vector<Region> regions = unload_regions(plan);
  int64_t bytes = 0;
  for (const Region& r : regions) bytes += r.channels * r.pixels * r.width / 8;
  const int64_t own =
      int64_t{last.out_channels} * last.out_dim.h * last.out_dim.w * last.output_width / 8;
  if (bytes > own) return name + "[" + std::to_string((bytes + 3) / 4) + "];\n";
  return name + (wide ? "[CNN_NUM_OUTPUTS];\n" : "[(CNN_NUM_OUTPUTS + 3) / 4];\n");
}

}  // namespace

std::string input_function(const Plan& plan, const Function& load_input) {
  if (plan.options.use_fifo()) return fifo_input(plan, load_input.accesses.back());
  std::string text, calls;
  int n = 0;
  for (const Access& a : load_input.accesses) {
    const std::string array = "input_" + std::to_string(n);
    text += "static const uint32_t " + array + "[] = SAMPLE_INPUT_" + std::to_string(n++) + ";\n";
    calls += "  memcpy32((uint32_t *) " + hex_text(a.address) + ", " + array + ", " +
             std::to_string(static_cast<int64_t>(a.words.size()) + 1) + ");\n";
  }
  return text + "\nvoid load_input(void)\n{\n" + calls + "}\n\n";
}

std::string result_functions(const Plan& plan) {
  const LayerPlan& last = plan.layer(plan.last);
  const bool wide = last.output_width == 32;
  const bool softmax = plan.options.softmax && plan.options.unload;
  if (!plan.options.unload) return {};
  std::string text = result_buffer(plan);
  if (!softmax) return text + "\n";
  text += "static q15_t ml_softmax[CNN_NUM_OUTPUTS];\n\nvoid softmax_layer(void)\n{\n";
  if (!wide) {
    text +=
        "  cnn_unload((uint32_t *) ml_data32);\n"
        "  arm_softmax_q7_q15((const q7_t *) ml_data32, CNN_NUM_OUTPUTS, ml_softmax);\n";
  } else if (last.bits() == 8) {
    text +=
        "  cnn_unload((uint32_t *) ml_data);\n"
        "  softmax_q17p14_q15((const q31_t *) ml_data, CNN_NUM_OUTPUTS, ml_softmax);\n";
  } else {
    text +=
        "  cnn_unload((uint32_t *) ml_data);\n  softmax_shift_q17p14_q15((q31_t *) ml_data, "
        "CNN_NUM_OUTPUTS, " +
        std::to_string(8 - last.bits()) + ", ml_softmax);\n";
  }
  return text + "}\n\n";
}

std::string check_function() {
  return R"(static const uint32_t sample_output[] = SAMPLE_OUTPUT;

int check_output(void)
{
  const uint32_t *ptr = sample_output;
  volatile uint32_t *addr;
  uint32_t mask, len, value;
  int i = 0;

  while ((addr = (volatile uint32_t *) (uintptr_t) *ptr++) != 0) {
    mask = *ptr++;
    len = *ptr++;
    while (len-- > 0) {
      i++;
      value = *addr & mask;
      if (value != *ptr) {
        printf("Word %d at %p: expected 0x%08x, read 0x%08x\n", i, (void *) (uintptr_t) addr,
               (unsigned int) *ptr, (unsigned int) value);
        return CNN_FAIL;
      }
      addr++;
      ptr++;
    }
  }
  return CNN_OK;
}

)";
}

}  // namespace edgetwin::max78
