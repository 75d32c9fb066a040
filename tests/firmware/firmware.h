// From a network to firmware that ran: the generated project, the ARM compiler, the emulated chip.
#pragma once

#include <filesystem>

#include "firmware/chip.h"
#include "targets/max78/project/project.h"

namespace edgetwin::firmware {

namespace fs = std::filesystem;

// Compiler and emulator are there; else why not.
std::string missing_tools();

// A folder that goes away.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

enum class Program : uint8_t {
  network,    // of the core that runs the network
  arm_waits,  // RISC-V projects: of the Arm core, which starts the other one
};

struct Built {
  std::string log;  // of the compiler; empty: it had nothing to say
  Image image;
};

// Writes the files of a project to `folder`, compiles and links them with the stand-in headers and
// start-up of this folder. What the RISC-V core runs is compiled for the Arm core, too.
Built build(const std::vector<max78::ProjectFile>& files, const max78::Plan& plan,
            const fs::path& folder, Program program = Program::network);

struct Ran {
  CoreResult core;
  Bytes unloaded;  // the buffer as cnn_unload left it
  std::string output;
  std::vector<Access> accesses, power;  // see Chip
  uint32_t first_divider = 0, running_divider = 0;
  uint32_t flash_bytes = 0, ram_bytes = 0;
  std::string problem;   // errors that the accelerator found
  bool powered = false;  // the accelerator, at the end
  uint32_t pins[3] = {};
};

Ran run(const Image& image, max78::Device device, Chip::MakeAccelerator accelerator);

// Phases in the order of their first call: "cnn_init 123 instructions in 1 call".
std::string phase_text(const CoreResult& result);

}  // namespace edgetwin::firmware
