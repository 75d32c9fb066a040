#include "decode/espdl/decode.h"

#include <algorithm>
#include <array>

#include "decode/coco.h"
#include "decode/espdl/core/outputs.h"
#include "decode/espdl/detect/detect.h"
#include "decode/espdl/features/features.h"
#include "decode/espdl/signals/signals.h"
#include "decode/espdl/text/text.h"

namespace edgetwin::espdl_decode {
namespace {

enum class Names : uint8_t { none, own, coco, person, dictionary };

struct Decoder {
  std::string_view name;
  Result<Decoded> (*run)(std::span<const Tensor> outputs, const Params& params);
  Names names;
};

constexpr std::array kDecoders = {
#define ESPDL_DECODER(name, function, names, meaning) Decoder{name, function, Names::names},
#include "decode/espdl/decoders.def"
#undef ESPDL_DECODER
};

constexpr std::array<std::string_view, 4> kOfFiles = {"espdl-match", "espdl-motion", "espdl-color",
                                                      "espdl-fbank"};

Error missing_file(const std::string& member) {
  return Error(ErrorCode::bad_value, "'" + member + "' is missing: the name of a file")
      .in_field(member);
}

Result<Decoded> match_files(const Params& params, const LoadArray& load) {
  if (params.query.empty()) return missing_file("query");
  EDGETWIN_TRY_ASSIGN(Tensor query, load(params.query));
  query.name = params.query;
  std::vector<Tensor> database;
  for (const std::string& file : params.database) {
    EDGETWIN_TRY_ASSIGN(Tensor feature, load(file));
    feature.name = file;
    database.push_back(std::move(feature));
  }
  return match_features(query, database, params);
}

constexpr auto kCocoClasses = static_cast<int64_t>(decode::kCocoNames.size());

// Where the outputs have as many classes as COCO and no names were given.
bool has_coco_classes(std::span<const Tensor> outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [](const Tensor& t) {
    return t.shape.rank() > 0 && t.shape.back(0) == kCocoClasses;
  });
}

}  // namespace

std::vector<std::string> decoder_names() {
  std::vector<std::string> names;
  for (const Decoder& d : kDecoders) names.emplace_back(d.name);
  names.insert(names.end(), kOfFiles.begin(), kOfFiles.end());
  return names;
}

bool takes_files(std::string_view name) {
  return std::find(kOfFiles.begin(), kOfFiles.end(), name) != kOfFiles.end();
}

bool is_decoder(std::string_view name) {
  return takes_files(name) || std::any_of(kDecoders.begin(), kDecoders.end(),
                                          [name](const Decoder& d) { return d.name == name; });
}

Result<Decoded> decode(std::string_view decoder, std::span<const Tensor> outputs,
                       const Params& params, std::vector<std::string> names) {
  const auto found = std::find_if(kDecoders.begin(), kDecoders.end(),
                                  [decoder](const Decoder& d) { return d.name == decoder; });
  if (found == kDecoders.end()) {
    return Error(ErrorCode::usage,
                 "'" + std::string(decoder) + "' is not a decoder of a network's outputs");
  }
  Params told = params;
  if (!told.classes && found->run == decode_heads && !names.empty()) {
    told.classes = static_cast<int>(names.size());
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> turned, channels_last(outputs, params));
  if (!turned.empty()) outputs = turned;
  EDGETWIN_TRY_ASSIGN(Decoded decoded, found->run(outputs, told));
  if (!names.empty()) {
    decoded.names = std::move(names);
  } else if (found->names == Names::coco &&
             (decoded.classes_of_head == kCocoClasses ||
              (decoded.classes_of_head == 0 && has_coco_classes(outputs)))) {
    decoded.names.assign(decode::kCocoNames.begin(), decode::kCocoNames.end());
  } else if (found->names == Names::person) {
    decoded.names = {"person"};
  }
  if (found->names == Names::dictionary && !decoded.names.empty() &&
      decoded.names.size() != static_cast<size_t>(outputs[0].shape.back(0))) {
    return Error(ErrorCode::decode_maps, "the dictionary has " +
                                             std::to_string(decoded.names.size()) +
                                             " entries, the network has " +
                                             std::to_string(outputs[0].shape.back(0)) + " classes")
        .with_hint(
            "Give the dictionary of this model, one entry in each line, line 1 for class 0.");
  }
  return decoded;
}

Result<Decoded> decode_files(std::string_view decoder, const Params& params,
                             const LoadArray& load) {
  if (decoder == "espdl-match") return match_files(params, load);
  if (decoder == "espdl-motion") {
    if (params.first.empty()) return missing_file("first");
    if (params.second.empty()) return missing_file("second");
    EDGETWIN_TRY_ASSIGN(const Tensor first, load(params.first));
    EDGETWIN_TRY_ASSIGN(const Tensor second, load(params.second));
    return count_motion(first, second, params);
  }
  if (decoder == "espdl-color") {
    if (params.picture.empty()) return missing_file("picture");
    EDGETWIN_TRY_ASSIGN(const Tensor picture, load(params.picture));
    return find_colours(picture, params);
  }
  if (decoder == "espdl-fbank") {
    if (params.samples.empty()) return missing_file("samples");
    EDGETWIN_TRY_ASSIGN(const Tensor samples, load(params.samples));
    return speech_features(samples, params);
  }
  return Error(ErrorCode::usage,
               "'" + std::string(decoder) + "' is not a decoder of files that P.json names");
}

}  // namespace edgetwin::espdl_decode
