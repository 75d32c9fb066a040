// The vendor's quantizer. Source: specification "numerics" 10.
#include "cli/vendor/arguments.h"

namespace edgetwin::cli::vendor {

Result<std::vector<std::string>> quantize_line(const std::vector<std::string>& words) {
  static const std::map<std::string, Takes> kNames = {
      {"-c", Takes::value},          {"--config-file", Takes::value},
      {"--device", Takes::value},    {"--clip-method", Takes::value},
      {"--scale", Takes::value},     {"--stddev", Takes::value},
      {"-v", Takes::nothing},        {"--qat-weight-bits", Takes::value},
      {"--verbose", Takes::nothing}, {"-h", Takes::nothing},
      {"--json", Takes::nothing},    {"--help", Takes::nothing}};
  EDGETWIN_TRY_ASSIGN(const std::vector<Argument> all, parse(words, kNames));
  std::vector<std::string> files, rest;
  std::string device;
  for (const Argument& a : all) {
    if (a.name.empty()) {
      files.push_back(*a.value);
    } else if (a.name == "-h" || a.name == "--help") {
      return std::vector<std::string>{"edgetwin", "quantize", "--help"};
    } else if (a.name == "--device") {
      device = *a.value;
    } else {
      rest.push_back(a.name == "-c" ? "--config-file" : a.name);
      if (a.value) rest.push_back(*a.value);
    }
  }
  if (files.size() != 2 || device.empty()) {
    return Error(ErrorCode::usage, device.empty() ? "--device is missing"
                                                  : "the quantizer takes two files, input and "
                                                    "output, and got " +
                                                        std::to_string(files.size()))
        .with_hint("quantize.py INPUT OUTPUT --device MAX78000");
  }
  // The vendor's tool writes over its output.
  std::vector<std::string> line = {"edgetwin",        "quantize", files[0], "--target",
                                   target_of(device), "-o",       files[1], "--force"};
  line.insert(line.end(), rest.begin(), rest.end());
  return line;
}

}  // namespace edgetwin::cli::vendor
