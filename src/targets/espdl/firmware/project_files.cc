#include "targets/espdl/firmware/project_files.h"

#include <algorithm>
#include <array>

namespace edgetwin::targets::espdl {
namespace {

constexpr uint64_t kPage = 0x10000;      // where applications begin, and what flash is mapped by
constexpr uint64_t kFirstApp = 0x10000;  // after the table at 0x9000 and the settings
constexpr uint64_t kCodeBytes = uint64_t{3000} << 10;  // room for the program itself

constexpr std::array kChips = {
    Chip{Id::esp32s3, uint64_t{8} << 20,
         "CONFIG_ESPTOOLPY_FLASHMODE_QIO=y\n"
         "CONFIG_ESPTOOLPY_FLASHSIZE_8MB=y\n"
         "CONFIG_SPIRAM=y\n"
         "CONFIG_SPIRAM_MODE_OCT=y\n"
         "CONFIG_SPIRAM_SPEED_80M=y\n"
         "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_240=y\n"
         "CONFIG_ESP32S3_INSTRUCTION_CACHE_32KB=y\n"
         "CONFIG_ESP32S3_DATA_CACHE_64KB=y\n"
         "CONFIG_ESP32S3_DATA_CACHE_LINE_64B=y\n"},
    Chip{Id::esp32p4, uint64_t{16} << 20,
         "CONFIG_IDF_EXPERIMENTAL_FEATURES=y\n"
         "CONFIG_ESPTOOLPY_FLASHMODE_QIO=y\n"
         "CONFIG_ESPTOOLPY_FLASHSIZE_16MB=y\n"
         "CONFIG_SPIRAM=y\n"
         "CONFIG_SPIRAM_SPEED_200M=y\n"
         "CONFIG_CACHE_L2_CACHE_256KB=y\n"
         "CONFIG_CACHE_L2_CACHE_LINE_128B=y\n"},
};

// Of the component whose calls template/texts.cpp makes.
constexpr std::string_view kTextsVersion = "0.1.0";

uint64_t pages(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::string kilobytes(uint64_t bytes) { return std::to_string(bytes >> 10) + "K"; }

// "models" lie apart from the application?
bool apart(const FirmwareOptions& options) { return options.place == ModelPlace::partition; }

std::string partition_label(size_t index) { return "model" + std::to_string(index); }

uint64_t picture_bytes(const FirmwareOptions& options) {
  if (!options.picture) return 0;
  return options.picture->jpeg.size() + options.picture->pixels.data.size();
}

std::string symbol(size_t index, std::string_view what) {
  return "edgetwin_case_" + std::to_string(index) + "_" + std::string(what);
}

}  // namespace

const Chip* find_chip(std::string_view target) {
  const auto found =
      std::ranges::find_if(kChips, [&](const Chip& chip) { return name(chip.target) == target; });
  return found == kChips.end() ? nullptr : &*found;
}

Result<std::string> partitions_csv(const FirmwareOptions& options, const Chip& chip,
                                   const std::vector<PlacedCase>& cases) {
  uint64_t golden = picture_bytes(options);
  uint64_t models = 0;
  uint64_t model_pages = 0;
  for (const PlacedCase& one : cases) {
    golden += one.golden_bytes;
    models += one.model_bytes;
    model_pages += pages(one.model_bytes);
  }
  const uint64_t app = pages(kCodeBytes + golden + (apart(options) ? 0 : models));
  const uint64_t total = kFirstApp + app + (apart(options) ? model_pages : 0);
  if (total > chip.flash_bytes) {
    return Error(ErrorCode::firmware_size,
                 "models and golden data do not fit into the flash of the " + options.target)
        .with_hint(options.picture ? "Give a smaller picture, or one in which less is found: each "
                                     "look of a network carries its outputs."
                                   : "Check fewer models at once, or carry fewer bytes of "
                                     "intermediate tensors.")
        .detail("models " + std::to_string(models) + " bytes, golden data " +
                (options.picture ? "and picture " : "") + std::to_string(golden) +
                " bytes, room for the program " + std::to_string(kCodeBytes))
        .detail("together, in pages of 64 KiB: " + std::to_string(total) +
                " bytes; the flash has " + std::to_string(chip.flash_bytes));
  }
  std::string csv =
      "# Name, Type, SubType, Offset, Size\n"
      "nvs, data, nvs, 0xa000, 0x4000\n"
      "phy_init, data, phy, 0xe000, 0x1000\n"
      "factory, app, factory, 0x10000, " +
      kilobytes(app) + "\n";
  if (!apart(options)) return csv;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].model != i) continue;
    csv +=
        partition_label(i) + ", data, spiffs, , " + kilobytes(pages(cases[i].model_bytes)) + "\n";
  }
  return csv;
}

std::string sdkconfig_defaults(const FirmwareOptions& options,
                               const std::vector<std::string>& parts) {
  const bool texts = std::ranges::count(parts, "texts") > 0;
  return "CONFIG_IDF_TARGET=\"" + options.target +
         "\"\n"
         "CONFIG_PARTITION_TABLE_CUSTOM=y\n"
         "CONFIG_PARTITION_TABLE_CUSTOM_FILENAME=\"partitions.csv\"\n"
         "CONFIG_PARTITION_TABLE_OFFSET=0x9000\n"
         "CONFIG_COMPILER_OPTIMIZATION_PERF=y\n"
         "# A layer may run for longer than a watchdog waits.\n"
         "CONFIG_ESP_INT_WDT=n\n"
         "CONFIG_ESP_TASK_WDT_EN=n\n"
         "CONFIG_ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP=n\n"
         "CONFIG_ESP_MAIN_TASK_STACK_SIZE=16384\n" +
         (texts ? "# The component of texts must not bring its own models: they are here.\n"
                  "CONFIG_PP_OCR_V6_MODEL_IN_SDCARD=y\n"
                : "");
}

std::string component_yml(const FirmwareOptions& options, const std::vector<std::string>& parts) {
  const bool texts = std::ranges::count(parts, "texts") > 0;
  return "dependencies:\n"
         "  idf: \">=5.3\"\n"
         "  # Exactly this one: what a table of 16 bits means changed between 3.3.7 and 3.3.9.\n"
         "  espressif/esp-dl: \"==" +
         options.esp_dl_version + "\"\n" +
         (texts ? "  espressif/pp_ocr_v6: \"==" + std::string(kTextsVersion) + "\"\n" : "");
}

std::string main_cmake(const FirmwareOptions& options, const std::vector<PlacedCase>& cases,
                       const std::vector<std::string>& parts) {
  std::string text =
      "idf_component_register(\n"
      "  SRCS main.cpp cases.cpp blobs.S compare.cpp golden.cpp nodes.cpp place.cpp report.cpp\n"
      "       runner.cpp stages.cpp sweep.cpp tensors.cpp" +
      std::string(options.picture ? " post.cpp vision.cpp" : "");
  for (const std::string& part : parts) text += " " + part + ".cpp";
  text +=
      "\n"
      "  INCLUDE_DIRS .)\n\n"
      "if(NOT IDF_TARGET STREQUAL \"" +
      options.target +
      "\")\n"
      "  message(FATAL_ERROR \"The golden data is for the " +
      options.target +
      ", not for the ${IDF_TARGET}\")\n"
      "endif()\n\n"
      "# blobs.S takes these files in by name.\n"
      "set(blobs";
  for (size_t i = 0; i < cases.size(); ++i) {
    const PlacedCase& one = cases[i];
    if (!apart(options) && one.model == i)
      text += "\n  ${COMPONENT_DIR}/data/" + one.name + ".espdl";
    text += "\n  ${COMPONENT_DIR}/data/" + one.name + ".golden";
    if (one.has_result) text += "\n  ${COMPONENT_DIR}/data/" + one.name + ".result";
  }
  if (options.picture) text += "\n  ${COMPONENT_DIR}/data/picture.rgb";
  if (options.picture && !options.picture->jpeg.empty()) {
    text += "\n  ${COMPONENT_DIR}/data/picture.jpg";
  }
  text +=
      ")\n"
      "set_source_files_properties(blobs.S PROPERTIES OBJECT_DEPENDS \"${blobs}\")\n";
  if (!apart(options)) return text;
  text += "\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].model != i) continue;
    text += "esptool_py_flash_to_partition(flash \"" + partition_label(i) +
            "\" \"${COMPONENT_DIR}/data/" + cases[i].name + ".espdl\")\n";
  }
  return text;
}

std::string cases_source(const FirmwareOptions& options, const std::vector<PlacedCase>& cases) {
  std::string text = "#include \"cases.hpp\"\n\nextern \"C\" {\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!apart(options) && cases[i].model == i) {
      text += "extern const uint8_t " + symbol(i, "model") + "[];\n";
    }
    text += "extern const uint8_t " + symbol(i, "golden") + "[];\n";
    text += "extern const uint8_t " + symbol(i, "golden_end") + "[];\n";
  }
  text += "}\n\nnamespace check {\n\nconst Case kCases[] = {\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    text += "    {\"" + cases[i].name + "\",\n     \"" + cases[i].sha256 + "\",\n     " +
            (apart(options) ? "nullptr" : symbol(cases[i].model, "model")) + ",\n     " +
            (apart(options) ? "\"" + partition_label(cases[i].model) + "\"" : "nullptr") +
            ",\n     " + symbol(i, "golden") + ",\n     " + symbol(i, "golden_end") + "},\n";
  }
  text += "};\nconst size_t kCaseCount = " + std::to_string(cases.size()) +
          ";\n\nconst char kTarget[] = \"" + options.target + "\";\nconst char kEspDl[] = \"" +
          options.esp_dl_version +
          "\";\nconst bool kAlwaysCheckNodes = " + (options.always_check_nodes ? "true" : "false") +
          ";\n\n}  // namespace check\n";
  return text;
}

std::string blobs_source(const FirmwareOptions& options, const std::vector<PlacedCase>& cases) {
  // .incbin after .balign: esp-dl reads parameters in place only from addresses divisible by 16,
  // which the ordinary embedding of files does not promise.
  std::string text =
      "/* Models and golden data, each on a border of 16 bytes. */\n"
      "    .section .rodata.embedded, \"a\"\n";
  const auto add = [&](const std::string& label, const std::string& file) {
    text += "\n    .balign 16\n    .global " + label + "\n" + label + ":\n    .incbin \"data/" +
            file + "\"\n    .global " + label + "_end\n" + label + "_end:\n    .byte 0\n";
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!apart(options) && cases[i].model == i) {
      add(symbol(i, "model"), cases[i].name + ".espdl");
    }
    add(symbol(i, "golden"), cases[i].name + ".golden");
    if (cases[i].has_result) add(symbol(i, "result"), cases[i].name + ".result");
  }
  if (options.picture) add("edgetwin_pixels", "picture.rgb");
  if (options.picture && !options.picture->jpeg.empty()) add("edgetwin_jpeg", "picture.jpg");
  text += "\n    .balign 16\n#ifdef __linux__\n    .section .note.GNU-stack, \"\"\n#endif\n";
  return text;
}

std::string readme_cases(const std::vector<PlacedCase>& cases) {
  std::string text = "| case | model bytes | SHA-256 of the model |\n|---|---|---|\n";
  for (const PlacedCase& one : cases) {
    text += "| " + one.name + " | " + std::to_string(one.model_bytes) + " | " + one.sha256 + " |\n";
  }
  return text;
}

}  // namespace edgetwin::targets::espdl
