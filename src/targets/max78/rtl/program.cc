// The accesses of the simulated program. Source: specification "rtl" 4.
#include <algorithm>

#include "targets/max78/chip/regs.h"
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

// Every word as an access of its own; with --verify-writes each is read back from `unread` on.
class Flattener {
 public:
  Flattener(const Plan& plan, Function& f) : plan_(plan), f_(f) {}

  void add(const Access& a, bool read_back) {
    if (a.kind != Kind::write) {
      f_.accesses.push_back(a);
      return;
    }
    word(a.address, a.value, read_back);
    uint32_t at = a.address;
    for (const uint32_t w : a.words) word(at += 4, w, read_back);
  }

 private:
  void word(uint32_t at, uint32_t value, bool read_back) {
    f_.accesses.push_back({.kind = Kind::write, .address = at, .value = value});
    if (!read_back || !plan_.options.verify_writes || rolls(at)) return;
    f_.accesses.push_back(
        {.kind = Kind::check, .address = at, .value = value, .mask = 0xffffffffU});
  }

  // The lengths of buffers of the MAX78002 cannot be read.
  bool rolls(uint32_t at) const {
    if (plan_.small() || at < plan_.chip->cnn_base) return false;
    const uint32_t in_group = (at - plan_.chip->cnn_base) % plan_.chip->group_stride;
    const uint32_t first = address(*plan_.chip, LayerReg::fmax, 0, 0) - plan_.chip->cnn_base;
    return in_group >= first && in_group < first + 32;
  }

  const Plan& plan_;
  Function& f_;
};

Function rtl_init(const Plan& plan) {
  Function f{"cnn_init", {}};
  Flattener to(plan, f);
  const Function init = cnn_init(plan);
  // The clearing of the MAX78002's registers: up to the end of the first self test.
  size_t plain = 0;
  if (!plan.small()) {
    for (size_t i = 0; i < init.accesses.size() && plain == 0; ++i) {
      const bool last = init.accesses[i].kind == Kind::wait;
      if (last) plain = i + plan.groups.size() + plan.groups.size();
    }
  }
  for (size_t i = 0; i < init.accesses.size(); ++i) {
    if (init.accesses[i].kind != Kind::read) to.add(init.accesses[i], i >= plain);
  }
  return f;
}

// Columns are read back as the memory shows them.
Function verify_weights(const Plan& plan) {
  Function f{"cnn_verify_weights", {}};
  const bool skips = plan.options.zero_sram || plan.options.rtl.pretend_zero;
  for (int p = 0; p < kProcessors && !plan.kernels.empty(); ++p) {
    const Plan::KernelMemory& m = plan.kernels[static_cast<size_t>(p)];
    for (size_t c = 0; c < m.columns.size(); ++c) {
      const auto& b = m.columns[c];
      const bool zero = std::all_of(b.begin(), b.end(), [](uint8_t x) { return x == 0; });
      if (!m.used[c] || (skips && zero)) continue;
      const auto word = [&](size_t i) {
        return uint32_t{b[i]} << 24 | uint32_t{b[i + 1]} << 16 | uint32_t{b[i + 2]} << 8 | b[i + 3];
      };
      const uint32_t words[] = {b[0], word(1), word(5), 0};
      uint32_t at = plan.chip->kernel_address(p, static_cast<int>(c));
      for (const uint32_t w : words) {
        f.accesses.push_back({.kind = Kind::check, .address = at, .value = w, .mask = 0xffffffffU});
        at += 4;
      }
    }
  }
  return f;
}

// --input-split: rows dealt in chunks, with the rows of padding around each.
Function split_input(const Plan& plan, const Tensor& sample) {
  Function f{"load_input", {}};
  const LayerPlan& l = plan.layer(plan.start);
  const int n = plan.options.rtl.input_split;
  const int64_t rows = plan.sample.h / n, width = plan.sample.w, pad = l.pad.h;
  const auto* bytes = reinterpret_cast<const uint8_t*>(sample.data.data());
  int64_t c = 0;
  for (int p = 0; p < kProcessors; ++p) {
    if (((l.processors >> p) & 1U) == 0) continue;
    const uint8_t* plane = bytes + c++ * int64_t{plan.sample.h} * width;
    for (int chunk = 0; chunk < n; ++chunk) {
      std::vector<uint32_t> words(static_cast<size_t>(((rows + 2 * pad) * width + 3) / 4), 0);
      for (int64_t i = 0; i < (rows + 2 * pad) * width; ++i) {
        const int64_t row = chunk * rows - pad + i / width;
        if (row < 0 || row >= plan.sample.h) continue;
        words[static_cast<size_t>(i / 4)] |= uint32_t{plane[row * width + i % width]}
                                             << (8 * (i % 4));
      }
      Access a{.kind = Kind::write,
               .address = plan.chip->data_address(p / kInstanceProcessors) +
                          static_cast<uint32_t>(l.in_offset) +
                          static_cast<uint32_t>(chunk) * (plan.chip->instance_stride / 16),
               .value = words.front()};
      a.words.assign(words.begin() + 1, words.end());
      f.accesses.push_back(std::move(a));
    }
  }
  return f;
}

void fifo_inline(const Plan& plan, const Function& input, Function& to) {
  const Access& fifo = input.accesses.back();
  const bool fast = plan.options.use_fast_fifo();
  for (size_t i = 0; i < fifo.words.size(); ++i) {
    if (plan.options.fifo_wait) {
      to.accesses.push_back(
          {.kind = Kind::poll, .address = (fast ? kFastFifoBase : kFifoBase) + 4});
    }
    to.accesses.push_back({.kind = Kind::write,
                           .address = fifo.addresses[i % fifo.addresses.size()],
                           .value = fifo.words[i]});
    for (int n = 0; n < plan.options.rtl.slow_load; ++n) {
      to.accesses.push_back({.kind = Kind::idle});
    }
  }
}

void add_configuration(const Plan& plan, const Tensor& sample, Program& p) {
  const Options& o = plan.options;
  const bool inlined = !rtl_has_input_function(plan);
  const Function input = rtl_input(plan, sample);
  Function f{"cnn_configure", {}};
  const auto flatten = [&](const Function& from) {
    Flattener to(plan, f);
    for (const Access& a : from.accesses) to.add(a, true);
  };
  flatten(cnn_configure(plan));
  const bool loads = !o.use_fifo() && !o.rtl.preload;
  if (loads && inlined) flatten(input);
  if (loads && !inlined) {
    p.functions.push_back(f);
    p.functions.push_back(input);
    f.accesses.clear();
  }
  flatten(cnn_start(plan));
  if (o.use_fifo() && inlined) fifo_inline(plan, input, f);
  p.functions.push_back(f);
  if (o.use_fifo() && !inlined) p.functions.push_back(input);
}

}  // namespace

bool rtl_has_input_function(const Plan& plan) {
  return plan.options.rtl.compact_data || !plan.options.rtl.camera.csv.empty();
}

Function rtl_input(const Plan& plan, const Tensor& sample) {
  if (!plan.options.rtl.camera.csv.empty()) return camera_input(plan);
  const LayerPlan& first = plan.layer(plan.start);
  const bool splits = plan.options.rtl.input_split > 1 && first.yaml->big_data &&
                      !plan.options.rtl.compact_data && !plan.options.use_fifo();
  return splits ? split_input(plan, sample) : load_input(plan, sample);
}

Program rtl_program(const Plan& plan, const Tensor& sample) {
  const Options& o = plan.options;
  const uint32_t control = address(*plan.chip, GlobalReg::ctl, plan.groups.front());
  Program p;
  p.functions.push_back(rtl_init(plan));
  if (!o.rtl.preload_weights) p.functions.push_back(cnn_load_weights(plan));
  if (o.rtl.verify_kernels) p.functions.push_back(verify_weights(plan));
  Function biases{"cnn_load_bias", {}};
  Flattener to(plan, biases);
  for (const Access& a : cnn_load_bias(plan).accesses) to.add(a, true);
  if (!biases.accesses.empty()) p.functions.push_back(biases);
  add_configuration(plan, sample, p);
  const Function go_on{"cnn_continue", {{.kind = Kind::set_bits, .address = control, .value = 1U}}};
  const Function wait{
      "cnn_wait", {{.kind = Kind::wait, .address = control, .value = 1U << 12, .mask = 1U << 12}}};
  if (o.rtl.stop_start) {
    p.functions.push_back(
        {"cnn_stop", {{.kind = Kind::keep_bits, .address = control, .value = ~uint32_t{1}}}});
    p.functions.push_back(go_on);
  }
  if (plan.small()) p.functions.push_back(wait);
  if (o.one_shot) p.functions.push_back(go_on);
  if (plan.small() && o.one_shot) p.functions.push_back(wait);
  if (!plan.small()) p.functions.push_back(interrupt(plan));
  return p;
}

}  // namespace edgetwin::max78
