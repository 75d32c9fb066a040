#include "estimate/espdl/espdl.h"

#include "estimate/espdl/parts.h"
#include "estimate/numbers.h"

namespace edgetwin::estimates {
namespace {

using espdlparts::Work;

constexpr int64_t kCopyAlign = 16;
constexpr int64_t kXipProgram = 1024 * 1024;  // code and constants, assumed
constexpr double kLeastMhz = 10.0;

Error usage(std::string message, std::string hint) {
  return Error(ErrorCode::usage, std::move(message)).with_hint(std::move(hint));
}

Status choose_clock(const EspdlWishes& wishes, Work& w) {
  w.mhz = wishes.clock_mhz.value_or(w.model.mhz);
  if (w.mhz >= kLeastMhz && w.mhz <= w.model.mhz) return Ok{};
  return usage("--clock " + number_text(w.mhz) + " is out of range",
               std::string("The ") + (w.s3 ? "ESP32-S3" : "ESP32-P4") + " runs at 10 to " +
                   number_text(w.model.mhz) + " MHz.");
}

Status choose_words(const EspdlWishes& wishes, Work& w) {
  if (!wishes.runtime.empty() && wishes.runtime != "tree" && wishes.runtime != "current") {
    return usage("--runtime is tree or current, not '" + wishes.runtime + "'",
                 "tree: ESP-DL up to 3.3.9; current: the newest component pages.");
  }
  w.tree = wishes.runtime == "tree";
  if (!wishes.model_in.empty()) w.model_in = wishes.model_in;
  if (w.model_in != "flash" && w.model_in != "xip" && w.model_in != "sdcard") {
    return usage("--model-in is flash, xip or sdcard, not '" + w.model_in + "'",
                 "flash: a partition or constants; xip: constants moved to PSRAM.");
  }
  w.cores = wishes.cores.value_or(1);
  if (w.cores != 1 && w.cores != 2) return usage("--cores is 1 or 2", "Both chips have two cores.");
  w.internal = wishes.internal.value_or(0);
  if (w.internal < 0) return usage("--internal is negative", "Give a number of bytes.");
  if (wishes.reserve.value_or(0) < 0) return usage("--reserve is negative", "Give bytes.");
  w.reserve = wishes.reserve.value_or(w.model_in == "xip" ? kXipProgram : 0);
  return Ok{};
}

// Bytes of the parameters, and each rounded to 16 as copies are.
void count_parameters(Work& w, int64_t& rounded) {
  for (const espdl::TensorData& t : w.document->initializers) {
    const auto n = static_cast<int64_t>(t.data.size());
    w.parameters += n;
    rounded += (n + kCopyAlign - 1) / kCopyAlign * kCopyAlign;
  }
}

// The published classes leave parameters in flash where PSRAM would also have to hold the
// program and a picture; the same is done here where the user does not say.
bool leave_in_flash(const Work& w, int64_t copied) {
  // The first tensor that nodes read is the picture.
  const int64_t pictures = w.variables.all.empty() ? 0 : w.variables.all.front().elements;
  return w.plan.psram + copied + pictures + kXipProgram > w.board->psram;
}

void choose_copy(const EspdlWishes& wishes, Work& w) {
  int64_t rounded = 0;
  count_parameters(w, rounded);
  const bool always = w.edl_version < 2;
  if (w.model_in == "flash" && !w.encrypted) {
    w.copy = always || wishes.param_copy.value_or(!leave_in_flash(w, rounded));
    w.copied = w.copy ? rounded : 0;
  } else {
    // The file itself is in PSRAM.
    w.copy = true;
    w.copied = always ? rounded : 0;
  }
}

void describe(const Work& w, const EspdlWishes& wishes, Estimate& e) {
  const auto add = [&](const char* name, const std::string& value, bool user, const char* from) {
    e.assumptions.push_back({name, value, user ? "user" : from});
  };
  e.target = std::string(espdl::name(w.s3 ? espdl::Target::esp32s3 : espdl::Target::esp32p4));
  e.board = std::string(w.board->name);
  add("board", *e.board, !wishes.board.empty(), "default");
  add("clock_mhz", number_text(w.mhz), wishes.clock_mhz.has_value(), "default");
  add("runtime", w.tree ? "tree" : "current", !wishes.runtime.empty(), "default");
  add("cores", std::to_string(w.cores), wishes.cores.has_value(), "default");
  add("model_in", w.model_in, !wishes.model_in.empty(), "default");
  const bool chosen = wishes.param_copy.has_value() && w.model_in == "flash";
  add("param_copy", w.copy ? "yes" : "no", chosen, "model");
  add("max_internal_size", std::to_string(w.internal), wishes.internal.has_value(), "default");
  add("reserve", std::to_string(w.reserve), wishes.reserve.has_value(), "default");
  const bool s31 = w.board->time != 1.0;
  e.headline = (w.s3  ? "ESP32-S3"
                : s31 ? "ESP32-S31"
                      : "ESP32-P4") +
               std::string(" at ") + number_text(s31 ? w.mhz * 0.8 : w.mhz) + " MHz, " +
               e.board.value() + ", runtime " + (w.tree ? "of the tree" : "current");
  e.energy_reason = "no public energy figures of these chips with ESP-DL";
  e.not_modelled = {"pictures before and decoding after the network, camera, display, Wi-Fi",
                    "other settings of cache and PSRAM: a user saw twice the time"};
}

}  // namespace

Result<Estimate> estimate_espdl(const espdl::ModelFile& model, int64_t file_bytes,
                                espdl::Target target, const EspdlWishes& wishes) {
  if (target == espdl::Target::c) {
    return usage("no time is known for chips without a vector unit",
                 "Estimate for the ESP32-S3 or ESP32-P4.");
  }
  Work w;
  w.document = &model.document;
  w.edl_version = model.edl_version;
  w.encrypted = model.encrypted;
  w.file_bytes = file_bytes;
  w.s3 = target == espdl::Target::esp32s3;
  EDGETWIN_TRY_ASSIGN(w.board, find_board(wishes.board, target));
  EDGETWIN_TRY(choose_words(wishes, w));
  EDGETWIN_TRY_ASSIGN(w.variables, variables_of(model.document));
  w.plan = plan_activations(model.document, w.variables, w.internal);
  choose_copy(wishes, w);
  // The current runtime does not fetch weights for each pixel: its published times of networks
  // whose parameters stay in flash want no term for them. The user's wish is priced as the tree's.
  const bool wished = wishes.param_copy.has_value() && !*wishes.param_copy;
  w.model = espdl_model(w.s3, w.tree, !w.copy && (w.tree || wished));
  EDGETWIN_TRY(choose_clock(wishes, w));
  w.nodes = features_of(model.document, w.variables, w.plan, w.s3);
  Estimate e;
  describe(w, wishes, e);
  espdlparts::add_time(w, e);
  espdlparts::add_memory(w, e);
  espdlparts::add_hints(w, e);
  return e;
}

}  // namespace edgetwin::estimates
