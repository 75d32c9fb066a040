// A picture's way through the networks as cases of the application for the chip.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "decode/espdl/detect/defaults.h"
#include "decode/espdl/text/text.h"
#include "image/image.h"
#include "targets/espdl/firmware/vision_source.h"
#include "tensor/npy.h"
#include "twin/firmware/espdl_firmware.h"
#include "twin/firmware/picture_results.h"
#include "twin/vision/chain.h"

namespace edgetwin::twin {
namespace {

using targets::espdl::FirmwareCase;
using targets::espdl::FirmwareVision;

constexpr size_t kMostPictureName = 40, kMostStageName = 36;

// Below every number: classifiers keep all.
constexpr float kNoScore = -3.0e38F;

OpenOptions open_of(const ComputeOptions& c) {
  OpenOptions o;
  o.target = c.target;
  o.numerics = c.numerics;
  o.member = c.model;
  o.key = c.key;
  o.runtime = c.runtime;
  o.wide = c.wide;
  return o;
}

RunnerOptions runner_of(const ComputeOptions& c) {
  RunnerOptions o;
  o.where = Where::twin;
  o.threads = c.threads;
  o.plain = c.plain;
  o.isa = c.isa;
  o.allow_undefined = c.allow_undefined;
  return o;
}

// One level as r = g = b.
Result<Tensor> in_colour(const Tensor& pixels, const std::string& file) {
  const bool form = pixels.dtype == DType::uint8 && pixels.shape.rank() == 3;
  if (form && pixels.shape[2] == 3) return pixels;
  if (!form || pixels.shape[2] != 1) {
    return Error(ErrorCode::input_shape, "the picture is " + to_string(pixels.shape) + " " +
                                             std::string(name(pixels.dtype)) +
                                             ", not uint8 of rows, columns and r, g, b")
        .in_file(file);
  }
  EDGETWIN_TRY_ASSIGN(Tensor colour,
                      Tensor::zeros(DType::uint8, {pixels.shape[0], pixels.shape[1], 3}));
  const auto from = pixels.as<uint8_t>();
  for (size_t i = 0; i < colour.as<uint8_t>().size(); ++i) colour.as<uint8_t>()[i] = from[i / 3];
  return colour;
}

bool is_jpeg(const Bytes& data) {
  return data.size() > 2 && data[0] == std::byte{0xFF} && data[1] == std::byte{0xD8};
}

Result<targets::espdl::FirmwarePicture> read_picture(const std::string& file,
                                                     std::vector<Finding>& findings) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(file));
  auto pixels = looks_like_image(data) ? decode_image(data, file) : read_npy(data, file);
  if (!pixels.ok()) return std::move(pixels).error();
  targets::espdl::FirmwarePicture picture;
  picture.name = firmware_case_name(file).substr(0, kMostPictureName);
  const bool grey = pixels->shape.rank() == 3 && pixels->shape[2] == 1;
  EDGETWIN_TRY_ASSIGN(picture.pixels, in_colour(*pixels, file));
  if (!is_jpeg(data)) return picture;
  if (grey) {
    findings.push_back({Severity::note, "", file,
                        "the chip does not decode JPEG files without colour: it gets the pixels",
                        ""});
    return picture;
  }
  findings.push_back(
      {Severity::note, "", file,
       "the chip's JPEG decoder is closed and may differ: the check 'picture' shows by how much, "
       "and all other stages see the pixels that were decoded here",
       ""});
  picture.jpeg = std::move(data);
  return picture;
}

bool is_of_texts(const std::string& decoder) {
  return decoder == "espdl-ocr-det" || decoder == "espdl-ocr-rec";
}

// What the chip's own preparation of pictures does not know.
Status check_picture_of(const RunDetail& detail, const std::string& decoder,
                        const std::string& target, const std::string& file) {
  const espdl_image::Params& p = detail.picture;
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorCode::usage, "firmware does not write " + what).in_file(file);
  };
  const bool texts = p.pipeline != espdl_image::Pipeline::transform;
  if (texts != is_of_texts(decoder)) {
    return refuse("a 'pipeline' other than that of the decoder, " + decoder);
  }
  if (p.source != espdl_image::PixelType::rgb888) return refuse("pictures of another 'source'");
  if (p.border || p.affine) return refuse("a 'border' or a map ('affine') of pictures");
  if (!texts && p.mean.size() != 3) return refuse("networks of one channel");
  if (espdl_image::chip_from_name(target) != p.chip) {
    return refuse("a 'chip' other than the model's, " + target);
  }
  const float smallest = detail.decoder.min_size.value_or(espdl_decode::kTextMap.min_size);
  if (smallest != std::floor(smallest)) return refuse("a 'min_size' that is not whole");
  return Ok{};
}

FirmwareVision vision_of(const RunDetail& detail, const std::string& decoder) {
  const espdl_image::Params& p = detail.picture;
  FirmwareVision v;
  v.decoder = decoder;
  v.mean = p.mean;
  v.std = p.std;
  v.swapped = p.target == espdl_image::PixelType::bgr888_qint8 ||
              p.target == espdl_image::PixelType::bgr888_qint16;
  if (p.letterbox) v.border = p.background.empty() ? std::vector<uint8_t>(3, 0) : p.background;
  if (p.crop) v.part = {p.crop->x1, p.crop->y1, p.crop->x2, p.crop->y2};
  if (p.landmarks) v.part.assign(p.landmarks->begin(), p.landmarks->end());
  if (p.box) v.part.assign(p.box->begin(), p.box->end());
  if (is_of_texts(decoder)) {
    v.mean.clear();
    v.std.clear();
    v.score = detail.decoder.threshold.value_or(espdl_decode::kTextMap.threshold);
    v.overlap = detail.decoder.box_threshold.value_or(espdl_decode::kTextMap.box_threshold);
    v.unclip = detail.decoder.unclip_ratio.value_or(espdl_decode::kTextMap.unclip_ratio);
    v.smallest =
        static_cast<int>(detail.decoder.min_size.value_or(espdl_decode::kTextMap.min_size));
    return v;
  }
  const bool best = decoder == "espdl-gesture";
  const auto usual = espdl_decode::defaults_of(decoder).value_or(
      espdl_decode::Defaults{kNoScore, 0, best ? 1 : 5});
  v.score = detail.decoder.score_threshold.value_or(usual.score);
  v.overlap = detail.decoder.nms_threshold.value_or(usual.nms);
  v.most = detail.decoder.top_k.value_or(usual.most);
  return v;
}

Result<VisionOptions> stages_of_models(const FirmwareParts& parts) {
  VisionOptions options;
  options.params = parts.params;
  for (size_t i = 0; i < parts.models.size(); ++i) {
    const std::string& decoder = parts.decoders[i];
    if (!targets::espdl::has_post_processor(decoder)) {
      return Error(ErrorCode::usage, "the application has no post-processor for " + decoder)
          .in_file(parts.models[i])
          .with_hint("Name one that it has: " + targets::espdl::post_processor_names() +
                     ". Or check the network alone: -i INPUT.npy without --with-picture.");
    }
    options.stages.push_back(
        {parts.models[i], open_of(parts.compute), runner_of(parts.compute), decoder});
  }
  if (parts.labels.empty()) return options;
  const std::string& last = parts.decoders.back();
  if (last != "espdl-imagenet" && last != "espdl-gesture" && last != "espdl-ocr-rec") {
    return Error(ErrorCode::usage,
                 "--labels changes nothing for " + last + ": what the chip finds has no names")
        .with_hint("Leave it out.");
  }
  EDGETWIN_TRY_ASSIGN(options.stages.back().names, read_names(last, parts.labels));
  return options;
}

// What the chip says in words is compared only where somebody says what it must be.
void report_words(const FirmwareParts& parts, std::vector<Finding>& findings) {
  const std::string& last = parts.decoders.back();
  if (!parts.labels.empty() || (last != "espdl-imagenet" && last != "espdl-ocr-rec")) return;
  const bool texts = last == "espdl-ocr-rec";
  findings.push_back(
      {Severity::note, "", parts.models.back(),
       texts ? "scores of texts are compared, not what they say"
             : "scores are compared, not the names of the classes",
       texts ? "Give the model's dictionary with --labels." : "Give the names with --labels."});
}

// Two networks may have one file name, in two folders.
std::vector<std::string> names_of_stages(const std::vector<LoadedModel>& models) {
  std::vector<std::string> names;
  for (const LoadedModel& m : models) {
    std::string name = firmware_case_name(m.file);
    const bool taken = std::ranges::count(names, name) > 0;
    if (taken) name = name.substr(0, kMostStageName) + "." + std::to_string(names.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

// The first look of a network carries its model.
void share_model(std::vector<FirmwareCase>& cases, FirmwareCase& one, const std::string& stem) {
  const auto same = [&](const FirmwareCase& c) { return c.name == stem; };
  const auto looks = std::ranges::count_if(
      cases, [&](const FirmwareCase& c) { return c.name == stem || c.model_of == stem; });
  one.name = looks == 0 ? stem : stem + "-" + std::to_string(looks + 1);
  if (std::ranges::none_of(cases, same)) return;
  one.model_of = stem;
  one.model_file.clear();
}

}  // namespace

Result<PictureCases> picture_cases(const FirmwareParts& parts,
                                   const std::vector<LoadedModel>& models,
                                   std::vector<Finding>& findings) {
  if (parts.decoders.size() != models.size()) {
    return Error(ErrorCode::usage, std::to_string(parts.decoders.size()) + " decoders for " +
                                       std::to_string(models.size()) + " networks")
        .with_hint("A picture needs one decoder for each network, in their order.");
  }
  EDGETWIN_TRY_ASSIGN(const VisionOptions options, stages_of_models(parts));
  PictureCases made;
  EDGETWIN_TRY_ASSIGN(made.picture, read_picture(parts.picture, findings));
  report_words(parts, findings);
  EDGETWIN_TRY_ASSIGN(std::vector<Stage> stages, open_stages(options));
  EDGETWIN_TRY_ASSIGN(const Seen seen, run_stages(stages, made.picture.pixels));
  findings.insert(findings.end(), seen.findings.begin(), seen.findings.end());
  std::vector<exec::Session> sessions;
  const std::vector<std::string> names = names_of_stages(models);
  for (const LoadedModel& m : models) {
    EDGETWIN_TRY_ASSIGN(exec::Session session, plan(m, parts.compute, true));
    sessions.push_back(std::move(session));
  }
  for (size_t i = 0; i < seen.runs.size(); ++i) {
    const size_t stage = seen.runs[i].stage;
    const LoadedModel& model = models[stage];
    const std::string& decoder = parts.decoders[stage];
    EDGETWIN_TRY(check_picture_of(seen.details[i], decoder, model.target, model.file));
    std::vector<Finding> noticed;
    EDGETWIN_TRY_ASSIGN(FirmwareCase one,
                        firmware_case(model, {seen.runs[i].input}, sessions[stage], noticed));
    share_model(made.cases, one, names[stage]);
    one.vision = vision_of(seen.details[i], decoder);
    const bool last = i + 1 == seen.runs.size() || seen.runs[i + 1].stage != stage;
    if (decoder != "espdl-mnp" || last)
      one.vision->results = picture_results(seen.details[i].found);
    if (one.model_of.empty()) findings.insert(findings.end(), noticed.begin(), noticed.end());
    made.cases.push_back(std::move(one));
  }
  for (size_t stage = 0; stage < models.size(); ++stage) {
    const auto of_stage = [&](const VisionRun& r) { return r.stage == stage; };
    if (std::ranges::any_of(seen.runs, of_stage)) continue;
    findings.push_back({Severity::warning, "", models[stage].file,
                        "the network before it found nothing in this picture: it is not in the "
                        "application",
                        "Give a picture in which something is found."});
  }
  return made;
}

}  // namespace edgetwin::twin

namespace edgetwin {

std::vector<std::string> firmware_decoders() { return targets::espdl::post_processors(); }

}  // namespace edgetwin
