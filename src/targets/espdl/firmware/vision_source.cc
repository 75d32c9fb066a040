#include "targets/espdl/firmware/vision_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "targets/espdl/firmware/golden_format.h"

namespace edgetwin::targets::espdl {
namespace {

struct PostProcessor {
  std::string_view decoder, header, make;
  int scores, corners;
};

constexpr std::array kPostProcessors = {
#define POST_PROCESSOR(decoder, header, make, scores, corners) \
  PostProcessor{decoder, header, make, scores, corners},
#include "targets/espdl/firmware/post_processors.def"
#undef POST_PROCESSOR
};

constexpr size_t kBoxNumbers = 4, kTextNumbers = 8, kFaceNumbers = 10;
constexpr std::string_view kTexts = "texts.hpp";
constexpr size_t kChannels = 3;

const PostProcessor* find_processor(std::string_view decoder) {
  const auto found = std::ranges::find(kPostProcessors, decoder, &PostProcessor::decoder);
  return found == kPostProcessors.end() ? nullptr : &*found;
}

bool is_of_texts(std::string_view decoder) {
  const PostProcessor* found = find_processor(decoder);
  return found != nullptr && found->header == kTexts;
}

// As C++ writes a float: "0.25F", "255.0F".
std::string float_text(float value) {
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "F";
}

template <class T, class Text>
std::string list_text(const std::vector<T>& values, Text&& text_of) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return "{" + text + "}";
}

void put_in(std::string& text, std::string_view mark, const std::string& value) {
  const size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), value);
}

// Cases with the same model and decoder, one after the other, are one network.
std::vector<size_t> stages_of_cases(const std::vector<FirmwareCase>& cases,
                                    const std::vector<PlacedCase>& placed) {
  std::vector<size_t> stages;
  for (size_t i = 0; i < cases.size(); ++i) {
    const bool same = i > 0 && placed[i].model == placed[i - 1].model &&
                      cases[i].vision->decoder == cases[i - 1].vision->decoder;
    stages.push_back(i == 0 ? 0 : stages.back() + (same ? 0 : 1));
  }
  return stages;
}

// How the picture is brought in.
std::string picture_eyes(const FirmwareVision& v) {
  const std::string numbers = list_text(v.mean, float_text) + ", " + list_text(v.std, float_text) +
                              (v.swapped ? ", true" : ", false");
  const bool face = v.part.size() == kFaceNumbers;
  std::string text =
      face ? "    eyes.face.reset(new dl::image::FeatImagePreprocessor(model, " + numbers + "));\n"
           : "    eyes.picture.reset(new dl::image::ImagePreprocessor(model, " + numbers + "));\n";
  if (!v.border.empty()) {
    const auto number = [](uint8_t value) { return std::to_string(value); };
    text += "    eyes.picture->enable_letterbox(" + list_text(v.border, number) + ");\n";
  }
  return text;
}

std::string eyes_text(const FirmwareVision& v, size_t stage) {
  std::string text = "  if (stage == " + std::to_string(stage) + ") {\n";
  if (!is_of_texts(v.decoder)) text += picture_eyes(v);
  std::string make(find_processor(v.decoder)->make);
  put_in(make, "@SCORE@", float_text(v.score));
  put_in(make, "@OVERLAP@", float_text(v.overlap));
  put_in(make, "@MOST@", std::to_string(v.most));
  put_in(make, "@UNCLIP@", float_text(v.unclip));
  put_in(make, "@SMALLEST@", std::to_string(v.smallest));
  put_in(make, "@SEE@", "eyes.picture.get()");
  return text + "    eyes.post = " + make + ";\n  }\n";
}

std::string slack_text(std::string_view decoder) {
  const PostProcessor& p = *find_processor(decoder);
  return std::to_string(p.scores) + ", " + std::to_string(p.corners);
}

std::string looks_text(const std::vector<FirmwareCase>& cases,
                       const std::vector<PlacedCase>& placed, const std::vector<size_t>& stages) {
  std::string text = "const Look kLooks[] = {\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string result = "edgetwin_case_" + std::to_string(i) + "_result";
    const auto number = [](int value) { return std::to_string(value); };
    text += "    {" + std::to_string(stages[i]) + ", " + list_text(cases[i].vision->part, number) +
            ", " + (placed[i].has_result ? result + ", " + result + "_end" : "nullptr, nullptr") +
            ", " + slack_text(cases[i].vision->decoder) + "},\n";
  }
  return text + "};\n";
}

std::string hexadecimal(uint32_t value) {
  std::array<char, 9> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string picture_text(const FirmwarePicture& picture) {
  const bool jpeg = !picture.jpeg.empty();
  const auto& pixels = picture.pixels;
  return "const Picture kPicture = {\"" + picture.name + "\", " +
         (jpeg ? "edgetwin_jpeg, edgetwin_jpeg_end" : "nullptr, nullptr") +
         ",\n                          edgetwin_pixels, edgetwin_pixels_end, " +
         hexadecimal(edgetwin_golden::crc32(pixels.data.data(), pixels.data.size())) + ", " +
         std::to_string(pixels.shape[1]) + ", " + std::to_string(pixels.shape[0]) + "};\n";
}

std::string externs_text(const FirmwarePicture& picture, const std::vector<PlacedCase>& placed) {
  std::vector<std::string> names = {"edgetwin_pixels"};
  if (!picture.jpeg.empty()) names.emplace_back("edgetwin_jpeg");
  for (size_t i = 0; i < placed.size(); ++i) {
    if (placed[i].has_result) names.push_back("edgetwin_case_" + std::to_string(i) + "_result");
  }
  std::string text = "extern \"C\" {\n";
  for (const std::string& n : names) {
    text += "extern const uint8_t " + n + "[];\nextern const uint8_t " + n + "_end[];\n";
  }
  return text + "}\n";
}

}  // namespace

std::vector<std::string> own_parts(const std::vector<FirmwareCase>& cases) {
  std::vector<std::string> parts;
  for (const std::string part : {"texts", "yolo26"}) {
    const auto uses = [&part](const FirmwareCase& c) {
      return c.vision && find_processor(c.vision->decoder)->header == part + ".hpp";
    };
    if (std::ranges::any_of(cases, uses)) parts.push_back(part);
  }
  return parts;
}

bool has_post_processor(std::string_view decoder) { return find_processor(decoder) != nullptr; }

std::vector<std::string> post_processors() {
  std::vector<std::string> names;
  for (const PostProcessor& p : kPostProcessors) names.emplace_back(p.decoder);
  return names;
}

std::string post_processor_names() {
  std::string names;
  for (const std::string& n : post_processors()) names += (names.empty() ? "" : ", ") + n;
  return names;
}

Status check_vision(const FirmwareCase& one) {
  const FirmwareVision& v = *one.vision;
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorCode::firmware_case, "case '" + one.name + "': " + what);
  };
  if (!has_post_processor(v.decoder)) {
    return refuse("the chip has no post-processor for " + v.decoder + ", only for " +
                  post_processor_names());
  }
  const bool texts = is_of_texts(v.decoder);
  const size_t channels = texts ? 0 : kChannels;
  if (one.inputs.size() != 1 || v.mean.size() != channels || v.std.size() != channels) {
    return refuse(texts ? "it has not one input, or numbers that networks of texts do not take"
                        : "it has not one input of three channels");
  }
  const size_t numbers = v.part.size();
  if (v.decoder == "espdl-ocr-rec" && numbers != kTextNumbers) {
    return refuse("a text that is read has eight numbers");
  }
  const bool part = numbers == 0 || numbers == kBoxNumbers || numbers == kFaceNumbers;
  if (v.decoder != "espdl-ocr-rec" && !part) return refuse("a part is four numbers, a face ten");
  if (numbers == kFaceNumbers && (v.decoder != "espdl-feature" || !v.border.empty())) {
    return refuse("only features are taken of faces that are turned upright");
  }
  return Ok{};
}

std::string vision_source(const FirmwarePicture& picture, const std::vector<FirmwareCase>& cases,
                          const std::vector<PlacedCase>& placed) {
  const std::vector<size_t> stages = stages_of_cases(cases, placed);
  std::set<std::string_view> headers;
  std::string eyes;
  for (size_t i = 0; i < cases.size(); ++i) {
    headers.insert(find_processor(cases[i].vision->decoder)->header);
    if (i == 0 || stages[i] != stages[i - 1]) eyes += eyes_text(*cases[i].vision, stages[i]);
  }
  std::string text = "#include \"vision.hpp\"\n\n";
  for (const std::string_view header : headers)
    text += "#include \"" + std::string(header) + "\"\n";
  text +=
      "#include \"post.hpp\"\n\n" + externs_text(picture, placed) + "\nnamespace check {\n\n" +
      picture_text(picture) + "\n" + looks_text(cases, placed, stages) +
      "\nEyes make_eyes(int stage, dl::Model& of) {\n  dl::Model* model = &of;\n  Eyes eyes;\n" +
      eyes + "  return eyes;\n}\n\n}  // namespace check\n";
  return text;
}

}  // namespace edgetwin::targets::espdl
