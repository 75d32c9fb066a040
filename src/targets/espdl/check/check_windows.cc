// Rules of what slides over pictures or rearranges them: pooling, Resize, blocks. Specification
// "Operators", 2.1, 5, 6, 7.
#include <algorithm>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

std::string text_of(const std::vector<int64_t>& numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size() && i < 8; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return text + "]";
}

void check_picture(const Subject& s) {
  if (!s.any_of({"Conv", "AveragePool", "MaxPool", "GlobalAveragePool", "Resize"})) return;
  const auto* dims = s.c.dims(s.in(0));
  if (dims == nullptr) return;
  if (dims->size() != 3 && dims->size() != 4) {
    s.say(Rule::spatial_rank, "the input has " + std::to_string(dims->size()) + " dimensions " +
                                  text_of(*dims) + ", 3 or 4 are possible");
    return;
  }
  if (dims->front() != 1 && !s.is("Resize")) {
    s.say(Rule::batch,
          "the input is " + text_of(*dims) + ", a batch of " + std::to_string(dims->front()),
          "Export the model with a batch of 1 and run it once for each picture.");
  }
}

bool any_not(const std::optional<std::vector<int64_t>>& numbers, int64_t usual) {
  return numbers &&
         std::any_of(numbers->begin(), numbers->end(), [&](int64_t v) { return v != usual; });
}

void check_pool(const Subject& s) {
  if (!s.any_of({"AveragePool", "MaxPool"})) return;
  if (s.number("ceil_mode", 0) != 0) {
    s.say(Rule::ceil_mode,
          "ceil_mode is " + std::to_string(s.number("ceil_mode", 0)) +
              "; the output size is rounded down",
          "Pad the input instead, so that both roundings agree.");
  }
  const auto pads = s.node.integers("pads");
  if (s.is("AveragePool") && any_not(pads, 0) && s.number("count_include_pad", 0) == 0) {
    const auto kernel = s.node.integers("kernel_shape").value_or(std::vector<int64_t>{});
    s.say(Rule::count_include_pad,
          "pads " + text_of(*pads) +
              " and count_include_pad 0: sums at the border are divided by "
              "the whole window " +
              text_of(kernel),
          "Set count_include_pad to 1 in the float network, or pad before.");
  }
  if (any_not(s.node.integers("dilations"), 1)) {
    s.say(Rule::pool_dilations,
          "dilations " + text_of(*s.node.integers("dilations")) + " are taken as 1");
  }
}

void check_auto_pad(const Subject& s) {
  if (!s.any_of({"Conv", "AveragePool", "MaxPool"})) return;
  const std::string text = s.word("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return;
  s.say(Rule::auto_pad,
        "auto_pad is " + in_quotes(text) + ", pads are " +
            text_of(s.node.integers("pads").value_or(std::vector<int64_t>{})),
        "Write explicit pads.");
}

void check_coordinates(const Subject& s, bool nearest) {
  const std::string how = s.word("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = s.word("nearest_mode", "round_prefer_floor");
  if (nearest && how == "asymmetric" && rounding == "floor") return;
  if (!nearest && (how == "half_pixel" || how == "align_corners")) return;
  const std::string stated = in_quotes(how) + (nearest ? " with " + in_quotes(rounding) : "");
  // With whole factors of enlargement, the usual combinations give the same picture.
  const bool same = nearest && (how == "asymmetric" || how == "half_pixel") &&
                    (rounding == "floor" || rounding == "round_prefer_floor");
  s.say(Rule::resize_coordinates, same ? Severity::note : Severity::warning,
        "the file says " + stated + ", the runtime takes " +
            (nearest ? "asymmetric with floor" : "half_pixel"),
        "Compare the simulated output with the float network.");
}

void check_single(const Subject& s) {
  const auto* in = s.c.dims(s.in(0));
  const auto* out = s.c.dims(s.out());
  if (in == nullptr || out == nullptr || in->size() != out->size() || in->size() < 3) return;
  for (size_t i = 1; i + 1 < in->size(); ++i) {
    if ((*in)[i] != 1 || (*out)[i] == 1) continue;
    s.say(Rule::resize_single,
          "axis " + std::to_string(i) + " has 1 element and grows to " + std::to_string((*out)[i]),
          "Repeat the element by a Concat or a nearest Resize.");
  }
}

void check_resize(const Subject& s) {
  if (!s.is("Resize")) return;
  const std::string mode = s.word("mode", "nearest");
  if (mode != "nearest" && mode != "linear") {
    s.say(Rule::resize_mode, "mode is " + in_quotes(mode) + "; nearest and linear are possible");
    return;
  }
  check_coordinates(s, mode == "nearest");
  if (mode == "linear") check_single(s);
}

void check_blocks(const Subject& s) {
  const int64_t b = s.number("blocksize", 0);
  const auto* in = s.c.dims(s.in(0));
  if (b < 1 || b > 4096 || in == nullptr || in->size() != 4) return;
  const int64_t c = in->back();
  if (s.is("DepthToSpace") && s.word("mode", "DCR") != "CRD" && b > 1 && c != b * b * b) {
    s.say(Rule::depth_to_space_dcr,
          std::to_string(c) + " channels / (" + std::to_string(b) + " * " + std::to_string(b) +
              ") = " + std::to_string(c / (b * b)) + " output channels, the block size is " +
              std::to_string(b),
          "Use the mode CRD, with the channels of the layer before in its order.");
  }
  if (s.is("SpaceToDepth") && b > 1 && c > 1) {
    s.say(Rule::space_to_depth_order,
          std::to_string(c) + " channels: output channel c * " + std::to_string(b * b) +
              " + (position in the block), ONNX has position * " + std::to_string(c) + " + c",
          "Right if the network was trained with pixel unshuffle.");
  }
}

}  // namespace

void check_windows(const Subject& s) {
  check_picture(s);
  check_pool(s);
  check_auto_pad(s);
  check_resize(s);
  check_blocks(s);
}

}  // namespace edgetwin::targets::espdl
