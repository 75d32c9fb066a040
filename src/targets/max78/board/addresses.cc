#include "targets/max78/board/addresses.h"

#include "targets/max78/chip/regs.h"

namespace edgetwin::max78 {
namespace {

std::string hex_cell(uint32_t value) {
  std::string text = "`0x";
  for (int i = 7; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text + "`";
}

std::string range_cell(uint32_t begin, int64_t bytes) {
  return hex_cell(begin) + " to " + hex_cell(begin + static_cast<uint32_t>(bytes) - 1);
}

std::string number(int64_t n) { return std::to_string(n); }

std::string data_table(const Limits& chip) {
  std::string text =
      "### Data memories\n\n" + number(chip.instance_words) +
      " words each. A word holds one pixel of four processors, the lowest processor in the low "
      "byte; offsets of a description count bytes from the beginning.\n\n"
      "| data memory | processors | addresses |\n|---|---|---|\n";
  for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
    text += "| " + number(i) + " | " + number(4 * i) + " to " + number(4 * i + 3) + " | " +
            range_cell(chip.data_address(i), chip.instance_bytes()) + " |\n";
  }
  return text;
}

std::string processor_table(const Limits& chip) {
  std::string text =
      "\n### Kernel and row memories\n\n"
      "A column of a kernel memory is nine bytes in four words: byte 0, bytes 1 to 4, bytes 5 to "
      "8, "
      "nothing. An entry of a row memory is a word.\n\n"
      "| processor | columns | kernel memory | row memory |\n|---|---|---|---|\n";
  for (int p = 0; p < kProcessors; ++p) {
    text += "| " + number(p) + " | " + number(chip.columns(p)) + " | " +
            range_cell(chip.kernel_address(p, 0), 16 * int64_t{chip.columns(p)}) + " | " +
            range_cell(chip.row_address(p), 4 * int64_t{chip.tram_entries}) + " |\n";
  }
  return text;
}

std::string group_table(const Limits& chip) {
  std::string text =
      "\n### Groups\n\nA byte of a bias memory is a word.\n\n| group | processors | "
      "begins at | bias memory |";
  for (const RegInfo& r : global_regs()) text += " " + std::string(r.name) + " |";
  text += "\n|---|---|---|---|";
  for (size_t r = 0; r < global_regs().size(); ++r) text += "---|";
  text += "\n";
  for (int g = 0; g < kGroups; ++g) {
    text += "| " + number(g) + " | " + number(16 * g) + " to " + number(16 * g + 15) + " | " +
            hex_cell(chip.group(g)) + " | " +
            range_cell(chip.bias_address(g), 4 * int64_t{chip.bias_bytes}) + " |";
    for (size_t r = 0; r < global_regs().size(); ++r) {
      const RegInfo& row = global_regs()[r];
      const bool there = (chip.device == Device::max78000 ? row.small : row.large) >= 0;
      text += there ? " " + hex_cell(address(chip, static_cast<GlobalReg>(r), g)) + " |" : " – |";
    }
    text += "\n";
  }
  return text;
}

std::string layer_table(const Limits& chip) {
  std::string text =
      "\n### Registers of a layer\n\nOf group 0, layer 0; each further layer is " +
      number(address(chip, LayerReg::rcnt, 0, 1) - address(chip, LayerReg::rcnt, 0, 0)) +
      " bytes behind the one before (streaming: " +
      number(address(chip, LayerReg::stream1, 0, 1) - address(chip, LayerReg::stream1, 0, 0)) +
      "), each further group " + number(chip.group_stride) +
      ".\n\n| register | address | meaning |\n|---|---|---|\n";
  for (size_t r = 0; r < layer_regs().size(); ++r) {
    const auto reg = static_cast<LayerReg>(r);
    if (!has(chip, reg)) continue;
    text += "| `" + std::string(name(reg)) + "` | " + hex_cell(address(chip, reg, 0, 0)) + " | " +
            std::string(layer_regs()[r].meaning) + " |\n";
  }
  return text;
}

}  // namespace

std::string addresses_markdown() {
  std::string text =
      "# Addresses of the accelerator of MAX78000 and MAX78002\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/targets/max78/chip/limits.def` and `regs.def`; a test holds them together. All "
      "addresses are those of the processors' bus (AHB), in bytes; all accesses are 32-bit words. "
      "`edgetwin info PROGRAM` names the registers of a program, `edgetwin verify --log` the "
      "layer, channel, row and column of an address that a board printed.\n\n"
      "Of both chips: FIFO control " +
      hex_cell(kFifoBase) + ", FIFO status " + hex_cell(kFifoBase + 4) + ", FIFOs 0 to 3 from " +
      hex_cell(kFifoBase + 8) + " on, always-on control " + hex_cell(kAonControl) +
      ", fast FIFO (RISC-V) " + hex_cell(kFastFifoBase) + ".\n";
  for (const Device device : {Device::max78000, Device::max78002}) {
    const Limits& chip = chip_limits(device);
    text += "\n## " + std::string(name(device)) + "\n\n" + data_table(chip) +
            processor_table(chip) + group_table(chip) + layer_table(chip);
  }
  return text;
}

}  // namespace edgetwin::max78
