#include "targets/edgetpu/decompile/layers/checks.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::edgetpu {
namespace {

class Checker {
 public:
  Checker(Layers& layers, const darwinn::Executable& inference, const Resident& resident)
      : layers_(layers), all_(layers.layers), inference_(inference), resident_(resident) {}

  void run() {
    for (size_t l = 0; l < all_.size(); ++l) {
      if (!all_[l].problem.empty()) continue;
      if (all_[l].numbers.weighted()) check_products(l);
      check_zero_points(l);
      check_scales(l);
    }
    check_blocks();
    for (const DecompiledOutput& o : layers_.outputs) check_output(o);
  }

 private:
  void say(const std::string& place, const std::string& message) {
    Finding f;
    f.severity = Severity::warning;
    f.id = "TPU-DEC-02";
    f.place = place;
    f.message = message;
    layers_.findings.push_back(std::move(f));
  }

  void say(size_t layer, size_t step, const std::string& message) {
    const ProgramInstruction& s = layers_.replay.steps.all[step];
    say("layer " + std::to_string(layer) + " " + std::string(name(all_[layer].type)) + ", chunk " +
            std::to_string(s.chunk) + ", word " + std::to_string(s.word),
        message);
  }

  void say(size_t layer, const std::string& message) {
    if (!all_[layer].steps.empty()) return say(layer, all_[layer].steps.front(), message);
    say("layer " + std::to_string(layer) + " " + std::string(name(all_[layer].type)), message);
  }

  // Input, weights and accumulators walk over the same loops; the output over some of them. With a
  // shorter last pass the loops are not their product any more.
  void check_products(size_t l) {
    for (const size_t s : all_[l].steps) {
      const Nest& n = layers_.replay.steps.nest(s);
      const uint64_t loops = n.loops();
      if (n.last != 0) continue;
      const std::pair<const char*, uint64_t> walks[] = {{"input", n.in.full_count()},
                                                        {"weights", n.weight.full_count()},
                                                        {"accumulators", n.acc.full_count()}};
      for (const auto& [what, count] : walks) {
        if (count == loops) continue;
        say(l, s,
            std::string("its loops run ") + std::to_string(loops) + " times, its " + what +
                " have " + std::to_string(count) + " places");
      }
      if (n.pixels() == 0 || loops % n.pixels() != 0) {
        say(l, s,
            "its loops run " + std::to_string(loops) + " times, no multiple of the " +
                std::to_string(n.pixels()) + " places of its output");
      }
    }
  }

  // -1: not known.
  int zero_point(Producer p) const { return zero_point_of(all_, inference_, p).value_or(-1); }

  void check_zero_points(size_t l) {
    const DecompiledLayer& layer = all_[l];
    if (layer.type == LayerType::add && layer.inputs.size() == 2) {
      check_sizes(l);
      return check_sum(l);
    }
    if (!has_weights(layer.type) || layer.inputs.empty()) return;
    for (const Producer p : layer.inputs.front().from) {
      const int made = zero_point(p);
      if (made < 0 || made == layer.numbers.input_zero_point) continue;
      say(l, "it subtracts " + std::to_string(layer.numbers.input_zero_point) +
                 ", the zero point of " +
                 (p < 0 ? "input " + std::to_string(-1 - p) : "layer " + std::to_string(p)) +
                 " is " + std::to_string(made));
    }
  }

  // Pictures of a sum have one size; one position may stand beside a picture.
  void check_sizes(size_t l) {
    const auto extent = [&](const Operand& o) {
      const Producer p = o.from.empty() ? input_producer(inference_.inputs.size()) : o.from.front();
      if (o.height > 0) return Extent2D{o.height, o.width, 1};
      if (p >= 0) return all_[static_cast<size_t>(p)].out;
      const auto i = static_cast<size_t>(-1 - p);
      if (i >= inference_.inputs.size()) return Extent2D{};
      return Extent2D{inference_.inputs[i].y_dim, inference_.inputs[i].x_dim, 1};
    };
    if (all_[l].inputs[0].row_channels > 0 || all_[l].inputs[1].row_channels > 0) return;
    const Extent2D a = extent(all_[l].inputs[0]), b = extent(all_[l].inputs[1]);
    const auto single = [](const Extent2D& e) { return e.h == 1 && e.w == 1; };
    const bool known = a.h > 0 && a.w > 0 && b.h > 0 && b.w > 0;
    if (!known || (a.h == b.h && a.w == b.w) || single(a) || single(b)) return;
    const auto text = [](const Extent2D& e) {
      return std::to_string(e.h) + " x " + std::to_string(e.w);
    };
    say(l, "its operands are pictures of " + text(a) + " and " + text(b));
  }

  // The constant of an addition is made of weights and zero points.
  void check_sum(size_t l) {
    const DecompiledLayer& layer = all_[l];
    if (layer.inputs[0].from.empty() || layer.inputs[1].from.empty()) return;
    const int first = zero_point(layer.inputs[0].from.front());
    const int second = zero_point(layer.inputs[1].from.front());
    if (first < 0 || second < 0) return;
    const int64_t made =
        -(int64_t{layer.add_weight[0]} * first + int64_t{layer.add_weight[1]} * second);
    if (made == layer.numbers.constant) return;
    say(l, "it adds " + std::to_string(layer.numbers.constant) + ", not -(" +
               std::to_string(layer.add_weight[0]) + " * " + std::to_string(first) + " + " +
               std::to_string(layer.add_weight[1]) + " * " + std::to_string(second) +
               ") = " + std::to_string(made));
  }

  void check_scales(size_t l) {
    const DecompiledLayer& layer = all_[l];
    if (!layer.numbers.weighted()) return;
    const auto positive = [](float m) { return std::isfinite(m) && m > 0.0F; };
    if (!positive(layer.numbers.multiplier)) {
      say(l, "its multiplier is not positive");
    } else if (!std::all_of(layer.content.scales.begin(), layer.content.scales.end(), positive)) {
      say(l, "not all scales of its channels are positive");
    }
  }

  // Tables of a softmax wait on the chip, too, and are loaded by no instruction of a layer.
  void check_blocks() {
    const bool tables = std::any_of(all_.begin(), all_.end(), [](const DecompiledLayer& l) {
      return l.type == LayerType::softmax;
    });
    for (const size_t b : layers_.replay.unused_resident) {
      const BlockPlace& block = resident_.blocks[b];
      const auto takes = [&](const DecompiledLayer& l) {
        return std::find(l.blocks.begin(), l.blocks.end(), block) != l.blocks.end();
      };
      if (tables || std::any_of(all_.begin(), all_.end(), takes)) continue;
      say("parameters from byte " + std::to_string(block.offset),
          std::to_string(block.bytes) + " bytes belong to no layer");
    }
  }

  void check_output(const DecompiledOutput& o) {
    const darwinn::Layer& announced = inference_.outputs[o.layer_index];
    int64_t elements = 0;
    for (const Producer p : o.from.from) {
      if (p < 0 || !all_[static_cast<size_t>(p)].problem.empty()) return;
      // Its state leaves, too: as large as one step, not as all of them.
      if (all_[static_cast<size_t>(p)].type == LayerType::lstm) return;
      const Extent2D& e = all_[static_cast<size_t>(p)].out;
      elements += int64_t{e.h} * e.w * e.c;
    }
    const double wanted = double{1} * announced.y_dim * announced.x_dim * announced.z_dim;
    if (static_cast<double>(elements) == wanted) return;
    say("output " + std::to_string(o.layer_index) + " '" + announced.name + "'",
        "layers make " + std::to_string(elements) + " elements of it, the file announces " +
            std::to_string(announced.y_dim) + " x " + std::to_string(announced.x_dim) + " x " +
            std::to_string(announced.z_dim));
  }

  Layers& layers_;
  const std::vector<DecompiledLayer>& all_;
  const darwinn::Executable& inference_;
  const Resident& resident_;
};

}  // namespace

void check_layers(Layers& layers, const darwinn::Executable& inference, const Resident& resident) {
  Checker(layers, inference, resident).run();
}

}  // namespace edgetwin::edgetpu
