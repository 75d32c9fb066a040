// Name of the folder, time-out. Source: specification "rtl" 2 and 7.
#include <algorithm>
#include <cmath>

#include "targets/max78/analysis/statistics.h"
#include "targets/max78/registers/layer_regs.h"
#include "targets/max78/rtl/md5.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

std::string size_text(const LayerPlan& l, Size2 s) {
  if (l.op == Operator::conv1d) return std::to_string(s.h);
  return std::to_string(s.h) + "x" + std::to_string(s.w);
}

std::string layer_part(const LayerPlan& l) {
  std::string text = "-" + std::to_string(l.in_channels) + "x" + size_text(l, l.in_dim);
  text += l.yaml->big_data ? "b" : "l";
  if (l.flatten) text += "f";
  text += "_";
  if (l.pools()) text += l.average() ? "avg" : "max";
  const bool wide = l.op != Operator::conv1d;
  if (l.pools()) {
    text += size_text(l, l.pool) + "s" + std::to_string(l.pool_stride.h);
  } else {
    text += (wide ? "0x0s" : "0s") + std::to_string(l.pool_stride.h);
  }
  text += "p" + std::to_string(l.pad.h) + "m" + std::to_string(l.out_channels);
  if (l.activation == ai8x::Activation::relu) text += "_relu";
  if (l.activation == ai8x::Activation::abs) text += "_abs";
  return text;
}

struct Counts {
  int64_t writes = 0, reads = 0, fifo = 0;
};

Counts count(const Plan& plan, const Program& program, const RtlAnswer& answer) {
  Counts n;
  for (const Function& f : program.functions) {
    if (f.name == "cnn_load_weights" || f.name == "cnn_verify_weights") continue;
    for (const Access& a : f.accesses) {
      const bool fifo = a.address == kFastFifoBase + 16 ||
                        (a.address >= kFifoBase + 8 && a.address < kFifoBase + 24);
      if (a.kind == Access::Kind::fifo) {
        const auto words = static_cast<int64_t>(a.words.size());
        n.fifo += plan.options.fifo_wait ? 2 * words : words;
      } else if (a.kind == Access::Kind::camera) {
        const auto words = static_cast<int64_t>(a.value * a.addresses.size());
        n.fifo += plan.options.fifo_wait ? 2 * words : words;
      } else if (a.kind == Access::Kind::write && fifo) {
        n.fifo += plan.options.fifo_wait ? 2 : 1;
      } else if (a.kind == Access::Kind::write) {
        n.writes += 1 + static_cast<int64_t>(a.words.size());
      } else if (a.kind == Access::Kind::check) {
        ++n.reads;
      }
    }
  }
  const RtlOptions& rtl = plan.options.rtl;
  const int64_t each = rtl.answer_file_given && !rtl.compact_data ? 2 : 1;
  if (!rtl.result_output) n.reads += each * answer.words();
  return n;
}

// How much slower a FIFO is fed than read.
double fifo_share(const Plan& plan) {
  double w = 1.0, r = 1.0;
  if (!plan.options.use_fifo() || !plan.streams()) return w;
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    if (i == plan.start || !l.streaming) continue;
    const StreamValues v = stream_values(plan, l);
    if (v.delta1 != 0) r = 1.0 / static_cast<double>(v.delta1);
    if (v.delta2 != 0) r *= static_cast<double>(v.delta2) / l.in_dim.h;
    if (v.start != 0) {
      const double n = static_cast<double>(l.in_dim.h) * l.in_dim.w * l.in_expand;
      r = (static_cast<double>(v.start) + r * (n - static_cast<double>(v.start))) / n;
    }
    w *= r;
  }
  return w;
}

}  // namespace

std::string rtl_short_name(const std::string& name, size_t directory) {
  constexpr size_t kMost = 245, kDigits = 32;
  if (name.size() + directory <= kMost) return name;
  const size_t cut = name.size() + directory + kDigits - kMost;
  return name.substr(0, name.size() - std::min(cut, name.size())) + "-" + md5(name);
}

std::string rtl_folder_name(const Plan& plan, const std::string& prefix) {
  std::string name = prefix;
  for (const int i : plan.order) name += layer_part(plan.layer(i));
  const int n = plan.options.rtl.repeat_layers;
  if (n > 1) name += "_repeat" + std::to_string(n);
  return name;
}

int64_t rtl_timeout(const Plan& plan, const Program& program, const RtlAnswer& answer) {
  const Options& o = plan.options;
  if (o.rtl.timeout != 0) return o.rtl.timeout;
  const Counts n = count(plan, program, answer);
  const Statistics s = statistics(plan);
  int64_t ns = 0;
  const int64_t bus = o.riscv ? 1000 : 500;
  if (plan.small()) {
    const double w = fifo_share(plan) * (o.use_fast_fifo() ? 100.0 : static_cast<double>(bus));
    ns = 25 * s.cycles + bus * (n.reads + n.writes) + static_cast<int64_t>(w) * n.fifo + 3'000'000;
  } else {
    // Each word of a FIFO is a write and, with polling, a read.
    const int64_t words = o.fifo_wait ? n.fifo / 2 : n.fifo;
    const int64_t polls = o.fifo_wait ? words : 0;
    ns = 10'000'000 * ((280 * (n.writes + words) + 230 * (n.reads + polls)) / 1'000'000 + 3);
  }
  if (o.zero_sram) ns += 16'000'000;
  if (!o.rtl.preload_weights) ns += bus * s.weight_bytes / 4;
  if (o.rtl.verify_kernels) ns += (o.mexpress ? 6 : 4) * bus * s.weight_bytes / 4;
  return std::max<int64_t>(10, ns / 1'000'000);
}

}  // namespace edgetwin::max78
