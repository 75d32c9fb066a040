#include "targets/max78/project/project.h"

#include <algorithm>
#include <set>

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

// The first letters of a file's name, up to its ending.
std::string stem_of(const std::string& file) { return file.substr(0, file.rfind('.')); }

std::string makefile(const Plan& plan, const ProjectOptions& options, const std::string& sources,
                     const std::string& defaults) {
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
         "PROJ_CFLAGS +=" +
         definitions(defaults) + definitions(plan.options.defines) +
         "\nMXC_OPTIMIZE_CFLAGS ?= "
         "-O2\nMFLOAT_ABI ?= softfp\n\n"
         "include project.mk\n"
         "include $(MAXIM_PATH)/Libraries/CMSIS/Device/Maxim/$(TARGET)/Source/GCC/$(shell echo "
         "$(TARGET) | tr A-Z a-z).mk\n";
}

std::string riscv_main(const Options& options) { return stem_of(options.files.main) + "_riscv.c"; }

// Names can be chosen, so that two files may have the same one.
Result<std::vector<ProjectFile>> unique_names(std::vector<ProjectFile> files) {
  std::set<std::string> names;
  for (const ProjectFile& f : files) {
    if (names.insert(f.name).second) continue;
    return Error(ErrorCode::max78_option, "two files of the project would be " + f.name)
        .with_hint(
            "Choose another --c-filename, --api-filename, --weight-filename, "
            "--sample-filename or --sample-output-filename.");
  }
  return files;
}

}  // namespace

std::vector<ProjectFile> build_files(const Plan& plan, const ProjectOptions& options) {
  std::vector<ProjectFile> files;
  const FileNames& names = plan.options.files;
  const std::string& arm = plan.options.defines_arm;
  if (plan.options.riscv) {
    files.push_back(
        {"Makefile",
         "# Builds both cores.\nall:\n\t$(MAKE) -f Makefile.RISCV\n\t$(MAKE) -f Makefile.ARM\n"});
    files.push_back({"Makefile.ARM", makefile(plan, options, names.main, arm)});
    files.push_back(
        {"Makefile.RISCV",
         "RISCV_CORE = 1\n" + makefile(plan, options,
                                       riscv_main(plan.options) + " " + names.api + " softmax.c",
                                       plan.options.defines_riscv)});
  } else {
    files.push_back(
        {"Makefile", makefile(plan, options, names.main + " " + names.api + " softmax.c", arm)});
    files.push_back(
        {"project.mk", "# Settings of the project; the generator does not overwrite them.\n"});
  }
  files.push_back(
      {options.name + ".launch",
       "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
       "<launchConfiguration "
       "type=\"ilg.gnumcueclipse.debug.gdbjtag.openocd.launchConfigurationType\">\n"
       "<stringAttribute key=\"ilg.gnumcueclipse.debug.gdbjtag.openocd.gdbServerOther\" "
       "value=\"" +
           (plan.options.openocd.empty() ? "-f interface/cmsis-dap.cfg -f target/" +
                                               upper_lower(plan.chip->device, false) + ".cfg"
                                         : plan.options.openocd) +
           "\"/>\n<stringAttribute key=\"org.eclipse.cdt.launch.PROGRAM_NAME\" value=\"build/" +
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
  if (options.frame != nullptr) EDGETWIN_TRY(check_frame(plan, input, *options.frame));
  std::vector<ProjectFile> files = build_files(plan, options);
  const FileNames& names = plan.options.files;
  files.push_back({names.api, cnn_source(plan, parts, kernels)});
  files.push_back({"cnn.h", cnn_header(plan)});
  files.push_back({names.weights, weights_header(plan, kernels)});
  files.push_back({names.sample, options.frame != nullptr ? frame_header(*options.frame)
                                                          : sample_header(plan, input)});
  if (plan.options.kat) files.push_back({names.answer, answer_header(compiled.expected)});
  files.push_back({"softmax.c", softmax_source()});
  if (plan.options.riscv) {
    files.push_back({names.main, wrapper_source(plan, options)});
    files.push_back({riscv_main(plan.options), main_source(plan, input, options)});
  } else {
    files.push_back({names.main, main_source(plan, input, options)});
  }
  return unique_names(std::move(files));
}

}  // namespace edgetwin::max78
