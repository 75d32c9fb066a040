#include "targets/max78/convert/trainable.h"

#include <algorithm>
#include <cmath>

#include "formats/torch/checkpoint.h"

namespace edgetwin::max78 {
namespace {

constexpr double kByteUnit = 128;

double at_channel(const std::vector<float>& list, size_t channel) {
  return static_cast<double>(list[list.size() == 1 ? 0 : channel]);
}

class TrainableWriter {
 public:
  TrainableWriter(const Draft& draft, const ByteScale& bytes) : d_(draft), bytes_(bytes) {}

  Result<TrainableNetwork> run() {
    find_inputs();
    EDGETWIN_TRY(check_input());
    torch::Checkpoint c = torch::Checkpoint::make(d_.name + ".pth.tar");
    const torch::NodeId state = c.add_dict(true);
    for (const DraftLayer& l : d_.layers) {
      if (!l.has_weights()) continue;
      EDGETWIN_TRY_ASSIGN(const Tensor w, stored_weights(d_, l, weights(l)));
      c.append(state, l.name + ".op.weight", c.add_tensor(w));
      const std::vector<float> b = bias(l);
      EDGETWIN_TRY_ASSIGN(const Tensor t, float_tensor({static_cast<int64_t>(b.size())}, b));
      c.append(state, l.name + ".op.bias", c.add_tensor(t));
    }
    c.set(c.root(), "epoch", c.add_integer(0));
    c.set(c.root(), "arch", c.add_text(d_.name));
    c.set(c.root(), "state_dict", state);
    c.set(c.root(), "extras", c.add_dict(false));
    EDGETWIN_TRY_ASSIGN(Bytes checkpoint, torch::write(c));
    return TrainableNetwork{training_yaml_text(d_), std::move(checkpoint)};
  }

 private:
  // The input, and what shares its unit: operands beside it, and copies of it.
  void find_inputs() {
    like_input_.assign(d_.tensors.size(), false);
    like_input_[0] = true;
    for (bool more = true; more;) {
      more = false;
      for (const DraftLayer& l : d_.layers) {
        std::vector<int> together = l.sources;
        if (!l.has_weights() || d_.tensor(l.out).value == kAbsent) together.push_back(l.out);
        const auto is = [&](int t) { return like_input_[static_cast<size_t>(t)]; };
        if (std::none_of(together.begin(), together.end(), is) ||
            std::all_of(together.begin(), together.end(), is)) {
          continue;
        }
        for (const int t : together) like_input_[static_cast<size_t>(t)] = true;
        more = true;
      }
    }
  }

  bool plain_bytes() const {
    const auto is_unit = [](float v) { return v == static_cast<float>(kByteUnit); };
    return std::all_of(bytes_.mean.begin(), bytes_.mean.end(), is_unit) &&
           std::all_of(bytes_.deviation.begin(), bytes_.deviation.end(), is_unit);
  }

  Status check_input() const {
    const auto channels = static_cast<size_t>(d_.tensor(0).channels);
    for (const auto* list : {&bytes_.mean, &bytes_.deviation}) {
      if (list->size() == 1 || list->size() == channels) continue;
      return Error(ErrorCode::quant_setting, std::to_string(list->size()) +
                                                 " numbers for the mean or deviation of " +
                                                 std::to_string(channels) + " channels");
    }
    if (plain_bytes() || std::count(like_input_.begin(), like_input_.end(), true) == 1) return Ok{};
    return Error(ErrorCode::quant_setting,
                 "a mean or deviation other than 128 goes into the weights of the first layer, and "
                 "here the input is also copied or added to")
        .with_hint("Train with --mean 128 --std 128, or begin the network with a convolution.");
  }

  double unit(int tensor) const {
    if (like_input_[static_cast<size_t>(tensor)]) return 1;
    const DraftTensor& t = d_.tensor(tensor);
    return std::ldexp(t.stretch, t.exponent);
  }
  double out_unit(const DraftLayer& l) const { return is_wide(d_, l) ? 1 : unit(l.out); }

  // The input channel of a weight: its place in the row of an output.
  size_t input_channel(const DraftLayer& l, size_t out, size_t place) const {
    const DraftTensor& in = d_.tensor(l.sources[0]);
    const size_t each = l.flatten ? static_cast<size_t>(in.h) * static_cast<size_t>(in.w)
                                  : static_cast<size_t>(l.taps());
    const size_t outs = static_cast<size_t>(d_.tensor(l.out).channels);
    const size_t groups = static_cast<size_t>(l.groups);
    const size_t group = out / (outs / groups);
    return group * (static_cast<size_t>(in.channels) / groups) + place / each;
  }

  std::vector<float> weights(const DraftLayer& l) const {
    const bool first = l.sources.size() == 1 && l.sources[0] == 0;
    const size_t row = l.weights.size() / static_cast<size_t>(d_.tensor(l.out).channels);
    const double factor = unit(l.sources[0]) / out_unit(l);
    std::vector<float> made;
    for (size_t i = 0; i < l.weights.size(); ++i) {
      double w = static_cast<double>(l.weights[i]) * factor;
      if (first) w *= kByteUnit / at_channel(bytes_.deviation, input_channel(l, i / row, i % row));
      made.push_back(static_cast<float>(w));
    }
    return made;
  }

  std::vector<float> bias(const DraftLayer& l) const {
    const auto outs = static_cast<size_t>(d_.tensor(l.out).channels);
    const bool first = l.sources.size() == 1 && l.sources[0] == 0;
    const size_t row = l.weights.size() / outs;
    std::vector<float> made;
    for (size_t o = 0; o < outs; ++o) {
      double b = l.bias.empty() ? 0.0 : static_cast<double>(l.bias[o]);
      for (size_t i = 0; i < row && first; ++i) {
        const size_t c = input_channel(l, o, i);
        b += static_cast<double>(l.weights[o * row + i]) *
             (kByteUnit - at_channel(bytes_.mean, c)) / at_channel(bytes_.deviation, c);
      }
      made.push_back(static_cast<float>(b / out_unit(l)));
    }
    return made;
  }

  const Draft& d_;
  const ByteScale& bytes_;
  std::vector<bool> like_input_;  // by tensor
};

}  // namespace

Result<TrainableNetwork> trainable(const Draft& draft, const ByteScale& bytes) {
  return TrainableWriter(draft, bytes).run();
}

}  // namespace edgetwin::max78
