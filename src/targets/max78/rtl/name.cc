// Name of the folder, time-out, run file. Source: specification "rtl" 2, 6 and 7.
#include <algorithm>
#include <cmath>

#include "targets/max78/analysis/statistics.h"
#include "targets/max78/registers/layer_regs.h"
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

std::string ram_of(const Plan& plan, bool gates) {
  if (plan.small()) return "tb.xchip.xuut1.x16proc[0].xproc.xuut";
  return gates ? "`DIGITAL_TOP.xuut1.x16proc_0__xproc_xuut"
               : "`DIGITAL_TOP.xuut1.x16proc[0].xproc.xuut";
}

std::string paths(const Plan& plan) {
  if (plan.small()) {
    return "`define CNN_ENA " + ram_of(plan, false) + ".cnnena\n`define CNN_CLK " +
           ram_of(plan, false) + ".clk\n";
  }
  return "`ifdef gate_sims\n`define CNN_ENA " + ram_of(plan, true) +
         ".xcnn_fsm2.cnnena\n`define CNN_CLK " + ram_of(plan, true) +
         ".clk\n`else\n`define CNN_ENA " + ram_of(plan, false) + ".cnnena\n`define CNN_CLK " +
         ram_of(plan, false) + ".clk\n`endif\n";
}

}  // namespace

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

std::string rtl_run_file(const Plan& plan, int64_t timeout) {
  const Options& o = plan.options;
  const std::string c = o.files.main.substr(0, o.files.main.rfind('.'));
  std::string text = "// Run of a network; time-out " + std::to_string(timeout) + " ms\n\n";
  text += "`define ARM_PROG_SOURCE " + c + ".c\n";
  if (o.riscv) text += "`define RISCV_PROG_SOURCE " + c + "_riscv.c\n`define MULTI_CPU_SETUP\n";
  text += "defparam REPEAT_TIMEOUT = " + std::to_string(timeout / 10) + "." +
          std::to_string(timeout % 10) + ";\n\n" + paths(plan);
  text += "\nreal started, ended, first_edge, period;\ninteger cycles, status;\n\n";
  if (o.riscv) {
    text +=
        "initial begin\n  @(por_done);\n  $readmemh({`TARGET_DIR,\"/RISCV_PROG_flash.prog\"}, "
        "`FLASH.main_mem, 'h0000, 'h" +
        std::string(plan.small() ? "83FF" : "283FF") + ");\nend\n\n";
  }
  text += "initial begin\n";
  if (o.rtl.result_output) text += "  open_files;\n";
  text += "  @(posedge `CNN_ENA);\n";
  if (o.rtl.preload || o.rtl.preload_weights) {
    for (const int g : plan.groups) text += "  load_cnn_mems_" + std::to_string(g) + ";\n";
  }
  text += "  started = $realtime;\n  @(negedge `CNN_ENA);\n  #10 ended = $realtime;\n";
  if (o.rtl.result_output) {
    for (const int g : plan.groups) text += "  dump_cnn_mems_" + std::to_string(g) + ";\n";
    text += "  close_files;\n";
  }
  text +=
      "  @(posedge `CNN_CLK) first_edge = $realtime;\n"
      "  @(posedge `CNN_CLK) period = $realtime - first_edge;\n"
      "  cycles = $ceil((ended - started) / period) - 1;\n"
      "  $display(\"accelerator cycles: %0d\", cycles);\n";
  if (o.rtl.result_output) {
    text +=
        "  status = $system({\"python3 \", `TARGET_DIR, \"/verify-output.py \", `TARGET_DIR});\n"
        "  if (status != 0) error_count = error_count + 1;\n";
  }
  return text + "end\n";
}

}  // namespace edgetwin::max78
