// What is written about a judged checkpoint.
#include <cmath>
#include <cstdio>

#include "base/json/json.h"
#include "tensor/npy.h"
#include "train/judge/judge.h"
#include "train/losses/losses.h"
#include "train/math/functions.h"
#include "train/report/confusion_picture.h"
#include "train/report/page.h"

namespace edgetwin::train {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// A cell of a table: in quotes where it has to be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

double ratio(int64_t part, int64_t of) {
  return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

Json classes_json(const Judged& judged) {
  const auto& confusion = judged.evaluation.confusion;
  Json classes = Json::array();
  for (size_t c = 0; c < confusion.size(); ++c) {
    int64_t items = 0, predicted = 0;
    for (size_t k = 0; k < confusion.size(); ++k) {
      items += confusion[c][k];
      predicted += confusion[k][c];
    }
    Json one = Json::object();
    one.set("name", c < judged.classes.size() ? judged.classes[c] : std::to_string(c));
    one.set("items", items).set("precision", ratio(confusion[c][c], predicted));
    one.set("recall", ratio(confusion[c][c], items));
    classes.push(std::move(one));
  }
  return classes;
}

// Of a detector.
Json precisions_json(const Judged& judged) {
  Json classes = Json::array();
  for (size_t c = 0; c < judged.evaluation.precision.size(); ++c) {
    const AveragePrecision& own = judged.evaluation.precision[c];
    Json one = Json::object();
    one.set("name", judged.classes[c]).set("objects", own.objects).set("found", own.found);
    one.set("ap", own.mean).set("ap50", own.half);
    classes.push(std::move(one));
  }
  return classes;
}

std::vector<float> item_outputs(const Judged& judged, size_t i) {
  const auto size = static_cast<size_t>(judged.shape.elements());
  const auto first = judged.outputs.begin() + static_cast<std::ptrdiff_t>(i * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

std::string name_of(const Judged& judged, size_t i) {
  const uint32_t item = judged.items[i];
  return judged.data.names.empty() ? "" : judged.data.names[item];
}

std::vector<double> soft_max(const std::vector<float>& outputs) {
  const double norm = log_sum_exp(outputs.data(), static_cast<int>(outputs.size()));
  std::vector<double> result;
  for (const float v : outputs) result.push_back(exponential(static_cast<double>(v) - norm));
  return result;
}

// One class an item.
bool has_classes(const Judged& judged) {
  return judged.evaluation.classes && judged.data.kind == TargetKind::classes;
}

std::string predictions(const Judged& judged) {
  std::string text = "index,file,label,predicted,score\n";
  for (size_t i = 0; i < judged.items.size(); ++i) {
    const std::vector<float> outputs = item_outputs(judged, i);
    const auto best =
        static_cast<size_t>(best_class(outputs.data(), static_cast<int>(outputs.size())));
    const auto label = static_cast<size_t>(judged.data.labels[judged.items[i]]);
    text += std::to_string(judged.items[i]) + "," + cell(name_of(judged, i)) + "," +
            cell(judged.classes[label]) + "," + cell(judged.classes[best]) + "," +
            number(soft_max(outputs)[best]) + "\n";
  }
  return text;
}

// What a detector finds; boxes in parts of the picture.
std::string found_objects(const Judged& judged) {
  std::string text = "index,file,label,score,left,top,right,bottom\n";
  for (size_t i = 0; i < judged.items.size(); ++i) {
    const Maps outputs = from_planes(item_outputs(judged, i), 1, judged.shape);
    const auto found = found_in(judged.detector, outputs);  // of one picture
    for (const Detection& d : found[0]) {
      text += std::to_string(judged.items[i]) + "," + cell(name_of(judged, i)) + "," +
              cell(judged.classes[static_cast<size_t>(d.label - 1)]) + "," + number(d.score);
      for (const float v : d.box) text += "," + number(static_cast<double>(v));
      text += "\n";
    }
  }
  return text;
}

std::string confusion_text(const Evaluation& e) {
  std::string text;
  for (const auto& row : e.confusion) {
    for (size_t c = 0; c < row.size(); ++c) {
      text += (c == 0 ? "" : ",") + std::to_string(row[c]);
    }
    text += "\n";
  }
  return text;
}

Shape output_shape(const Judged& judged) {
  const auto items = static_cast<int64_t>(judged.items.size());
  const MapShape& s = judged.shape;
  if (s.size == Pair{1, 1}) return {items, s.c};
  return {items, s.c, s.size.h, s.size.w};
}

template <class T>
Result<Bytes> array_bytes(DType type, const Shape& shape, const std::vector<T>& values) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(type, shape));
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  return write_npy(t);
}

// A row for each object: place of the item among those that are judged, class, left, top, right,
// bottom.
Result<Bytes> true_objects(const Judged& judged) {
  std::vector<float> rows;
  for (size_t i = 0; i < judged.items.size(); ++i) {
    const ItemBoxes& boxes = judged.data.boxes[judged.items[i]];
    for (size_t o = 0; o < boxes.labels.size(); ++o) {
      rows.push_back(static_cast<float>(i));
      rows.push_back(static_cast<float>(boxes.labels[o]));
      rows.insert(rows.end(), boxes.corners[o].begin(), boxes.corners[o].end());
    }
  }
  return array_bytes<float>(DType::float32, {static_cast<int64_t>(rows.size() / 6), 6}, rows);
}

Result<Bytes> truth_bytes(const Judged& judged) {
  const DataSet& d = judged.data;
  const auto items = static_cast<int64_t>(judged.items.size());
  if (d.kind == TargetKind::boxes) return true_objects(judged);
  if (d.kind == TargetKind::values) {
    return array_bytes<float>(DType::float32, {items, d.value_count}, d.batch_values(judged.items));
  }
  const Shape shape = d.kind == TargetKind::masks ? Shape{items, d.height, d.width} : Shape{items};
  return array_bytes<int64_t>(DType::int64, shape, d.batch_labels(judged.items));
}

}  // namespace

std::string judged_json(const Judged& judged) {
  const Evaluation& e = judged.evaluation;
  Json json = Json::object();
  json.set("items", e.items)
      .set("loss", e.loss)
      .set("phase", std::string(phase_name(judged.phase)));
  if (e.detects) {
    json.set("map", e.map().mean).set("map50", e.map().half);
    return json.set("classes", precisions_json(judged)).text();
  }
  if (!e.classes) return json.set("mse", e.loss).text();
  json.set("right", e.right).set("top1", e.top1());
  if (e.has_top5()) json.set("top5", e.top5());
  if (judged.data.kind == TargetKind::masks) json.set("mean_iou", e.mean_iou());
  json.set("classes", classes_json(judged));
  Json rows = Json::array();
  for (const auto& row : e.confusion) rows.push(Json::list(row));
  json.set("confusion", std::move(rows));
  return json.text();
}

Result<std::vector<std::pair<std::string, Bytes>>> judged_files(const Judged& judged) {
  std::vector<std::pair<std::string, Bytes>> files;
  const auto put = [&](const char* name, const std::string& text) {
    files.emplace_back(name, to_bytes(as_byte_span(text)));
  };
  put("evaluation.json", judged_json(judged));
  Result<Bytes> outputs =
      judged.phase == JudgedPhase::integers
          ? array_bytes<int32_t>(DType::int32, output_shape(judged), judged.integer_outputs)
          : array_bytes<float>(DType::float32, output_shape(judged), judged.outputs);
  EDGETWIN_TRY_ASSIGN(Bytes made, std::move(outputs));
  files.emplace_back("outputs.npy", std::move(made));
  EDGETWIN_TRY_ASSIGN(Bytes truth, truth_bytes(judged));
  files.emplace_back("labels.npy", std::move(truth));
  files.insert(files.end(), judged.attributions.begin(), judged.attributions.end());
  if (has_classes(judged)) put("predictions.csv", predictions(judged));
  if (judged.evaluation.detects) put("predictions.csv", found_objects(judged));
  if (!judged.evaluation.classes) return files;
  put("confusion.csv", confusion_text(judged.evaluation));
  EDGETWIN_TRY_ASSIGN(Bytes picture, confusion_picture(judged.evaluation.confusion));
  files.emplace_back("confusion.png", std::move(picture));
  return files;
}

std::string judged_page(const Judged& judged, const std::string& title,
                        const std::string& command) {
  constexpr size_t kWorst = 30;
  RunPage page;
  page.title = title;
  page.command = command;
  page.done = true;
  page.is_run = false;
  page.classes = judged.classes;
  page.kind = judged.data.kind;
  page.test = &judged.evaluation;
  if (has_classes(judged)) {
    page.worst =
        worst_of_outputs(judged.data, judged.classes, judged.items, judged.outputs, kWorst);
  }
  return run_page(page);
}

std::vector<std::pair<std::string, std::string>> projection_tables(const Judged& judged) {
  std::string truth = "truth\n", predicted, means;
  for (size_t c = 0; c < judged.classes.size(); ++c) {
    predicted += (c == 0 ? "" : ",") + cell(judged.classes[c]);
  }
  predicted += "\n";
  const PictureSize in = judged.data.input();
  for (int c = 0; c < in.channels; ++c) {
    means += (c == 0 ? "x_" : ",x_") + std::to_string(c) + "_mean";
  }
  means += "\n";
  const auto places = static_cast<size_t>(in.height) * static_cast<size_t>(in.width);
  for (size_t i = 0; i < judged.items.size(); ++i) {
    truth += cell(judged.classes[static_cast<size_t>(judged.data.labels[judged.items[i]])]) + "\n";
    const std::vector<double> shares = soft_max(item_outputs(judged, i));
    for (size_t c = 0; c < shares.size(); ++c) predicted += (c == 0 ? "" : ",") + number(shares[c]);
    predicted += "\n";
    const std::vector<int8_t> levels = judged.data.levels(judged.items[i]);
    for (size_t c = 0; c * places < levels.size(); ++c) {
      double sum = 0;
      for (size_t p = 0; p < places; ++p) sum += levels[c * places + p] / 128.0;
      means += (c == 0 ? "" : ",") + number(sum / static_cast<double>(places));
    }
    means += "\n";
  }
  return {{"ytrue.csv", truth}, {"ypred.csv", predicted}, {"x.csv", means}};
}

}  // namespace edgetwin::train
