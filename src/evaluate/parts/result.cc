// The document of a whole evaluation, and its table.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "evaluate/parts/part.h"

namespace edgetwin::evaluation {
namespace {

constexpr const char* kInterval =
    "95 %: Wilson's score interval for shares; 1.96 standard errors for MAE; percentiles of 200 "
    "resamples of the samples for all others";

Json broken_json(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& r : records) {
    if (r.broken.empty()) continue;
    Json j = Json::object();
    list.push(j.set("index", r.index).set("name", r.name).set("why", r.broken));
  }
  return list;
}

// Of one network, the worst first; equal ones in the order of the samples.
Json worst_json(const Part& part, size_t model) {
  struct Bad {
    double badness;
    const Record* record;
  };
  std::vector<Bad> bad;
  const Task task = part.identity.task;
  for (const Record& r : part.records) {
    if (!r.broken.empty()) continue;
    const double b = badness(task, r.rows[model]);
    if (b > 0 || task == Task::anomaly) bad.push_back({b, &r});
  }
  std::ranges::stable_sort(bad, std::ranges::greater{}, &Bad::badness);
  bad.resize(std::min(bad.size(), kWorst));
  Json list = Json::array();
  for (const Bad& b : bad) {
    Json j = Json::object();
    j.set("index", b.record->index).set("name", b.record->name);
    list.push(j.set("why", verdict(task, b.record->rows[model], part.identity.classes)));
  }
  return list;
}

// Whether two networks decide a sample alike.
bool same_decision(Task task, const Record& r, size_t model) {
  if (task == Task::classify) return r.rows[0][4] == r.rows[model][4];
  if (task == Task::regress || task == Task::anomaly) return r.rows[0] == r.rows[model];
  return r.agreed[model - 1].same == r.agreed[model - 1].of;
}

Json comparison_json(const Part& part, const std::vector<Rows>& rows, size_t model) {
  std::vector<Agreed> agreed;
  Json first;
  for (const Record& r : part.records) {
    if (!r.broken.empty()) continue;
    agreed.push_back(r.agreed[model - 1]);
    if (!first.is_object() && !same_decision(part.identity.task, r, model)) {
      first = Json::object();
      first.set("index", r.index).set("name", r.name);
    }
  }
  Json j = pair_json(part.identity.task, rows[0], rows[model], agreed);
  return j.set("first_difference", std::move(first));
}

std::string number_text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", v);
  return text;
}

// "0.9950  199 of 200  0.9722 to 0.9991"
std::string figure_text(const Json& f) {
  const auto value = f.get("value");
  if (!value) return "nothing to judge";
  std::string text = number_text(value->as_number().value_or(0.0));
  const auto right = f.get_integer("right");
  const std::string count = std::to_string(f.get_integer("count").value_or(0));
  text += right ? "  " + std::to_string(*right) + " of " + count : "  of " + count;
  const auto bound = [&](const char* key) {
    return number_text(f.get(key).value_or(Json(0.0)).as_number().value_or(0.0));
  };
  return text + ", 95 %: " + bound("low") + " to " + bound("high");
}

bool is_figure(const Json& j) {
  return j.is_object() ? j.get("count").has_value()
                       : !j.is_array() && !j.as_number() && !j.as_string();
}

std::string model_text(const Json& model) {
  std::string text = model.get_string("name").value_or("") + "\n";
  const Json metrics = model.get("metrics").value_or(Json::object());
  for (const std::string& key : metrics.keys()) {
    const Json f = *metrics.get(key);
    if (!is_figure(f)) continue;
    text += "  " + key + std::string(key.size() < 17 ? 18 - key.size() : 1, ' ') + figure_text(f) +
            "\n";
  }
  const auto beside = model.get("beside_first");
  if (!beside) return text;
  for (const std::string& key : beside->keys()) {
    const Json f = *beside->get(key);
    if (f.is_object() && f.get("count")) text += "  " + key + "  " + figure_text(f) + "\n";
    if (const auto n = f.as_integer()) text += "  " + key + "  " + std::to_string(*n) + "\n";
    if (key == "mcnemar_p")
      text += "  " + key + "  " + number_text(f.as_number().value_or(0.0)) + "\n";
    if (key == "first_difference") {
      text += "  first difference  " + f.get_string("name").value_or("none") + "\n";
    }
  }
  return text;
}

}  // namespace

Json result_json(const Part& part) {
  const Identity& id = part.identity;
  std::vector<Rows> rows(id.models.size());
  for (const Record& r : part.records) {
    for (size_t m = 0; m < r.rows.size(); ++m) rows[m].push_back(&r.rows[m]);
  }
  Json j = Json::object();
  j.set("schema", 1).set("kind", "evaluation");
  Json models = Json::array();
  const Json described = id.json.get("models").value_or(Json::array());
  for (size_t m = 0; m < id.models.size(); ++m) {
    Json model = described.at(m);
    const Json metrics = metrics_json(id.task, rows[m], id.classes);
    if (m == 0) {
      // The first network's figures stand at the top too: those of the only one in most files.
      for (const char* key : {"top1", "top5"}) {
        if (const auto figure = metrics.get(key)) j.set(key, *figure);
      }
    }
    model.set("name", id.models[m]).set("metrics", metrics);
    if (m > 0) model.set("beside_first", comparison_json(part, rows, m));
    models.push(model.set("worst", worst_json(part, m)));
  }
  Json whole = id.json;
  whole.set("models", std::move(models));
  j.merge(whole);
  j.set("judged", rows[0].size()).set("broken", broken_json(part.records));
  return j.set("interval", kInterval);
}

std::string result_text(const Json& result) {
  const auto text_of = [&](const char* key) { return result.get_string(key).value_or(""); };
  const Json data = result.get("data").value_or(Json::object());
  const Json broken = result.get("broken").value_or(Json::array());
  std::string text = "task " + text_of("task") + ", " +
                     std::to_string(result.get_integer("judged").value_or(0)) + " samples of " +
                     data.get_string("name").value_or("") + " (" +
                     data.get_string("kind").value_or("") + ")";
  if (broken.size() > 0) text += ", " + std::to_string(broken.size()) + " broken ones left out";
  text += "\n";
  const Json models = result.get("models").value_or(Json::array());
  for (size_t m = 0; m < models.size(); ++m) text += model_text(models.at(m));
  return text;
}

}  // namespace edgetwin::evaluation
