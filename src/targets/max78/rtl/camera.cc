// The camera's signals and the program that takes its words.
#include "targets/max78/rtl/camera.h"

#include <cmath>

#include "targets/max78/chip/regs.h"
#include "targets/max78/project/project_parts.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

constexpr char kHeader[] = "vsync,href,pclk,d\n";
constexpr uint32_t kNotEmpty = 0x80;  // int_fl: a word is there

class Signals {
 public:
  explicit Signals(const CameraOptions& camera) : camera_(camera) {}

  // One sample: the clock low once and high twice.
  void samples(int n, int vsync, int href) {
    for (int i = 0; i < n; ++i) sample(vsync, href, 0);
  }

  void byte(uint32_t value) {
    sample(0, 1, value);
    for (int i = 0; i < 3; ++i) line(0, 1, 0, value);
  }

  void pixel(const std::vector<uint32_t>& c) {
    if (camera_.format == 888) {
      for (const uint32_t v : c) byte(v);
      return;
    }
    const bool even = camera_.format == 565;
    const uint32_t word = even ? (c[0] >> 3) << 11 | (c[1] >> 2) << 5 | c[2] >> 3
                               : (c[0] >> 3) << 10 | (c[1] >> 3) << 5 | c[2] >> 3;
    byte(word >> 8);
    byte(word & 0xffU);
  }

  std::string text = kHeader;

 private:
  void sample(int vsync, int href, uint32_t value) {
    for (const int clock : {0, 1, 1}) line(vsync, href, clock, value);
  }

  void line(int vsync, int href, int clock, uint32_t value) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {static_cast<char>('0' + vsync),
             ',',
             static_cast<char>('0' + href),
             ',',
             static_cast<char>('0' + clock),
             ',',
             kDigits[value >> 4],
             kDigits[value & 0xfU],
             '\n'};
  }

  const CameraOptions& camera_;
};

const char* camera_unit(const Plan& plan) { return plan.small() ? "MXC_CAMERAIF0" : "MXC_PCIF"; }

int64_t rounds_of(const Plan& plan) {
  const bool planes = plan.layer(plan.start).yaml->big_data;
  const int64_t rows = plan.sample.h, columns = plan.sample.w;
  return planes ? rows * ((columns + 3) / 4) : rows * columns;
}

std::string word_wait(const Plan& plan, const std::string& indent) {
  const std::string unit = camera_unit(plan);
  return indent + "while ((" + unit + "->int_fl & " + hex_text(kNotEmpty, 2) + ") == 0) ;\n" +
         indent + "word = " + unit + "->fifo_data;\n";
}

// What waits when the last word has come.
std::string ring_rest(const std::string& full, const std::string& fifo) {
  return "  while (out < in) {\n    while (" + full + " != 0) ;\n    " + fifo +
         " = ring[out++ & 1023];\n  }\n";
}

}  // namespace

Status camera_fits(const Plan& plan) {
  const CameraOptions& camera = plan.options.rtl.camera;
  if (camera.csv.empty()) return Ok{};
  const LayerPlan& first = plan.layer(plan.start);
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return Error(ErrorCode::max78_option, "--input-csv: " + what)
        .detail("the sample has " + std::to_string(plan.sample.c) + " channels of " +
                std::to_string(plan.sample.h) + "x" + std::to_string(plan.sample.w))
        .with_hint(hint);
  };
  if (first.operands > 1) {
    return refuse(
        "a camera gives one operand, the first layer reads " + std::to_string(first.operands),
        "Give the input in another way.");
  }
  if (plan.sample.c > 4) {
    return refuse("a camera gives words of up to four channels", "Give the input in another way.");
  }
  if (camera.format != 888 && plan.sample.c != 3) {
    return refuse("pixels of " + std::to_string(camera.format) + " have three channels",
                  "Use --input-csv-format 888.");
  }
  return Ok{};
}

std::string camera_csv(const Plan& plan, const Tensor& sample) {
  const CameraOptions& camera = plan.options.rtl.camera;
  Signals to(camera);
  const auto* bytes = reinterpret_cast<const uint8_t*>(sample.data.data());
  const int64_t rows = plan.sample.h, columns = plan.sample.w, plane = rows * columns;
  std::vector<uint32_t> channels(static_cast<size_t>(plan.sample.c));
  to.samples(10, 0, 0);
  to.samples(50, 1, 0);
  to.samples(20, 0, 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      for (size_t c = 0; c < channels.size(); ++c) {
        channels[c] = bytes[static_cast<int64_t>(c) * plane + row * columns + column];
      }
      to.pixel(channels);
    }
    if (plan.layer(plan.start).yaml->big_data) {
      channels.assign(channels.size(), 0);
      for (int64_t i = 0; i < columns % 4; ++i) to.pixel(channels);
    }
    to.samples(camera.retrace, 0, 0);
  }
  to.samples(10, 0, 0);
  return std::move(to.text);
}

Function camera_input(const Plan& plan) {
  const bool planes = plan.layer(plan.start).yaml->big_data;
  const int64_t fifos = planes ? plan.sample.c : 1;
  Access a{.kind = Access::Kind::camera};
  a.value = static_cast<uint32_t>(rounds_of(plan));
  const uint64_t map = plan.layer(plan.start).processors;
  const bool fast = plan.options.use_fast_fifo();
  for (uint32_t g = 0; g < kGroups && std::ssize(a.addresses) < fifos; ++g) {
    const bool used = ((map >> (g * kGroupProcessors)) & 0xffffU) != 0;
    if (used || fast) a.addresses.push_back(fast ? kFastFifoBase + 0x10 : kFifoBase + 8 + 4 * g);
  }
  return {"load_input", {a}};
}

std::string camera_input_c(const Plan& plan, const Access& rounds) {
  const std::string n = std::to_string(rounds.value);
  const bool planes = plan.layer(plan.start).yaml->big_data;
  const size_t fifos = rounds.addresses.size();
  std::string text = "void load_input(void)\n{\n  uint32_t word";
  if (planes) {
    for (size_t k = 0; k < fifos; ++k) text += ", plane_" + std::to_string(k) + " = 0";
  }
  text += ";\n  int i" + std::string(planes ? ", j" : "") + ";\n";
  const bool ring = plan.options.rtl.camera.ring;
  if (ring) {
    text +=
        "  static uint32_t ring[1024];\n  int in = 0, out = 0;\n\n"
        "  // Words wait in memory while the FIFO is full.\n";
  }
  const std::string full =
      "(" + rtl_memory((plan.options.use_fast_fifo() ? kFastFifoBase : kFifoBase) + 4) + " & 2)";
  const auto give = [&](size_t k, const std::string& value) {
    if (!ring) return "    " + rtl_memory(rounds.addresses[k]) + " = " + value + ";\n";
    return "    ring[in++ & 1023] = " + value + ";\n    while (out < in && " + full +
           " == 0)\n      " + rtl_memory(rounds.addresses[k]) + " = ring[out++ & 1023];\n";
  };
  text += "\n  for (i = 0; i < " + n + "; i++) {\n";
  if (!planes) {
    text += word_wait(plan, "    ") + give(0, "word");
  } else {
    text += "    // Four pixels; the bytes of each channel become a word.\n";
    text += "    for (j = 0; j < 4; j++) {\n" + word_wait(plan, "      ");
    for (size_t k = 0; k < fifos; ++k) {
      const std::string name = "plane_" + std::to_string(k);
      text += "      " + name + " = " + name + " >> 8 | ((word >> " + std::to_string(8 * k) +
              ") & 0xff) << 24;\n";
    }
    text += "    }\n";
    for (size_t k = 0; k < fifos; ++k) text += give(k, "plane_" + std::to_string(k));
  }
  if (ring) text += "  }\n" + ring_rest(full, rtl_memory(rounds.addresses[0]));
  return text + (ring ? "}\n\n" : "  }\n}\n\n");
}

std::string camera_setup(const Plan& plan) {
  const CameraOptions& camera = plan.options.rtl.camera;
  if (camera.csv.empty()) return {};
  const std::string width = camera.format == 888 ? "8" : camera.format == 555 ? "10" : "12";
  const bool three = plan.sample.c == 3;
  std::string text = rtl_line("enable_pcif_clock();") + rtl_line("set_pcif_gpio_altf();");
  std::string bits = "MXC_S_CAMERAIF_CTRL_READ_MODE_SINGLE_IMG | MXC_S_CAMERAIF_CTRL_DATA_WIDTH_" +
                     width + "BIT | ";
  if (plan.small()) {
    bits += "MXC_S_CAMERAIF_CTRL_DS_TIMING_EN_DIS | MXC_S_CAMERAIF_CTRL_PCIF_SYS_EN_EN";
    if (three) bits += " | 1 << 30";
  } else {
    bits += "MXC_F_CAMERAIF_CTRL_PCIF_SYS";
    if (three) bits += " | MXC_F_CAMERAIF_CTRL_THREE_CH_EN";
  }
  return text + rtl_line(std::string(camera_unit(plan)) + "->ctrl = " + bits + ";");
}

std::string camera_paths(const Plan& plan) {
  const CameraOptions& camera = plan.options.rtl.camera;
  if (camera.csv.empty()) return {};
  std::string text = "`define CSV_FILE {`TARGET_DIR,\"/" + camera.csv + "\"}\n";
  if (camera.sync && !plan.small()) text += "`define PCLK_AI `DIGITAL_TOP.pclk_ai\n";
  return text;
}

// The pins are the bench's: macros name them, so that a bench may have them elsewhere.
std::string camera_signals(const Plan& plan) {
  const CameraOptions& camera = plan.options.rtl.camera;
  if (camera.csv.empty()) return {};
  const std::string clock = plan.small() ? "`CNN_CLK" : "`PCLK_AI";
  const std::string next = camera.sync ? "repeat (" + std::to_string(camera.pixel_clock + 1) +
                                             ") @(posedge " + clock + ")"
                                       : "#" + std::to_string(camera.period);
  std::string text = "// The camera: a line every ";
  text += camera.sync ? std::to_string(camera.pixel_clock + 1) + " edges of the pixel clock\n"
                      : std::to_string(camera.period) + " ns\n";
  for (const char* pin : {"PCIF_VSYNC", "PCIF_HREF", "PCIF_XCLK", "PCIF_DATA"}) {
    text += "`ifndef " + std::string(pin) + "\n`define " + pin + " tb." +
            (pin[5] == 'V'   ? "pcif_vsync"
             : pin[5] == 'H' ? "pcif_href"
             : pin[5] == 'X' ? "pcif_xclk"
                             : "pcif_data") +
            "\n`endif\n";
  }
  return text +
         "integer csv_file, csv_vsync, csv_href, csv_clock, csv_data, csv_read;\n"
         "reg [8*32:1] csv_header;\n\n"
         "initial begin\n  csv_file = $fopen(`CSV_FILE, \"r\");\n"
         "  csv_read = $fgets(csv_header, csv_file);\n  @(posedge `CNN_ENA);\n"
         "  while (!$feof(csv_file)) begin\n"
         "    csv_read = $fscanf(csv_file, \"%d,%d,%d,%h\\n\", csv_vsync, csv_href, csv_clock, "
         "csv_data);\n    " +
         next +
         ";\n    `PCIF_VSYNC = csv_vsync[0];\n    `PCIF_HREF = csv_href[0];\n"
         "    `PCIF_XCLK = csv_clock[0];\n    `PCIF_DATA = csv_data;\n"
         "  end\n  $fclose(csv_file);\nend\n\n";
}

}  // namespace edgetwin::max78
