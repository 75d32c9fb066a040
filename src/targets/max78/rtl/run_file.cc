// The run file. Source: specification "rtl" 6; the names are those of the recorded run files.
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

std::string ram_of(const Plan& plan, bool gates) {
  if (plan.small()) return "tb.xchip.xuut1.x16proc[0].xproc.xuut";
  return gates ? "`DIGITAL_TOP.xuut1.x16proc_0__xproc_xuut"
               : "`DIGITAL_TOP.xuut1.x16proc[0].xproc.xuut";
}

// What --log-intermediate looks at: data memory 0 of group 0.
std::string log_paths(const Plan& plan) {
  const std::string block = ram_of(plan, false), ram = block + ".xsram[0].xcnn_ram.";
  const auto define = [](const std::string& name, const std::string& path) {
    return "`define " + name + " " + path + "\n";
  };
  return define("CNN_SWR", ram + "sramwr") + define("CNN_WAD", ram + "cnnadr0") +
         define("CNN_WDT", ram + "cnnout0") + define("CNN_SRD", ram + "req_sram_rd") +
         define("CNN_RAD", ram + "rptr") + define("CNN_WRT", ram + "sram_wrt") +
         define("CNN_ADR", ram + "ram_adr") + define("CNN_DAT", ram + "ram_data") +
         define("CNN_BYP", block + ".bypass") + define("CNN_STRM", block + ".strmact") +
         define("CNN_LYR", block + ".lyrcnt_e") + define("CNN_SLYR", block + ".lyrsel") +
         define("DBG_FILE", std::string("{`TARGET_DIR,\"/debug/cnn_debug_") +
                                (plan.small() ? "output" : "data") + ".csv\"}");
}

// Writes of the layers and of the bus, and reads: "w,ADDR,DATA,LAYER,CYCLE",
// "r,ADDR,0,LAYER,CYCLE". The layer counter is ahead of a write by ten clocks and of a read by two.
std::string log_block() {
  return "integer debug_file, debug_cycle, delay;\nreg [6:0] layer_before [0:9];\n\n"
         "function integer debug_layer(input integer clocks);\n"
         "  debug_layer = `CNN_STRM ? `CNN_SLYR : `CNN_BYP ? `CNN_LYR : layer_before[clocks - 1];\n"
         "endfunction\n\n"
         "initial begin\n  debug_file = $fopen(`DBG_FILE, \"w\");\n  debug_cycle = 0;\nend\n\n"
         "always @(posedge `CNN_CLK) begin\n"
         "  if (`CNN_SWR) $fwrite(debug_file, \"w,%h,%h,%0d,%0d\\n\", `CNN_WAD, `CNN_WDT, "
         "debug_layer(10), debug_cycle);\n"
         "  if (`CNN_WRT) $fwrite(debug_file, \"w,%h,%h,-1,%0d\\n\", `CNN_ADR, `CNN_DAT, "
         "debug_cycle);\n"
         "  if (`CNN_SRD) $fwrite(debug_file, \"r,%h,0,%0d,%0d\\n\", `CNN_RAD, debug_layer(2), "
         "debug_cycle);\n"
         "  for (delay = 9; delay > 0; delay = delay - 1) layer_before[delay] <= "
         "layer_before[delay - 1];\n"
         "  layer_before[0] <= `CNN_LYR;\n  debug_cycle <= debug_cycle + 1;\nend\n\n";
}

}  // namespace

std::string rtl_paths(const Plan& plan) {
  const bool logs = plan.options.log_intermediate;
  if (plan.small()) {
    return "`define CNN_ENA " + ram_of(plan, false) + ".cnnena\n`define CNN_CLK " +
           ram_of(plan, false) + ".clk\n" + (logs ? log_paths(plan) : "");
  }
  return "`ifdef gate_sims\n`define CNN_ENA " + ram_of(plan, true) +
         ".xcnn_fsm2.cnnena\n`define CNN_CLK " + ram_of(plan, true) +
         ".clk\n`else\n`define CNN_ENA " + ram_of(plan, false) + ".cnnena\n`define CNN_CLK " +
         ram_of(plan, false) + ".clk\n" + (logs ? log_paths(plan) : "") + "`endif\n";
}

std::string rtl_run_file(const Plan& plan, int64_t timeout) {
  const Options& o = plan.options;
  const std::string c = o.files.main.substr(0, o.files.main.rfind('.'));
  std::string text = "// Run of a network; time-out " + std::to_string(timeout) + " ms\n\n";
  text += "`define ARM_PROG_SOURCE " + c + ".c\n";
  if (o.riscv) text += "`define RISCV_PROG_SOURCE " + c + "_riscv.c\n`define MULTI_CPU_SETUP\n";
  text += "defparam REPEAT_TIMEOUT = " + std::to_string(timeout / 10) + "." +
          std::to_string(timeout % 10) + ";\n\n" + rtl_paths(plan) + camera_paths(plan);
  text += "\nreal started, ended, first_edge, period;\ninteger cycles, status;\n\n";
  if (o.riscv) {
    text +=
        "initial begin\n  @(por_done);\n  $readmemh({`TARGET_DIR,\"/RISCV_PROG_flash.prog\"}, "
        "`FLASH.main_mem, 'h0000, 'h" +
        std::string(plan.small() ? "83FF" : "283FF") + ");\nend\n\n";
  }
  text += camera_signals(plan);
  if (o.log_intermediate) text += log_block();
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
