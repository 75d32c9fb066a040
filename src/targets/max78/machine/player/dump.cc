#include "targets/max78/machine/player/dump.h"

#include <algorithm>
#include <map>
#include <set>

#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/machine/state/registers.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

std::vector<FieldValue> fields_of(const Limits& chip, std::string_view reg, uint32_t value) {
  std::vector<FieldValue> all;
  const auto fields = reg_fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].reg != reg) continue;
    const uint32_t v = field(chip, static_cast<Field>(i), value);
    const int bits = chip.device == Device::max78000 ? fields[i].small : fields[i].large;
    if (v != 0) all.push_back({fields[i].name, fields[i].meaning, v, bits == 1});
  }
  return all;
}

class Summarizer {
 public:
  explicit Summarizer(const ProgramText& program)
      : program_(program), chip_(chip_limits(program.device)), regs_(chip_) {}

  ProgramSummary run() {
    s_.device = program_.device;
    for (const auto& part : program_.parts) {
      PartSummary p{part.name, part.accesses.size(), 0};
      for (const auto& l : part.accesses) p.words += access(l.access);
      s_.parts.push_back(p);
    }
    for (int p = 0; p < kProcessors; ++p) {
      if (kernel_bytes_[static_cast<size_t>(p)] > 0) s_.kernel_processors.push_back(p);
      s_.kernel_columns += kernel_bytes_[static_cast<size_t>(p)] / kColumnBytes;
    }
    globals();
    layers();
    return std::move(s_);
  }

 private:
  uint64_t access(const Access& a) {
    switch (a.kind) {
      case Kind::write: {
        write(a.address, a.value);
        uint32_t at = a.address;
        for (const uint32_t w : a.words) write(at += 4, w);
        return 1 + a.words.size();
      }
      case Kind::fifo:
        s_.fifo_words += a.words.size();
        return a.words.size();
      case Kind::camera:
        s_.fifo_words += a.value * a.addresses.size();
        return a.value * a.addresses.size();
      default:
        return 1;
    }
  }

  void write(uint32_t address, uint32_t value) {
    const uint32_t base = chip_.group(0);
    if (address < base) {
      if (address != kAonControl && (address < kFifoBase || address >= kFifoBase + 0x18) &&
          (address < kFastFifoBase || address >= kFastFifoBase + 0x18)) {
        ++s_.unmapped;
      }
      return;
    }
    const uint32_t g = (address - base) / chip_.group_stride;
    const uint32_t offset = (address - base) % chip_.group_stride;
    if (g >= static_cast<uint32_t>(kGroups)) {
      ++s_.unmapped;
      return;
    }
    if (const auto slot = regs_.find(offset)) {
      written_.insert({static_cast<int>(g), slot->index});
      const auto before = regs_.get(static_cast<int>(g), *slot);
      const bool starts = slot->kind == Registers::Slot::Kind::global &&
                          slot->global_reg == GlobalReg::ctl && (before & 1U) != 0;
      if (!starts || (value & 1U) != 0) regs_.set(static_cast<int>(g), *slot, value);
      return;
    }
    memory(static_cast<int>(g), offset, value);
  }

  void memory(int group, uint32_t offset, uint32_t) {
    if (offset >= chip_.data_offset) {
      ++s_.data_words;
    } else if (offset >= chip_.kernel_offset &&
               offset < chip_.kernel_offset + 16 * chip_.kernel_stride) {
      const uint32_t p = (offset - chip_.kernel_offset) / chip_.kernel_stride;
      const bool packed = regs_.field(group, Field::ctl_packed_kernels, GlobalReg::ctl) != 0;
      // Four bytes of nine, or a quarter of the four words that hold nine.
      const bool last = (offset / 4) % 4 == 3;
      kernel_bytes_[static_cast<size_t>(group) * kGroupProcessors + p] += packed ? 4
                                                                          : last ? kColumnBytes
                                                                                 : 0;
    } else if (offset >= chip_.bias_offset &&
               offset < chip_.bias_offset + 4 * static_cast<uint32_t>(chip_.bias_bytes)) {
      ++s_.bias_bytes;
    } else if (offset < chip_.tram_offset) {
      ++s_.unmapped;
    }
  }

  // One entry for the groups that hold the same value.
  template <class Get>
  void add(int layer, std::string_view name, std::string_view meaning, const Get& get) {
    std::map<uint32_t, unsigned> values;
    std::vector<uint32_t> order;
    for (int g = 0; g < kGroups; ++g) {
      const std::optional<uint32_t> v = get(g);
      if (!v) continue;
      if (!values.contains(*v)) order.push_back(*v);
      values[*v] |= 1U << g;
    }
    for (const uint32_t v : order) {
      s_.registers.push_back({layer, values[v], name, meaning, v, fields_of(chip_, name, v)});
    }
  }

  bool written(int g, size_t index) const { return written_.contains({g, index}); }

  void globals() {
    for (size_t r = 0; r < global_regs().size(); ++r) {
      const auto reg = static_cast<GlobalReg>(r);
      if (reg == GlobalReg::snoop || global_regs()[r].meaning.empty()) continue;
      const auto slot = regs_.find(address(chip_, reg, 0) - chip_.group(0));
      if (!slot) continue;
      add(-1, global_regs()[r].name, global_regs()[r].meaning,
          [&](int g) -> std::optional<uint32_t> {
            if (!written(g, slot->index)) return std::nullopt;
            return regs_.get(g, *slot);
          });
    }
    for (int g = 0; g < kGroups; ++g) {
      if (regs_.field(g, Field::ctl_enable, GlobalReg::ctl) == 0) continue;
      if (s_.groups == 0) {
        s_.last_layer = static_cast<int>(regs_.field(g, Field::lcnt_max_last, GlobalReg::lcnt_max));
        s_.first_layer =
            static_cast<int>(regs_.field(g, Field::lcnt_max_first, GlobalReg::lcnt_max));
      }
      s_.groups |= 1U << g;
    }
  }

  void layers() {
    for (int l = 0; l < regs_.layers(); ++l) {
      for (size_t r = 0; r < layer_regs().size(); ++r) {
        const auto reg = static_cast<LayerReg>(r);
        if (!has(chip_, reg)) continue;
        const auto slot = regs_.find(address(chip_, reg, 0, l) - chip_.group(0));
        // MAX78002 has other registers where those of its ninth streaming layer would be.
        if (!slot || slot->kind != Registers::Slot::Kind::layer || slot->layer != l) continue;
        add(l, layer_regs()[r].name, layer_regs()[r].meaning,
            [&](int g) -> std::optional<uint32_t> {
              if (!written(g, slot->index)) return std::nullopt;
              return regs_.get(g, *slot);
            });
      }
    }
  }

  const ProgramText& program_;
  const Limits& chip_;
  Registers regs_;
  std::set<std::pair<int, size_t>> written_;
  std::array<uint64_t, kProcessors> kernel_bytes_{};
  ProgramSummary s_;
};

std::string groups_text(unsigned groups) {
  std::string text;
  for (int g = 0; g < kGroups; ++g) {
    if (((groups >> g) & 1U) != 0) text += (text.empty() ? "" : ",") + std::to_string(g);
  }
  return text;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string register_line(const RegisterValue& r) {
  std::string line = "  " + padded(std::string(r.name), 12) + hex_text(r.value) + "  groups " +
                     padded(groups_text(r.groups), 8);
  std::string fields;
  for (const FieldValue& f : r.fields) {
    fields += (fields.empty() ? "" : ", ") + std::string(f.name);
    // A single bit says all by its name.
    if (!f.single) fields += " " + std::to_string(f.value);
  }
  line += fields.empty() ? std::string(r.meaning) : std::string(r.meaning) + ": " + fields;
  return line + "\n";
}

}  // namespace

ProgramSummary summarize(const ProgramText& program) { return Summarizer(program).run(); }

std::string to_text(const ProgramSummary& s) {
  std::string text = "functions\n";
  for (const PartSummary& p : s.parts) {
    text += "  " + padded(p.name, 18) + std::to_string(p.accesses) + " accesses, " +
            std::to_string(p.words) + " words\n";
  }
  text += "loads\n  kernels     " + std::to_string(s.kernel_columns) + " columns of " +
          std::to_string(s.kernel_processors.size()) + " processors\n  biases      " +
          std::to_string(s.bias_bytes) + " bytes\n  data        " + std::to_string(s.data_words) +
          " words\n  FIFO        " + std::to_string(s.fifo_words) + " words\n";
  if (s.unmapped > 0) {
    text += "  elsewhere   " + std::to_string(s.unmapped) + " words\n";
  }
  int layer = -2;
  for (const RegisterValue& r : s.registers) {
    if (r.layer != layer) {
      layer = r.layer;
      text +=
          layer < 0 ? std::string("group registers\n") : "layer " + std::to_string(layer) + "\n";
    }
    text += register_line(r);
  }
  return text;
}

}  // namespace edgetwin::max78
