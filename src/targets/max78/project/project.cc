#include "targets/max78/project/project.h"

#include <algorithm>

#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

std::string upper_lower(Device device, bool upper) {
  std::string text(name(device));
  if (upper) return text;
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// "A B=1" becomes " -DA -DB=1".
std::string definitions(const std::string& words) {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) text += " -D" + words.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

std::string makefile(const Plan& plan, const ProjectOptions& options, const char* sources) {
  const std::string target = upper_lower(plan.chip->device, true);
  return "# Builds " + options.name +
         " with the vendor's development kit (MAXIM_PATH).\n"
         "TARGET ?= " +
         target +
         "\nBOARD ?= " + (plan.options.board.empty() ? options.board : plan.options.board) +
         "\nPROJECT ?= " + options.name +
         "\nMAXIM_PATH ?= $(error set MAXIM_PATH to the development kit)\n\n"
         "VPATH += . src\nIPATH += . include\nSRCS += " +
         sources +
         "\n\n"
         "PROJ_CFLAGS += -DMXC_ASSERT_ENABLE -DARM_MATH_CM4" +
         definitions(plan.options.defines) +
         "\nMXC_OPTIMIZE_CFLAGS ?= "
         "-O2\nMFLOAT_ABI ?= softfp\n\n"
         "include project.mk\n"
         "include $(MAXIM_PATH)/Libraries/CMSIS/Device/Maxim/$(TARGET)/Source/GCC/$(shell echo "
         "$(TARGET) | tr A-Z a-z).mk\n";
}

}  // namespace

std::vector<ProjectFile> build_files(const Plan& plan, const ProjectOptions& options) {
  std::vector<ProjectFile> files;
  if (plan.options.riscv) {
    files.push_back(
        {"Makefile",
         "# Builds both cores.\nall:\n\t$(MAKE) -f Makefile.RISCV\n\t$(MAKE) -f Makefile.ARM\n"});
    files.push_back({"Makefile.ARM", makefile(plan, options, "main.c")});
    files.push_back({"Makefile.RISCV",
                     "RISCV_CORE = 1\n" + makefile(plan, options, "main_riscv.c cnn.c softmax.c")});
  } else {
    files.push_back({"Makefile", makefile(plan, options, "main.c cnn.c softmax.c")});
    files.push_back(
        {"project.mk", "# Settings of the project; the generator does not overwrite them.\n"});
  }
  files.push_back(
      {options.name + ".launch",
       "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
       "<launchConfiguration "
       "type=\"ilg.gnumcueclipse.debug.gdbjtag.openocd.launchConfigurationType\">\n"
       "<stringAttribute key=\"ilg.gnumcueclipse.debug.gdbjtag.openocd.gdbServerOther\" "
       "value=\"-f interface/cmsis-dap.cfg -f target/" +
           upper_lower(plan.chip->device, false) +
           ".cfg\"/>\n<stringAttribute key=\"org.eclipse.cdt.launch.PROGRAM_NAME\" value=\"build/" +
           options.name + (plan.options.riscv ? "-combined" : "") +
           ".elf\"/>\n</launchConfiguration>\n"});
  return files;
}

Result<std::vector<ProjectFile>> make_project(const Plan& plan, const CompiledNetwork& compiled,
                                              const ProjectOptions& options) {
  const ProgramParts parts(compiled.program);
  if (!parts.complete()) {
    return Error(ErrorCode::max78_rules, "the program lacks a function of the accelerator");
  }
  const std::vector<KernelArray> kernels = kernel_arrays(plan, *parts.load_weights);
  const Function& input = *parts.load_input;
  std::vector<ProjectFile> files = build_files(plan, options);
  files.push_back({"cnn.c", cnn_source(plan, parts, kernels)});
  files.push_back({"cnn.h", cnn_header(plan)});
  files.push_back({"weights.h", weights_header(plan, kernels)});
  files.push_back({"sampledata.h", sample_header(plan, input)});
  if (plan.options.kat) files.push_back({"sampleoutput.h", answer_header(compiled.expected)});
  files.push_back({"softmax.c", softmax_source()});
  if (plan.options.riscv) {
    files.push_back({"main.c", wrapper_source(plan, options)});
    files.push_back({"main_riscv.c", main_source(plan, input, options)});
  } else {
    files.push_back({"main.c", main_source(plan, input, options)});
  }
  return files;
}

}  // namespace edgetwin::max78
