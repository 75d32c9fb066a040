#include "firmware/firmware.h"
#include "source_dir.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace edgetwin::firmware {
namespace {

// What the compiler is called with in the project's Makefile, and the stand-ins. The phases that
// are counted have to stay functions: that is why main.c has no inlining.
constexpr const char* kCompile =
    "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=softfp -std=gnu11 "
    "-O2 -Wall -Wextra -Werror -DMXC_ASSERT_ENABLE -DARM_MATH_CM4 ";

const std::vector<std::string>& phases() {
  static const std::vector<std::string> names = {
      "cnn_enable",     "cnn_init",     "cnn_load_weights", "cnn_load_bias",
      "cnn_configure",  "load_input",   "cnn_start",        "CNN_ISR",
      "CNN_IRQHandler", "check_output", "cnn_unload",       "cnn_disable"};
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of the core that runs the network: every source but its main file.
struct Sources {
  std::string names, objects;
};

Sources other_sources(const std::vector<max78::ProjectFile>& files) {
  Sources s;
  for (const max78::ProjectFile& f : files) {
    if (!f.name.ends_with(".c") || f.name.starts_with("main")) continue;
    s.names += " " + f.name;
    s.objects += " " + f.name.substr(0, f.name.size() - 1) + "o";
  }
  return s;
}

bool compile(const std::string& arguments, const fs::path& folder, std::string& log) {
  const std::string command =
      "cd '" + folder.string() + "' && " + kCompile + arguments + " > log.txt 2>&1";
  if (std::system(command.c_str()) == 0) return true;
  log += text_of(folder / "log.txt");
  if (log.empty()) log = "the compiler failed";
  return false;
}

}  // namespace

std::string missing_tools() {
  if (std::system("arm-none-eabi-gcc --version > /dev/null 2>&1") != 0) {
    return "arm-none-eabi-gcc is not installed";
  }
  return {};
}

Folder::Folder() {
  static int number = 0;
  path_ = fs::temp_directory_path() /
          ("edgetwin_firmware_" + std::to_string(getpid()) + "_" + std::to_string(number++));
  fs::create_directories(path_);
}
Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Built build(const std::vector<max78::ProjectFile>& files, const max78::Plan& plan,
            const fs::path& folder, Program program) {
  Built built;
  for (const max78::ProjectFile& f : files) std::ofstream(folder / f.name) << f.text;
  const bool small = plan.chip->device == max78::Device::max78000;
  std::string common = small ? "-DTARGET_NUM=78000" : "-DTARGET_NUM=78002";
  const std::string stand_ins = source_dir() + "/tests/firmware/max78";
  common += " -I. -I" + stand_ins;
  // Other compilers do not know RISC-V's form of an interrupt handler.
  if (plan.options.riscv) common += " '-Dinterrupt(x)=used'";
  std::string objects = "main.o";
  bool good = true;
  const char* main = plan.options.riscv && program == Program::network ? "main_riscv.c" : "main.c";
  good = compile(common + " -fno-inline -c -o main.o " + main, folder, built.log) && good;
  if (program == Program::network) {
    const Sources others = other_sources(files);
    good = compile(common + " -c" + others.names, folder, built.log) && good;
    objects += others.objects;
  } else {
    objects += " -Wl,--defsym=_binary_riscv_bin_start=0x10400000";
  }
  if (!good) return built;
  common += " -nostartfiles --specs=nano.specs -T " + stand_ins + "/arm/image.ld -o image.elf ";
  good =
      compile(common + objects + " " + stand_ins + "/arm/startup.c " + stand_ins + "/arm/device.c",
              folder, built.log);
  if (!good) return built;
  const auto file = read_file(folder / "image.elf");
  if (!file.ok()) {
    built.log = to_text(file.error());
    return built;
  }
  auto image = read_elf(*file, "image.elf");
  if (image.ok()) {
    built.image = std::move(*image);
  } else {
    built.log = to_text(image.error());
  }
  return built;
}

Ran run(const Image& image, max78::Device device, Chip::MakeAccelerator accelerator) {
  Chip chip(device, std::move(accelerator));
  CoreOptions options;
  options.phases = phases();
  options.keep_after = "cnn_unload";
  options.keep = {"ml_data", "ml_data32"};
  CortexM core(image, chip, options);
  Ran ran;
  ran.core = core.run();
  ran.unloaded = std::move(ran.core.kept);
  ran.output = chip.output();
  ran.accesses = chip.accesses();
  ran.power = chip.power();
  ran.first_divider = chip.first_divider();
  ran.running_divider = chip.running_divider();
  ran.problem = chip.problem();
  ran.powered = chip.powered();
  for (int p = 0; p < 3; ++p) ran.pins[p] = chip.pin_toggles(p);
  return ran;
}

std::string phase_text(const CoreResult& result) {
  std::string text;
  for (const Phase& p : result.phases) {
    if (p.calls == 0) continue;
    text += "  " + p.function + ": " + std::to_string(p.instructions) + " instructions in " +
            std::to_string(p.calls) + (p.calls == 1 ? " call\n" : " calls\n");
  }
  return text;
}

}  // namespace edgetwin::firmware
