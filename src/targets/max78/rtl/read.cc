// A folder read back: memories that the simulator loads, the program, the words that it compares.
#include <algorithm>
#include <charconv>
#include <optional>

#include "targets/max78/chip/regs.h"
#include "targets/max78/program/program_text.h"
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

constexpr std::string_view kBlockInput = "input.mem";

struct MemoryPlace {
  int group = 0, processor = 0, ram = 0;
};

template <class T>
bool take_number(std::string_view& text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "data/DRAM_x16_0_proc_4_ram_0.dat".
std::optional<MemoryPlace> memory_place(std::string_view name, std::string_view start) {
  MemoryPlace p;
  const bool good = take_word(name, start) && take_word(name, "_x16_") &&
                    take_number(name, p.group) && take_word(name, "_proc_") &&
                    take_number(name, p.processor) && take_word(name, "_ram_") &&
                    take_number(name, p.ram) && name == ".dat";
  const bool inside = p.group >= 0 && p.group < kGroups && p.processor >= 0 &&
                      p.processor < kGroupProcessors && p.ram >= 0 && p.ram < 8;
  return good && inside ? std::optional(p) : std::nullopt;
}

class FolderReader {
 public:
  FolderReader(const std::vector<ProjectFile>& files, Device& device, const CLimits& limits)
      : files_(files), device_(device), limits_(limits) {}

  Result<RtlTest> read() {
    RtlTest test;
    const ProjectFile* program = find("program.txt");
    ProgramText text;
    if (find(kBlockInput) != nullptr && program == nullptr) {
      EDGETWIN_TRY_ASSIGN(text, from_words(test));
    } else if (program != nullptr) {
      EDGETWIN_TRY_ASSIGN(text, read_program(program->text, program->name));
    } else {
      EDGETWIN_TRY_ASSIGN(text, from_sources(test));
    }
    device_ = text.device;
    Function before{"preload", {}};
    for (const ProjectFile& f : files_) {
      if (const auto p = memory_place(f.name, "data/DRAM")) EDGETWIN_TRY(data(f, *p, before));
      if (const auto p = memory_place(f.name, "masks/MRAM")) EDGETWIN_TRY(kernels(f, *p, before));
      if (const auto p = memory_place(f.name, "data-expected/DRAM")) {
        EDGETWIN_TRY(expected(f, *p, test.expected));
      }
    }
    if (!before.accesses.empty()) test.program.functions.push_back(std::move(before));
    for (auto& part : text.parts) {
      Function f{part.name, {}};
      for (auto& l : part.accesses) {
        if (l.access.kind == Access::Kind::camera) EDGETWIN_TRY(take_pictures(l.access));
        f.accesses.push_back(std::move(l.access));
      }
      test.program.functions.push_back(std::move(f));
    }
    if (const ProjectFile* e = find("expected.txt"); e != nullptr && test.expected.empty()) {
      EDGETWIN_TRY_ASSIGN(test.expected, read_expected(e->text, e->name));
    }
    return test;
  }

 private:
  const ProjectFile* find(std::string_view name) const {
    const auto found =
        std::find_if(files_.begin(), files_.end(), [&](const auto& f) { return f.name == name; });
    return found == files_.end() ? nullptr : &*found;
  }

  // What the camera's signals give, in place of its rounds.
  Status take_pictures(Access& a) const {
    const auto csv = std::find_if(files_.begin(), files_.end(), [](const auto& f) {
      return f.name.ends_with(".csv") && is_camera_csv(f.text);
    });
    if (csv == files_.end()) {
      return Error(ErrorCode::max78_program_text, "the folder has no signals of a camera")
          .with_hint("The file of --input-csv belongs beside program.txt.");
    }
    int format = 888;
    for (const ProjectFile& f : files_) {
      if (!f.name.ends_with(".c")) continue;
      if (f.text.find("CTRL_DATA_WIDTH_10BIT") != std::string::npos) format = 555;
      if (f.text.find("CTRL_DATA_WIDTH_12BIT") != std::string::npos) format = 565;
    }
    EDGETWIN_TRY_ASSIGN(a.words,
                        camera_words(csv->text, csv->name, a.value, a.addresses.size(), format));
    a.kind = Access::Kind::fifo;
    return Ok{};
  }

  // --top-level None: words to write, and words to expect.
  Result<ProgramText> from_words(RtlTest& test) const {
    EDGETWIN_TRY_ASSIGN(Function f, read_block_words(*find(kBlockInput)));
    f.name = "input";
    EDGETWIN_TRY_ASSIGN(ProgramText text, read_program(to_text(Program{{f}}), "input.mem"));
    // The run file waits for the end.
    const uint32_t control = address(chip_limits(text.device), GlobalReg::ctl, 0);
    f.accesses.push_back(
        {.kind = Access::Kind::wait, .address = control, .value = 1U << 12, .mask = 1U << 12});
    for (const ProjectFile& file : files_) {
      if (!file.name.starts_with("output") || !file.name.ends_with(".mem")) continue;
      EDGETWIN_TRY_ASSIGN(const Function words, read_block_words(file));
      for (const Access& a : words.accesses) {
        test.expected.push_back({a.address, 0xffffffffU, {a.value}});
      }
    }
    return read_program(to_text(Program{{f}}), "input.mem");
  }

  Result<ProgramText> from_sources(RtlTest& test) const {
    std::vector<CFile> sources;
    for (const ProjectFile& f : files_) {
      if (f.name.ends_with(".c") || f.name.ends_with(".h")) sources.push_back({f.name, f.text});
    }
    if (sources.empty()) {
      return Error(ErrorCode::max78_program_text, "the folder has no program.txt and no C sources")
          .with_hint("`compile --rtl` writes both.");
    }
    EDGETWIN_TRY_ASSIGN(CProgram made, read_c_program(sources, limits_));
    test.expected = std::move(made.expected);
    test.checks = made.checks;
    test.sources = true;
    // Addresses tell the chip, as of every program.
    return read_program(to_text(made.program), "the C sources");
  }

  // Calls body(place, value) for each line "@AAAA VALUE".
  template <class Body>
  Status lines(const ProjectFile& f, size_t digits, const Body& body) const {
    std::string_view rest = f.text;
    for (int n = 1; !rest.empty(); ++n) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      uint32_t at = 0;
      const bool good = take_word(line, "@") && take_number(line, at, 16) && take_word(line, " ") &&
                        line.size() == digits && at < 32768;
      if (!good || !body(at, line)) {
        Error e(ErrorCode::max78_program_text, "a line is not `@ADDRESS VALUE` of a memory file");
        e.place.file = f.name;
        e.place.line = n;
        return e;
      }
    }
    return Ok{};
  }

  const Limits& chip() const { return chip_limits(device_); }
  uint32_t data_base(const MemoryPlace& p) const {
    return chip().data_address(p.group * 4 + p.processor / 4) +
           (device_ == Device::max78000 ? 0U : static_cast<uint32_t>(p.ram) * 4096U * 4U);
  }

  Status data(const ProjectFile& f, const MemoryPlace& p, Function& to) const {
    return lines(f, 8, [&](uint32_t at, std::string_view text) {
      uint32_t value = 0;
      if (!take_number(text, value, 16) || !text.empty()) return false;
      to.accesses.push_back(
          {.kind = Access::Kind::write, .address = data_base(p) + 4 * at, .value = value});
      return true;
    });
  }

  Status expected(const ProjectFile& f, const MemoryPlace& p, std::vector<Run>& to) const {
    return lines(f, 8, [&](uint32_t at, std::string_view text) {
      Run run{data_base(p) + 4 * at, 0, {0}};
      for (const char c : text) {
        const std::string_view one(&c, 1);
        uint32_t digit = 0;
        const bool counts = c != 'X';
        std::string_view rest = one;
        if (counts && !take_number(rest, digit, 16)) return false;
        run.mask = run.mask << 4 | (counts ? 0xfU : 0U);
        run.words[0] = run.words[0] << 4 | digit;
      }
      to.push_back(std::move(run));
      return true;
    });
  }

  Status kernels(const ProjectFile& f, const MemoryPlace& p, Function& to) const {
    return lines(f, 20, [&](uint32_t at, std::string_view text) {
      uint32_t column = at;
      if (device_ == Device::max78002) {
        column += p.ram < 4 ? static_cast<uint32_t>(p.ram) * 1024U
                            : 4096U + static_cast<uint32_t>(p.ram - 4) * 256U;
      }
      const int processor = p.group * kGroupProcessors + p.processor;
      if (static_cast<int>(column) >= chip().columns(processor)) return false;
      Access a{.kind = Access::Kind::write,
               .address = chip().kernel_address(processor, static_cast<int>(column))};
      uint32_t high = 0, middle = 0, low = 0;
      if (!take_number(text, high, 16) || !take_word(text, "_") || !take_number(text, middle, 16) ||
          !take_word(text, "_") || !take_number(text, low, 16) || high > 0xff) {
        return false;
      }
      a.value = high;
      a.words = {middle, low, 0};
      to.accesses.push_back(std::move(a));
      return true;
    });
  }

  const std::vector<ProjectFile>& files_;
  Device& device_;
  const CLimits limits_;
};

}  // namespace

bool is_rtl_file(const std::string& name) {
  const bool source =
      (name.ends_with(".c") || name.ends_with(".h")) && name.find('/') == std::string::npos;
  const bool signals = name.ends_with(".csv") && name.find('/') == std::string::npos;
  const bool words = name.ends_with(".mem") && name.find('/') == std::string::npos;
  return source || signals || words || name == "program.txt" || name == "expected.txt" ||
         memory_place(name, "data/DRAM") || memory_place(name, "masks/MRAM") ||
         memory_place(name, "data-expected/DRAM");
}

Result<RtlTest> read_rtl(const std::vector<ProjectFile>& files, Device& device,
                         const CLimits& limits) {
  return FolderReader(files, device, limits).read();
}

}  // namespace edgetwin::max78
