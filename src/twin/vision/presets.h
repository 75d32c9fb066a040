// What a stage is told: the values of the published model, then those that the user gives.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "decode/espdl/core/params.h"
#include "edgetwin/runner.h"
#include "image/espdl/params.h"

namespace edgetwin::twin {

// Members of P.json by whom they are for.
struct StageParams {
  Json picture = Json::object();
  Json decoder = Json::object();
};

// How an input takes a picture. Networks that were not quantized for ESP-DL have float32, or
// integers with a scale and a zero point, and in ONNX channels before rows.
struct PictureInput {
  int64_t rows = 0, columns = 0, channels = 0;
  bool channels_first = false;
  bool of_chip = false;  // int8 or int16 with an exponent, channels last
};
// Error: input_shape.
Result<PictureInput> picture_input_of(const Port& port);

// One per stage. Errors: bad_value for another form, and for more objects than stages.
Result<std::vector<StageParams>> split_params(const std::string& text, size_t stages);

// `own`: members that the stage before sets, over all others. `channels` of the input.
Result<espdl_image::Params> picture_params(const std::string& decoder, const Port& port,
                                           const std::string& numerics, const StageParams& given,
                                           const Json& own);

// Of the decoder: sizes, letterbox, crop and chip are those of the picture.
Result<espdl_decode::Params> decoder_params(const StageParams& given, const Port& port,
                                            const Tensor& pixels,
                                            const espdl_image::Params& picture);

// Features of faces are taken of aligned faces, those of persons of their box.
bool is_face_input(const Port& port);

}  // namespace edgetwin::twin
