// What a network's outputs mean: `run --decode`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run/arguments.h"
#include "cli/run/labels.h"
#include "decode/detection.h"
#include "decode/pose.h"
#include "decode/segmentation.h"
#include "exec/session.h"
#include "image/resize.h"
#include "report/json.h"
#include "twin/compute.h"

namespace edgetwin::cli {

enum class DecodedKind : unsigned char { boxes, people, segments, classes };

struct Segments {
  decode::ClassMap map;
  std::vector<std::string> names;  // of the classes; numbers where absent
};

struct Decoded {
  DecodedKind kind = DecodedKind::boxes;
  std::vector<decode::Detection> boxes;
  std::vector<decode::Person> people;
  std::optional<Segments> segments;
  std::vector<Ranked> classes;
  std::string png;  // file of the picture with the result; empty: none is wanted
  Bytes picture;    // its content
};

// The names of decoders.def, separated by commas.
std::string decoder_names();

// How a picture becomes the input of the network that this decoder is for; by nearest neighbour
// where there is none.
Resize resize_for(const std::string& decoder);

// Gives the maps before a pose decoder that the twin does not compute whole (BodyPix has more
// operands than are known) in place of its outputs. `options` are the decoder's.
twin::LoadedModel with_maps(const twin::LoadedModel& loaded, const std::string& decoder,
                            std::optional<PosenetAttrs>& options);

// Of `run --decode NAME [--draw FILE]`. Positions are in pixels of the picture that was given, or
// of the network's input. Errors: usage for another decoder, decode_maps, decode_options,
// image_decode.
Result<Decoded> decode_outputs(const RunArguments& arguments, const exec::Session& session,
                               const twin::LoadedInputs& inputs, const Labels& labels,
                               const std::optional<PosenetAttrs>& pose_options);

// "detections", "people", "segments" or "classes": the member of documents, and with ".json" the
// file beside the outputs.
std::string member_of(const Decoded& decoded);
// The lines that a picture of classes gets.
std::vector<std::string> class_lines(const Decoded& decoded);
report::Json to_json(const Decoded& decoded);
std::string to_text(const Decoded& decoded);

}  // namespace edgetwin::cli
