// The vendor's loader. Source: specification "codegen" 1 and 10, "network" 1.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "cli/vendor/arguments.h"
#include "formats/ai8x/read_yaml.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/options/options.h"

namespace edgetwin::cli::vendor {
namespace {

// What the tool has beside the table of options.
const std::map<std::string, Takes>& loader_names() {
  static const std::map<std::string, Takes> names = [] {
    std::map<std::string, Takes> all = {{"--prefix", Takes::value}, {"--ai85", Takes::nothing},
                                        {"--ai87", Takes::nothing}, {"-h", Takes::nothing},
                                        {"--help", Takes::nothing}, {"--labels", Takes::value},
                                        {"--json", Takes::nothing}, {"--report", Takes::value}};
    using Kind = max78::OptionInfo::Kind;
    for (const max78::OptionInfo& row : max78::all_options()) {
      const Takes takes = row.kind == Kind::takes_list                      ? Takes::list
                          : row.kind == Kind::takes_value || row.values > 0 ? Takes::value
                                                                            : Takes::nothing;
      all.emplace(std::string(row.name), takes);
    }
    return all;
  }();
  return names;
}

struct LoaderCall {
  std::string device, config, checkpoint, weights, bias, sample, folder, prefix;
  bool overwrite = false, help = false;
  std::vector<std::string> rest;
};

// The member that holds an option's value; null: it is one of the options that `compile` takes.
std::string* place_of(LoaderCall& call, const std::string& name) {
  const std::map<std::string, std::string*> places = {{"--device", &call.device},
                                                      {"--config-file", &call.config},
                                                      {"--checkpoint-file", &call.checkpoint},
                                                      {"--weight-input", &call.weights},
                                                      {"--bias-input", &call.bias},
                                                      {"--sample-input", &call.sample},
                                                      {"--test-dir", &call.folder},
                                                      {"--prefix", &call.prefix}};
  const auto found = places.find(name);
  return found == places.end() ? nullptr : found->second;
}

Result<LoaderCall> read_call(const std::vector<std::string>& words) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Argument> all, parse(words, loader_names()));
  LoaderCall call;
  for (const Argument& a : all) {
    if (a.name.empty()) {
      return Error(ErrorCode::usage,
                   "'" + *a.value + "' is not expected: the tool has options only");
    }
    if (std::string* place = place_of(call, a.name); place != nullptr) {
      *place = *a.value;
    } else if (a.name == "--ai85" || a.name == "--ai87") {
      call.device = a.name.substr(2);
    } else if (a.name == "--overwrite") {
      call.overwrite = true;
    } else if (a.name == "-h" || a.name == "--help") {
      call.help = true;
    } else {
      call.rest.push_back(a.name);
      if (a.value) call.rest.push_back(*a.value);
    }
  }
  return call;
}

Status complete(const LoaderCall& call) {
  const std::pair<const std::string*, const char*> needed[] = {{&call.device, "--device"},
                                                               {&call.config, "--config-file"},
                                                               {&call.prefix, "--prefix"},
                                                               {&call.folder, "--test-dir"}};
  for (const auto& [value, name] : needed) {
    if (!value->empty()) continue;
    return Error(ErrorCode::usage, std::string(name) + " is missing, which the loader needs")
        .with_hint("A line of the loader has --device, --config-file, --prefix and --test-dir.");
  }
  return Ok{};
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// Files that the loader takes from its folder `tests` where none is named.
Status add_usual_files(LoaderCall& call) {
  EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(call.config));
  const auto device = max78::device_by_name(call.device);
  // A description with errors is read again by `compile`, which lists all of them.
  const ai8x::NetworkReading reading = ai8x::read_network_report(
      as_text(yaml), call.config, device.value_or(max78::Device::max78000));
  if (!reading.network) return Ok{};
  const ai8x::Network& net = *reading.network;
  const std::string dataset = lower_case(net.dataset);
  if (call.sample.empty()) call.sample = "tests/sample_" + dataset + ".npy";
  if (!net.is_test() || !call.checkpoint.empty()) return Ok{};
  if (call.weights.empty()) {
    call.weights = "tests/" + net.weights.value_or("weights_" + dataset) + ".npy";
  }
  if (call.bias.empty() && net.bias) call.bias = "tests/bias_" + *net.bias + ".npy";
  return Ok{};
}

}  // namespace

Result<std::vector<std::string>> ai8xize_line(const std::vector<std::string>& words) {
  EDGETWIN_TRY_ASSIGN(LoaderCall call, read_call(words));
  if (call.help) return std::vector<std::string>{"edgetwin", "compile", "--help"};
  EDGETWIN_TRY(complete(call));
  EDGETWIN_TRY(add_usual_files(call));
  std::vector<std::string> line = {"edgetwin", "compile", call.config, "--target",
                                   target_of(call.device)};
  const std::pair<const char*, const std::string*> files[] = {{"--checkpoint", &call.checkpoint},
                                                              {"--weights", &call.weights},
                                                              {"--bias", &call.bias},
                                                              {"--sample", &call.sample}};
  for (const auto& [name, value] : files) {
    if (!value->empty()) line.insert(line.end(), {name, *value});
  }
  line.insert(line.end(), {"-o", call.folder + "/" + call.prefix, "--prefix", call.prefix});
  if (call.overwrite) line.emplace_back("--force");
  line.insert(line.end(), call.rest.begin(), call.rest.end());
  return line;
}

}  // namespace edgetwin::cli::vendor
