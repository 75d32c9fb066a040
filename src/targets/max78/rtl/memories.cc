// Memory files of the simulator. Source: specification "rtl" 5.
#include <algorithm>
#include <map>

#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

constexpr int kDataRam = 4096;        // words of an instance of the MAX78002's data memories
constexpr int kKernelRam = 1024;      // columns of an instance of its kernel memories
constexpr int kFirstKernelRam = 256;  // of those that only the first processor has

std::string digits(uint64_t value, int n) {
  std::string text;
  for (int i = n - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string file_name(const std::string& kind, int group, int processor, int64_t ram) {
  return kind + "_x16_" + std::to_string(group) + "_proc_" + std::to_string(processor) + "_ram_" +
         std::to_string(ram) + ".dat";
}

// Words of data memory by instance and place.
class DataMemory {
 public:
  explicit DataMemory(const Plan& plan) : plan_(plan) {}

  void put(uint32_t at, uint32_t value, uint32_t mask = 0xffffffffU) {
    for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
      const uint32_t base = plan_.chip->data_address(i);
      if (at < base || at >= base + plan_.chip->instance_stride) continue;
      words_[{i, (at - base) / 4}] = {value, mask};
    }
  }

  std::vector<ProjectFile> files(const std::string& folder) const {
    std::map<std::string, std::string> texts;
    std::vector<std::string> order;
    for (const auto& [place, word] : words_) {
      const int64_t ram = plan_.small() ? 0 : place.second / kDataRam;
      const uint64_t at = plan_.small() ? place.second : place.second % kDataRam;
      const std::string name =
          folder + file_name("DRAM", place.first / 4, place.first % 4 * 4, ram);
      if (texts.find(name) == texts.end()) order.push_back(name);
      texts[name] += "@" + digits(at, 4) + " " + shown(word) + "\n";
    }
    std::vector<ProjectFile> files;
    for (const std::string& name : order) files.push_back({name, texts[name]});
    return files;
  }

 private:
  using Word = std::pair<uint32_t, uint32_t>;
  static std::string shown(const Word& w) {
    std::string text = digits(w.first, 8);
    for (int b = 0; b < 4; ++b) {
      const auto at = static_cast<size_t>(6 - 2 * b);
      if (((w.second >> (8 * b)) & 0xffU) == 0) text[at] = text[at + 1] = 'X';
    }
    return text;
  }

  const Plan& plan_;
  std::map<std::pair<int, uint32_t>, Word> words_;
};

void kernel_files(const Plan& plan, std::vector<ProjectFile>& files) {
  for (int p = 0; p < kProcessors && !plan.kernels.empty(); ++p) {
    const Plan::KernelMemory& m = plan.kernels[static_cast<size_t>(p)];
    std::map<int64_t, std::string> rams;
    for (size_t c = 0; c < m.columns.size(); ++c) {
      const auto& bytes = m.columns[c];
      const bool zero = std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
      const bool skips = plan.options.zero_sram || plan.options.rtl.pretend_zero;
      if (!m.used[c] || (skips && zero)) continue;
      auto ram = static_cast<int64_t>(c) / kKernelRam;
      uint64_t at = c % kKernelRam;
      if (ram >= 4) {
        ram = 4 + (static_cast<int64_t>(c) - 4 * kKernelRam) / kFirstKernelRam;
        at = c % kFirstKernelRam;
      }
      if (plan.small()) ram = 0, at = c;
      std::string& text = rams[ram];
      text += "@" + digits(at, 4) + " ";
      for (size_t i = 0; i < bytes.size(); ++i) {
        text += digits(bytes[i], 2);
        if (i == 0 || i == 4) text += "_";
      }
      text += "\n";
    }
    for (auto& [ram, text] : rams) {
      files.push_back(
          {"masks/" + file_name("MRAM", p / kGroupProcessors, p % kGroupProcessors, ram),
           std::move(text)});
    }
  }
}

}  // namespace

std::vector<ProjectFile> rtl_memories(const Plan& plan, const Tensor& sample,
                                      const RtlAnswer& answer) {
  std::vector<ProjectFile> files;
  const RtlOptions& rtl = plan.options.rtl;
  if (rtl.preload && !plan.options.use_fifo()) {
    DataMemory data(plan);
    for (const Access& a : load_input(plan, sample).accesses) {
      data.put(a.address, a.value);
      for (size_t i = 0; i < a.words.size(); ++i) {
        data.put(a.address + 4 * static_cast<uint32_t>(i + 1), a.words[i]);
      }
    }
    for (ProjectFile& f : data.files("data/")) files.push_back(std::move(f));
  }
  if (rtl.preload_weights) kernel_files(plan, files);
  if (rtl.result_output && plan.options.kat) {
    DataMemory data(plan);
    for (const RtlAnswer::Step& s : answer.steps) {
      for (size_t i = 0; i < s.run.words.size(); ++i) {
        data.put(s.run.address + 4 * static_cast<uint32_t>(i), s.run.words[i], s.run.mask);
      }
    }
    for (ProjectFile& f : data.files("data-expected/")) files.push_back(std::move(f));
  }
  return files;
}

}  // namespace edgetwin::max78
