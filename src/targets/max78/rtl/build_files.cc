// What builds the program and compares what the simulator dumped.
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {

std::vector<ProjectFile> rtl_build_files(const Plan& plan) {
  std::vector<ProjectFile> files;
  const std::string stem = plan.options.files.main.substr(0, plan.options.files.main.rfind('.'));
  const auto rules = [&](const std::string& source, const std::string& prog) {
    return "# Builds " + source + " for the simulated core; CROSS and LIBRARY name the tools.\n" +
           prog + ".elf: " + source + "\n\t$(CROSS)gcc -O2 -I$(LIBRARY) -o $@ $< $(LIBRARY)/*.c\n";
  };
  files.push_back({"Makefile.ARM_PROG", rules(stem + ".c", "ARM_PROG")});
  files.push_back({"memfiles_ARM_PROG.def", "ARM_PROG_flash.prog\n"});
  if (plan.options.riscv) {
    files.push_back({"Makefile.RISCV_PROG", rules(stem + "_riscv.c", "RISCV_PROG")});
    files.push_back({"memfiles_RISCV_PROG.def", "RISCV_PROG_flash.prog\n"});
  }
  // A folder without a file would not be made.
  if (plan.options.log_intermediate)
    files.push_back({"debug/README", "The run file writes here.\n"});
  if (plan.options.rtl.result_output) {
    files.push_back({"data-output/README", "The simulator dumps its memories here.\n"});
    files.push_back(
        {"verify-output.py",
         "#!/usr/bin/env python3\n"
         "\"\"\"Compares data-output with data-expected; digits X are not compared.\"\"\"\n"
         "import os\nimport sys\n\n"
         "root = sys.argv[1] if len(sys.argv) > 1 else '.'\nwrong = 0\n"
         "want = os.path.join(root, 'data-expected')\n"
         "for name in sorted(os.listdir(want)):\n"
         "    if not name.startswith('DRAM_'):\n        continue\n"
         "    found = {}\n"
         "    path = os.path.join(root, 'data-output', name.replace('DRAM_', 'DRAM_out_', 1))\n"
         "    with open(path) as file:\n"
         "        for line in file:\n"
         "            place, _, value = line.strip().partition(' ')\n"
         "            found[place] = value.lower()\n"
         "    with open(os.path.join(want, name)) as file:\n"
         "        for line in file:\n"
         "            place, _, value = line.strip().partition(' ')\n"
         "            got = found.get(place, '-' * len(value))\n"
         "            if any(a not in ('X', b) for a, b in zip(value, got)):\n"
         "                print(name, place, 'expected', value, 'found', got)\n"
         "                wrong += 1\n"
         "sys.exit(1 if wrong else 0)\n"});
  }
  return files;
}

}  // namespace edgetwin::max78
