// What a network's outputs mean: classes, boxes, people, a class for every pixel. docs/decode.md
// has the decoders and where each is known from.
//
//   options.decoder = "classify";               // RunnerOptions, then DecodeOptions
//   const auto decoded = decode_outputs(*run, **runner, *inputs, decode_options);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/detection.h"
#include "decode/pose.h"
#include "decode/segmentation.h"
#include "edgetwin/export.h"
#include "edgetwin/inputs.h"
#include "edgetwin/runner.h"

namespace edgetwin {

enum class Meaning : uint8_t { boxes, people, segments, classes };

struct DecoderInfo {
  std::string_view name;  // "classify"
  Meaning meaning{};
  PictureOptions::Resize resize{};  // what the network's reference does to pictures
  std::string_view summary;         // for people
};

// All decoders, by name. They live as long as the program.
EDGETWIN_API std::span<const DecoderInfo> all_decoders();
// Null: there is none of that name.
EDGETWIN_API const DecoderInfo* find_decoder(std::string_view name);

// Names of classes, by index.
using Labels = std::vector<std::string>;

// One label per line. Where every line that is not empty starts with a number and a blank, the
// number is the index. Errors: file_*, bad_value.
EDGETWIN_API Result<Labels> read_labels(const std::string& file);

struct RankedClass {
  int64_t index = 0;
  double score = 0.0;  // in real numbers, where the tensor is quantized
  std::string label;   // empty where the labels have none
};

// True where all elements are along the channels, and there are at least two.
EDGETWIN_API bool is_classification(const Tensor& tensor);
// Of such a tensor: the best `count`, ties by lower index.
EDGETWIN_API std::vector<RankedClass> best_classes(const Tensor& tensor, const Labels& labels,
                                                   size_t count);

struct DecodeOptions {
  std::string decoder;              // a name of all_decoders()
  std::optional<double> threshold;  // results of a lower score are left out; none: the decoder's
  Labels labels;
  bool draw = false;  // Decoded::png
};

struct Segments {
  decode::ClassMap map;
  Labels names;  // of the classes; numbers where absent
};

// Positions are in pixels of the picture that was given, or of the network's input.
struct Decoded {
  Meaning meaning = Meaning::boxes;
  std::vector<decode::Detection> boxes;
  std::vector<decode::Person> people;
  std::optional<Segments> segments;
  std::vector<RankedClass> classes;
  Bytes png;  // the picture with the result drawn on it
};

// `run` and `inputs` are of `runner`, which was made with RunnerOptions::decoder. Errors: usage for
// another decoder, decode_maps where the outputs are not those of such a network, decode_options,
// image_decode.
EDGETWIN_API Result<Decoded> decode_outputs(const Run& run, const Runner& runner,
                                            const Inputs& inputs, const DecodeOptions& options);

}  // namespace edgetwin
