// Verbs that make networks and pages.
#include <algorithm>

#include "base/file.h"
#include "c/network.h"
#include "c/options.h"
#include "c/verb.h"
#include "edgetwin/target.h"
#include "tensor/npy.h"

namespace edgetwin::c {
namespace {

using Document = Result<std::unique_ptr<edgetwin_document>>;

// A sample per row.
Result<Tensor> stacked(const std::vector<Tensor>& samples) {
  Tensor all = samples.front();
  const Shape& one = samples.front().shape;
  // A leading axis of 1 is the batch, and samples are its rows.
  const bool batch = one.rank() > 0 && one[0] == 1;
  Shape shape;
  shape.push_back(static_cast<int64_t>(samples.size()));
  for (int d = batch ? 1 : 0; d < one.rank(); ++d) shape.push_back(one[d]);
  all.shape = shape;
  all.data.clear();
  for (const Tensor& t : samples) all.data.insert(all.data.end(), t.data.begin(), t.data.end());
  return all;
}

// Samples as files; the options that name them.
Result<Options> calibration(const edgetwin_samples* samples, const ScratchFolder& folder) {
  Options options;
  if (samples == nullptr) return options;
  for (size_t i = 0; i < samples->names.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const Tensor all, stacked(samples->tensors.at(samples->names[i])));
    EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(all));
    const std::string path = (folder.path() / ("samples_" + std::to_string(i) + ".npy")).string();
    EDGETWIN_TRY(write_file(path, ByteSpan(npy), Overwrite::yes));
    const std::string& name = samples->names[i];
    options.emplace_back("calibrate", name.empty() ? path : name + "=" + path);
  }
  return options;
}

std::string value_of(const Options& options, const std::string& key) {
  for (const auto& [k, v] : options) {
    if (k == key) return v;
  }
  return "";
}

// The first file of a document that is a network.
Status open_made(const edgetwin_document& document, const Options& given, edgetwin_network** made) {
  if (made == nullptr) return Ok{};
  for (const char* ending : {".espdl", ".tflite", ".yaml"}) {
    for (const auto& [name, bytes] : document.files) {
      if (!name.ends_with(ending)) continue;
      Options open;
      const std::string target = value_of(given, "target");
      const std::string_view kind(ending);
      if (kind == ".espdl" && !target.empty()) open.emplace_back("target", target);
      if (kind == ".yaml") return Ok{};  // needs its checkpoint, which is a file of its own
      EDGETWIN_TRY_ASSIGN(auto network, open_bytes(bytes, name, false, open));
      *made = give(std::move(network));
      return Ok{};
    }
  }
  return Ok{};
}

// Where the verb's result goes: below a folder of results.
struct Workplace {
  ScratchFolder folder;
  std::filesystem::path results;
};
Result<Workplace> workplace() {
  EDGETWIN_TRY_ASSIGN(ScratchFolder folder, ScratchFolder::make());
  const std::filesystem::path results = folder.path() / kResults;
  std::error_code failed;
  std::filesystem::create_directory(results, failed);
  if (failed) return Error(ErrorCode::file_write, failed.message()).in_file(results.string());
  return Workplace{std::move(folder), results};
}

std::string stem(const NetworkState& network) {
  const std::string s = std::filesystem::path(network.name).stem().string();
  return s.empty() ? "network" : s;
}

std::string ending_for(const std::string& target) {
  const Target* t = find_target(target);
  if (t != nullptr && t->family == Family::espdl) return ".espdl";
  return t != nullptr && t->family == Family::max78 ? ".pth.tar" : ".tflite";
}

Document make(const std::string& verb, const NetworkState& network, Options given,
              const std::string& result, const Workplace& at, edgetwin_network** made) {
  EDGETWIN_TRY_ASSIGN(const std::string file, file_of(network, at.folder));
  const Options wanted = given;
  given.emplace_back("output", (at.results / result).string());
  EDGETWIN_TRY_ASSIGN(auto document, run_verb({verb, file}, with_open_options(verb, network, given),
                                              at.folder.path()));
  EDGETWIN_TRY(open_made(*document, wanted, made));
  return document;
}

}  // namespace
}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_quantize(const edgetwin_network* network,
                                          const edgetwin_samples* samples,
                                          const edgetwin_option* options, size_t n,
                                          edgetwin_network** made, edgetwin_document** out,
                                          edgetwin_error** error) {
  if (made != nullptr) *made = nullptr;
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    if (samples != nullptr) EDGETWIN_TRY(require_handle(samples, "the samples were freed"));
    EDGETWIN_TRY_ASSIGN(Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(const Workplace at, workplace());
    EDGETWIN_TRY_ASSIGN(const Options files, calibration(samples, at.folder));
    given.insert(given.end(), files.begin(), files.end());
    const std::string result = stem(*network->state) + ending_for(value_of(given, "target"));
    return make("quantize", *network->state, std::move(given), result, at, made);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_compile(const edgetwin_network* network,
                                         const edgetwin_option* options, size_t n,
                                         edgetwin_network** made, edgetwin_document** out,
                                         edgetwin_error** error) {
  if (made != nullptr) *made = nullptr;
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(const Workplace at, workplace());
    const Target* target = find_target(value_of(given, "target"));
    if (target != nullptr && target->family == Family::edgetpu) {
      const std::string result = stem(*network->state) + "_edgetpu.tflite";
      return make("compile", *network->state, std::move(given), result, at, made);
    }
    return make("compile", *network->state, std::move(given), "project", at, made);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_decompile(const edgetwin_network* network,
                                           const edgetwin_option* options, size_t n,
                                           edgetwin_network** made, edgetwin_document** out,
                                           edgetwin_error** error) {
  if (made != nullptr) *made = nullptr;
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(const Workplace at, workplace());
    const std::string result = stem(*network->state) + "_network.tflite";
    return make("decompile", *network->state, std::move(given), result, at, made);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_report(edgetwin_runner* runner, const edgetwin_option* options,
                                        size_t n, edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(const Workplace at, workplace());
    for (const int32_t i : runner->tensors.inputs()) {
      EDGETWIN_TRY_ASSIGN(const Tensors::Memory memory, runner->tensors.memory(i));
      EDGETWIN_TRY_ASSIGN(const TensorRow* row, runner->tensors.row(i));
      const Tensor t{"", row->dtype, row->shape, {}, to_bytes(ByteSpan(memory.bytes))};
      EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(t));
      const std::string path =
          (at.folder.path() / ("input_" + std::to_string(i) + ".npy")).string();
      EDGETWIN_TRY(write_file(path, ByteSpan(npy), Overwrite::yes));
      given.emplace_back("input", path);
    }
    return make("report", *runner->network, std::move(given), "page.html", at, nullptr);
  });
}

}  // extern "C"
