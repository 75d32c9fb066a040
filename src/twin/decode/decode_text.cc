// Decoded outputs as text and JSON.
#include <algorithm>
#include <cmath>

#include "report/format.h"
#include "twin/decode/decode_text.h"

namespace edgetwin::twin {
namespace {

using report::Json;
using report::TextTable;

std::string number(double v) { return report::real_text(static_cast<float>(v)); }
std::string pixel(double v) { return std::to_string(std::lround(v)); }

std::string counted(size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many) + "\n";
}

std::string name_of(const Segments& s, size_t index) {
  return index < s.names.size() && !s.names[index].empty() ? s.names[index] : std::to_string(index);
}

Json boxes_json(const Decoded& decoded) {
  Json list = Json::array();
  for (const decode::Detection& d : decoded.boxes) {
    Json j = Json::object();
    j.set("class", d.class_index).set("name", d.name).set("score", d.score);
    j.set("box", Json::list(std::vector{d.x0, d.y0, d.x1, d.y1}));
    list.push(std::move(j));
  }
  return list;
}

std::string boxes_text(const Decoded& decoded) {
  TextTable table({{"score", TextTable::Align::right},
                   {"left", TextTable::Align::right},
                   {"top", TextTable::Align::right},
                   {"right", TextTable::Align::right},
                   {"bottom", TextTable::Align::right},
                   {"class"}});
  // Parts of the picture, where its size is not known, need decimals.
  const bool parts = std::all_of(decoded.boxes.begin(), decoded.boxes.end(),
                                 [](const auto& d) { return d.x1 <= 1.0 && d.y1 <= 1.0; });
  const auto at = [parts](double v) { return parts ? report::fixed_text(v, 3) : pixel(v); };
  for (const decode::Detection& d : decoded.boxes) {
    table.add({number(d.score), at(d.x0), at(d.y0), at(d.x1), at(d.y1), d.name});
  }
  return counted(decoded.boxes.size(), "box", "boxes") +
         (decoded.boxes.empty() ? "" : table.text());
}

Json people_json(const Decoded& decoded) {
  Json list = Json::array();
  for (const decode::Person& p : decoded.people) {
    Json points = Json::array();
    for (size_t k = 0; k < p.points.size(); ++k) {
      Json j = Json::object();
      j.set("name", decode::kKeypointNames[k]).set("x", p.points[k].x).set("y", p.points[k].y);
      points.push(std::move(j.set("score", p.points[k].score)));
    }
    Json j = Json::object();
    list.push(std::move(j.set("score", p.score).set("keypoints", std::move(points))));
  }
  return list;
}

std::string people_text(const Decoded& decoded) {
  std::string text = counted(decoded.people.size(), "person", "people");
  for (const decode::Person& p : decoded.people) {
    TextTable table({{"score", TextTable::Align::right},
                     {"x", TextTable::Align::right},
                     {"y", TextTable::Align::right},
                     {"key point"}});
    for (size_t k = 0; k < p.points.size(); ++k) {
      const decode::Keypoint& at = p.points[k];
      table.add({report::fixed_text(at.score, 3), pixel(at.x), pixel(at.y),
                 std::string(decode::kKeypointNames[k])});
    }
    text += "score " + number(p.score) + "\n" + table.text();
  }
  return text;
}

Json segments_json(const Decoded& decoded) {
  const Segments& s = *decoded.segments;
  Json list = Json::array();
  const std::vector<int64_t> counts = decode::pixel_counts(s.map);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    Json j = Json::object();
    list.push(std::move(j.set("class", i).set("name", name_of(s, i)).set("pixels", counts[i])));
  }
  Json j = Json::object();
  j.set("height", s.map.height).set("width", s.map.width).set("classes", std::move(list));
  if (!decoded.people.empty()) j.set("people", people_json(decoded));
  return j;
}

std::string segments_text(const Decoded& decoded) {
  const Segments& s = *decoded.segments;
  TextTable table(
      {{"pixels", TextTable::Align::right}, {"part", TextTable::Align::right}, {"class"}});
  const std::vector<int64_t> counts = decode::pixel_counts(s.map);
  const auto all = static_cast<double>(s.map.height * s.map.width);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    table.add({report::count_text(counts[i]),
               report::fixed_text(100.0 * static_cast<double>(counts[i]) / all, 1) + " %",
               name_of(s, i)});
  }
  return "classes of " + std::to_string(s.map.height) + " x " + std::to_string(s.map.width) +
         " pixels\n" + table.text() + (decoded.people.empty() ? "" : people_text(decoded));
}

Json classes_json(const Decoded& decoded) {
  Json list = Json::array();
  for (const RankedClass& r : decoded.classes) {
    Json j = Json::object();
    list.push(std::move(j.set("class", r.index).set("score", r.score).set("label", r.label)));
  }
  return list;
}

std::string classes_text(const Decoded& decoded) {
  TextTable table(
      {{"score", TextTable::Align::right}, {"class", TextTable::Align::right}, {"label"}});
  for (const RankedClass& r : decoded.classes) {
    table.add({number(r.score), std::to_string(r.index), r.label});
  }
  return counted(decoded.classes.size(), "class", "classes") +
         (decoded.classes.empty() ? "" : table.text());
}

}  // namespace

std::vector<std::string> class_lines(const Decoded& decoded) {
  std::vector<std::string> lines;
  for (const RankedClass& r : decoded.classes) {
    const std::string label = r.label.empty() ? "class " + std::to_string(r.index) : r.label;
    lines.push_back(report::fixed_text(r.score, 3) + "  " + label.substr(0, 64));
  }
  return lines;
}

std::string member_of(const Decoded& decoded) {
  switch (decoded.meaning) {
    case Meaning::people:
      return "people";
    case Meaning::segments:
      return "segments";
    case Meaning::classes:
      return "classes";
    case Meaning::boxes:
      break;
  }
  return "detections";
}

report::Json to_json(const Decoded& decoded) {
  switch (decoded.meaning) {
    case Meaning::people:
      return people_json(decoded);
    case Meaning::segments:
      return segments_json(decoded);
    case Meaning::classes:
      return classes_json(decoded);
    case Meaning::boxes:
      break;
  }
  return boxes_json(decoded);
}

std::string to_text(const Decoded& decoded) {
  switch (decoded.meaning) {
    case Meaning::people:
      return people_text(decoded);
    case Meaning::segments:
      return segments_text(decoded);
    case Meaning::classes:
      return classes_text(decoded);
    case Meaning::boxes:
      break;
  }
  return boxes_text(decoded);
}

}  // namespace edgetwin::twin
