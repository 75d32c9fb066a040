#include "c/options.h"

#include <charconv>
#include <functional>

#include "edgetwin/target.h"
#include "kernels/core/isa.h"
#include "ops/registry/numerics.h"
#include "twin/espdl_choice.h"

namespace edgetwin::c {
namespace {

struct OpenKey {
  const char* key;
  void (*set)(OpenOptions&, const std::string&);
};

// The long options of the command line that say how a file is read.
constexpr OpenKey kOpenKeys[] = {
    {"target", [](OpenOptions& o, const std::string& v) { o.target = v; }},
    {"numerics", [](OpenOptions& o, const std::string& v) { o.numerics = v; }},
    {"model", [](OpenOptions& o, const std::string& v) { o.member = v; }},
    {"key", [](OpenOptions& o, const std::string& v) { o.key = v; }},
    {"runtime", [](OpenOptions& o, const std::string& v) { o.runtime = v; }},
    {"accumulators", [](OpenOptions& o, const std::string& v) { o.wide = v == "wide"; }},
    {"shape", [](OpenOptions& o, const std::string& v) { o.shapes.push_back(v); }},
    {"checkpoint", [](OpenOptions& o, const std::string& v) { o.checkpoint = v; }},
    {"weights", [](OpenOptions& o, const std::string& v) { o.weights = v; }},
    {"bias", [](OpenOptions& o, const std::string& v) { o.bias = v; }},
    {"sample", [](OpenOptions& o, const std::string& v) { o.sample = v; }},
    {"input-shape", [](OpenOptions& o, const std::string& v) { o.input_shape = v; }},
    {"network", [](OpenOptions& o, const std::string& v) { o.network = v; }},
    {"option", [](OpenOptions& o, const std::string& v) { o.options.push_back(v); }},
};

std::string open_keys() {
  std::string text;
  for (const OpenKey& k : kOpenKeys) text += std::string(text.empty() ? "" : ", ") + k.key;
  return text;
}

Error bad_value(const std::string& key, const std::string& value, const std::string& known) {
  return Error(ErrorCode::usage, "the option '" + key + "' cannot be '" + value + "'")
      .with_hint("It takes " + known + ".");
}

Status flag(const std::string& key, const std::string& value, bool& into) {
  into = value.empty() || value == "true";
  if (into || value == "false") return Ok{};
  return bad_value(key, value, "nothing, true or false");
}

Status set_place(const std::string& value, RunnerOptions& run) {
  if (value == "plain") {
    run.plain = true;
    return Ok{};
  }
  if (value != "twin" && value != "machine") {
    return bad_value("on", value, "twin, machine or plain");
  }
  run.where = value == "twin" ? Where::twin : Where::machine;
  return Ok{};
}

Status set_isa(const std::string& value, RunnerOptions& run) {
  run.isa = value;
  const auto isa = kernels::isa_by_name(value);
  if (isa && kernels::available(*isa)) return Ok{};
  std::string here;
  for (const kernels::Isa i : kernels::available_isas()) {
    here += (here.empty() ? "" : ", ") + std::string(name(i));
  }
  return bad_value("isa", value, here + " on this processor");
}

constexpr const char* kRunnerKeys = "on, keep, graph, threads, isa, plain, allow-undefined, decode";
constexpr int kMaxThreads = 256;
constexpr int kMaxGraphs = 1 << 20;

Status set_runner(const std::string& key, const std::string& value, TensorsOptions& o) {
  if (key == "on") return set_place(value, o.run);
  if (key == "plain") return flag(key, value, o.run.plain);
  if (key == "allow-undefined") return flag(key, value, o.run.allow_undefined);
  if (key == "keep") {
    o.run.keep_layers = value == "all";
    return o.run.keep_layers || value == "outputs" ? Status(Ok{})
                                                   : bad_value(key, value, "all or outputs");
  }
  if (key == "threads") {
    EDGETWIN_TRY_ASSIGN(o.run.threads, number_option(key, value, 1, kMaxThreads));
  } else if (key == "graph") {
    EDGETWIN_TRY_ASSIGN(o.graph, number_option(key, value, 0, kMaxGraphs));
  } else if (key == "isa") {
    return set_isa(value, o.run);
  } else if (key == "decode") {
    o.run.decoder = value;
  } else {
    return unknown_key(key, std::string(kRunnerKeys) + ", " + open_keys());
  }
  return Ok{};
}

}  // namespace

Error unknown_key(const std::string& key, const std::string& known) {
  return Error(ErrorCode::usage, "there is no option '" + key + "' here")
      .with_hint("Options are: " + known + ".");
}

Result<int> number_option(const std::string& key, const std::string& value, int low, int high) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= low && number <= high) return number;
  return bad_value(key, value,
                   "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

bool is_open_key(const std::string& key) {
  for (const OpenKey& k : kOpenKeys) {
    if (key == k.key) return true;
  }
  return false;
}

Result<Options> options_of(const edgetwin_option* options, size_t n) {
  EDGETWIN_TRY(require(options != nullptr || n == 0, "the options are NULL"));
  Options all;
  for (size_t i = 0; i < n; ++i) {
    EDGETWIN_TRY(require(options[i].key != nullptr && options[i].value != nullptr,
                         "the key or the value of an option is NULL"));
    all.emplace_back(options[i].key, options[i].value);
  }
  return all;
}

Result<OpenOptions> open_options(const Options& options) {
  OpenOptions open;
  for (const auto& [key, value] : options) {
    bool known = false;
    for (const OpenKey& k : kOpenKeys) {
      if (key != k.key) continue;
      k.set(open, value);
      known = true;
    }
    if (!known) return unknown_key(key, open_keys());
    if (key == "numerics" && !value.empty() && ops::find_numerics(value) == nullptr) {
      return ops::numerics_of_graphs(value).error();
    }
    if (key == "runtime") EDGETWIN_TRY(twin::runtime_version(value));
    if (key == "accumulators" && value != "wide" && value != "chip") {
      return bad_value(key, value, "chip or wide");
    }
  }
  return open;
}

Result<RunnerWish> runner_wish(const Options& options) {
  RunnerWish wish;
  for (const auto& [key, value] : options) {
    if (is_open_key(key)) {
      wish.open.emplace_back(key, value);
    } else {
      EDGETWIN_TRY(set_runner(key, value, wish.tensors));
    }
  }
  return wish;
}

}  // namespace edgetwin::c
