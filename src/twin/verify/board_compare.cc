#include "twin/verify/board_compare.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "decode/espdl/decode.h"
#include "edgetwin/vision.h"
#include "image/image.h"
#include "twin/verify/board_judge.h"

namespace edgetwin::twin {
namespace {

namespace fs = std::filesystem;

struct BoardModel {
  std::string_view path, decoder, folder;
  float score, overlap;
};

constexpr std::array kModels = {
#define BOARD_MODEL(path, decoder, folder, score, overlap) \
  BoardModel{path, decoder, folder, score, overlap},
#include "twin/verify/board_models.def"
#undef BOARD_MODEL
};

// What the example of coloured areas registers, in its order.
constexpr const char* kColours =
    R"({"picture": "p", "colors": [
      {"name": "red", "hsv_min": [170, 100, 100], "hsv_max": [10, 255, 255]},
      {"name": "yellow", "hsv_min": [20, 100, 100], "hsv_max": [35, 255, 255]},
      {"name": "green", "hsv_min": [35, 100, 100], "hsv_max": [85, 255, 255]},
      {"name": "blue", "hsv_min": [100, 100, 100], "hsv_max": [130, 255, 255]}]})";
constexpr float kMatch = 0.5F;  // similarity of one face

std::string file_of(const BoardModel& m, const BoardFiles& files) {
  std::error_code ignored;
  for (const fs::path& root : files.models) {
    for (const fs::path& at : {root / m.path, root / m.folder / "model.espdl"}) {
      if (fs::is_regular_file(at, ignored)) return at.string();
    }
  }
  return "";
}

std::string picture_of(const std::string& path, const BoardFiles& files) {
  std::error_code ignored;
  for (const fs::path& root : files.models) {
    if (fs::is_regular_file(root / path, ignored)) return (root / path).string();
  }
  const fs::path beside = files.root / "pictures" / fs::path(path).filename();
  return fs::is_regular_file(beside, ignored) ? beside.string() : "";
}

// "a/{x,y}_z.espdl" and "a/b.espdl + c" as paths.
std::vector<std::string> paths_of(std::string text) {
  std::vector<std::string> paths;
  const size_t open = text.find('{'), close = text.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    std::string list = text.substr(open + 1, close - open - 1) + ",";
    for (size_t at = 0, end = 0; (end = list.find(',', at)) != std::string::npos; at = end + 1) {
      paths.push_back(text.substr(0, open) + list.substr(at, end - at) + text.substr(close + 1));
    }
    return paths;
  }
  const std::string folder = text.substr(0, text.rfind('/', text.find(" + ")) + 1);
  text += " + ";
  for (size_t at = 0, end = 0; (end = text.find(" + ", at)) != std::string::npos; at = end + 3) {
    const std::string word = text.substr(at, end - at);
    paths.push_back(at == 0 ? word : folder + word + ".espdl");
  }
  return paths;
}

// The stages of these models; `missing` gets the first that is not here.
std::vector<VisionStage> stages_of(const std::vector<std::string>& paths, const BoardFiles& files,
                                   std::string& params, std::string& missing) {
  std::vector<VisionStage> stages;
  for (const std::string& path : paths) {
    const auto row = std::ranges::find(kModels, path, &BoardModel::path);
    const std::string file = row == kModels.end() ? "" : file_of(*row, files);
    if (file.empty()) {
      missing = path;
      return {};
    }
    stages.push_back({file, {}, {}, std::string(row->decoder), {}});
    if (row->score > 0) {
      Json own = Json::object();
      own.set("score_threshold", static_cast<double>(row->score));
      params = own.set("nms_threshold", static_cast<double>(row->overlap)).text();
    }
  }
  return stages;
}

BoardCase& missing(BoardCase& c, const std::string& what) {
  c.outcome = BoardOutcome::missing;
  c.found = what;
  return c;
}

void colours(const Json& printed, const std::string& picture, BoardCase& c) {
  const auto load = [&picture](const std::string&) -> Result<Tensor> {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(picture));
    return decode_image(data, picture);
  };
  const auto params = espdl_decode::read_params(kColours, "colours");
  if (!params.ok()) return;
  const auto made = espdl_decode::decode_files("espdl-color", *params, load);
  if (!made.ok()) {
    missing(c, made.error().message);
    return;
  }
  compare_objects(printed, *espdl_decode::result_json(*made).get("detections"), c);
}

std::vector<float> feature_of(const std::string& picture, const VisionOptions& options) {
  const auto seen = see_picture(picture, options);
  if (!seen.ok() || seen->arrays.empty()) return {};
  const auto v = seen->arrays[0].as<float>();
  return {v.begin(), v.end()};
}

// Faces of the example in the order of their names: the last one is asked for among the others.
void identities(const Json& printed, const std::vector<std::string>& paths, const BoardFiles& files,
                BoardCase& c) {
  std::vector<std::string> all = {
      "models/human_face_detect/models/s3/human_face_detect_msr_s8_v1.espdl",
      "models/human_face_detect/models/s3/human_face_detect_mnp_s8_v1.espdl"};
  all.insert(all.end(), paths.begin(), paths.end());
  std::string params, absent;
  VisionOptions options{stages_of(all, files, params, absent), "", false};
  if (!absent.empty()) {
    missing(c, absent + " is not here");
    return;
  }
  std::vector<std::string> faces;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(files.root / "pictures", ignored)) {
    if (entry.path().filename().string().starts_with("face_"))
      faces.push_back(entry.path().string());
  }
  std::sort(faces.begin(), faces.end());
  if (faces.size() < 2) {
    missing(c, "its pictures are not here");
    return;
  }
  const std::vector<float> asked = feature_of(faces.back(), options);
  size_t best = 0;
  float most = -1;
  for (size_t i = 0; i + 1 < faces.size(); ++i) {
    const std::vector<float> other = feature_of(faces[i], options);
    float sum = 0;
    for (size_t k = 0; k < std::min(asked.size(), other.size()); ++k) sum += asked[k] * other[k];
    if (sum > most) most = sum, best = i + 1;
  }
  const int64_t id = printed.size() > 0 ? printed.at(0).get_integer("id").value_or(0) : 0;
  c.found = "id " + std::to_string(best) + " with similarity " +
            number_text(static_cast<double>(most)) + ", printed " + std::to_string(id) + " with " +
            number_text(printed.size() > 0 ? member_number(printed.at(0), "similarity") : 0);
  c.outcome = id == static_cast<int64_t>(best) && most > kMatch ? BoardOutcome::near
                                                                : BoardOutcome::different;
}

void through_networks(const Json& printed, const std::vector<std::string>& paths,
                      const std::string& picture, const BoardFiles& files, BoardCase& c) {
  std::string absent;
  VisionOptions options;
  options.stages = stages_of(paths, files, options.params, absent);
  if (!absent.empty()) {
    missing(c, absent + " is not here");
    return;
  }
  if (options.stages.back().decoder == "espdl-ocr-rec") {
    const fs::path dictionary = files.root / ".." / "postprocess" / "pp_ocr_v6_dict.txt";
    auto names = read_names("espdl-ocr-rec", dictionary.string());
    if (!names.ok()) {
      missing(c, "the dictionary of texts is not here");
      return;
    }
    options.stages.back().names = std::move(*names);
  }
  const auto seen = see_picture(picture, options);
  if (!seen.ok()) {
    c.outcome = BoardOutcome::different;
    c.found = seen.error().message;
    return;
  }
  const auto result = Json::parse(seen->json, "result");
  if (!result.ok()) return;
  if (const auto d = result->get("detections")) compare_objects(printed, *d, c);
  if (const auto b = result->get("boxes")) compare_texts(printed, *b, c);
  if (const auto k = result->get("classes")) compare_classes(printed, *k, c);
}

}  // namespace

BoardCase compare_board(const Json& document, const BoardFiles& files) {
  BoardCase c{document.get_string("id").value_or("?"), "", BoardOutcome::missing};
  const Json printed = document.get("printed").value_or(Json::array());
  const std::string model = document.get_string("model").value_or("");
  if (const auto agreement = document.get("agreement");
      agreement && agreement->get("contradicts")) {
    c.outcome = BoardOutcome::explained;
    c.found =
        "the file's additions have unequal exponents, which the runtime adds raw; `check` and "
        "`patch --align-adds` say and mend it";
    return c;
  }
  if (model.find(".espdl") != std::string::npos && model.find("_feat_") != std::string::npos) {
    identities(printed, paths_of(model), files, c);
    return c;
  }
  const std::string path = document.get_string("picture").value_or("");
  const std::string picture = picture_of(path, files);
  if (picture.empty()) return missing(c, path + " is not here");
  if (model.find(".espdl") == std::string::npos) {
    colours(printed, picture, c);
  } else {
    through_networks(printed, paths_of(model), picture, files, c);
  }
  return c;
}

}  // namespace edgetwin::twin
