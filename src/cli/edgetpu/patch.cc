#include <cstdlib>
#include <cstring>
#include <map>

#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/edgetpu.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

struct Word {
  std::string layer, value;
};

// The last '=' parts the two, as names of tensors may hold some.
Result<Word> split(const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return Error(ErrorCode::usage, "'" + text + "' is not LAYER=FILE");
  }
  return Word{text.substr(0, at), text.substr(at + 1)};
}

Result<Tensor> load_array(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return read_npy(data, file);
}

Result<Tensor> scale_of(const std::string& word) {
  char* end = nullptr;
  const float number = std::strtof(word.c_str(), &end);
  if (end == nullptr || *end != 0) return load_array(word);
  Tensor t;
  t.dtype = DType::float32;
  t.shape = {1};
  t.data.resize(sizeof number);
  std::memcpy(t.data.data(), &number, sizeof number);
  return t;
}

class Patches {
 public:
  Status add(const std::vector<std::string>& words, std::optional<Tensor> LayerPatch::*member,
             Result<Tensor> (*load)(const std::string&)) {
    for (const std::string& text : words) {
      EDGETWIN_TRY_ASSIGN(const Word word, split(text));
      LayerPatch& patch = of(word.layer);
      if (patch.*member) {
        return Error(ErrorCode::usage, "layer '" + word.layer + "' was given twice");
      }
      EDGETWIN_TRY_ASSIGN(patch.*member, load(word.value));
    }
    return Ok{};
  }
  std::vector<LayerPatch> list;

 private:
  LayerPatch& of(const std::string& layer) {
    for (LayerPatch& p : list) {
      if (p.layer == layer) return p;
    }
    list.push_back({layer, {}, {}, {}});
    return list.back();
  }
};

std::string done_text(const LayerPatched& l) {
  std::string text = "patched  " + l.layer + ": " + std::to_string(l.changed) + " of " +
                     std::to_string(l.bytes) + " bytes changed";
  if (l.new_scales) text += ", new scales";
  if (l.new_bias) text += ", new bias";
  if (l.rescaled_bias) text += ", bias counted in the new scales";
  if (l.instructions > 0) {
    text += ", multiplier in " + std::to_string(l.instructions) + " instructions";
  }
  return text + "\n";
}

}  // namespace

Result<int> execute(const PatchArguments& a, Console& console) {
  Patches patches;
  EDGETWIN_TRY(patches.add(a.weights, &LayerPatch::weights, load_array));
  EDGETWIN_TRY(patches.add(a.bias, &LayerPatch::bias, load_array));
  EDGETWIN_TRY(patches.add(a.scale, &LayerPatch::scales, scale_of));
  if (a.align_adds) {
    if (patches.list.empty() && a.reference.empty()) return align_additions(a, console);
    return Error(ErrorCode::usage, "--align-adds is for .espdl files and has no other options");
  }
  if (patches.list.empty()) {
    return Error(ErrorCode::usage, "nothing to change was given")
        .with_hint(
            "Give --weights, --bias or --scale; edgetwin patch --help ends with an example.");
  }
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const PatchedModel patched, patch(a.model, a.reference, patches.list));
  for (const Finding& f : patched.findings) console.finding(f);
  EDGETWIN_TRY(a.output.write(patched.file));
  Json layers = Json::array();
  for (const LayerPatched& l : patched.layers) {
    console.print(done_text(l));
    if (l.limited > 0) {
      console.finding({Severity::warning, "", l.layer,
                       std::to_string(l.limited) + " weights are beyond the range of their scale",
                       "Give a larger --scale."});
    }
    Json j = Json::object();
    j.set("layer", l.layer).set("changed", l.changed).set("bytes", l.bytes);
    j.set("instructions", l.instructions).set("limited", l.limited);
    layers.push(j.set("new_scales", l.new_scales).set("new_bias", l.new_bias));
  }
  console.print("wrote    " + a.output.path + ", " + std::to_string(patched.file.size()) +
                " bytes; read again and checked\n");
  console.json().set("output", a.output.path).set("layers", std::move(layers));
  return kYes;
}

}  // namespace edgetwin::cli
