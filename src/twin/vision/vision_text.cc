#include "twin/vision/vision_text.h"

#include "report/format.h"

namespace edgetwin::twin {
namespace {

// The class, and what a second network says of the box.
std::string class_text(const espdl_decode::Decoded& decoded, const espdl_decode::Detection& d) {
  std::string text = decoded.name_of(d.category);
  for (const espdl_decode::ClassScore& c : d.classes) {
    text += ", " + decoded.second_name_of(c.category) + " " + report::real_text(c.score);
  }
  return text;
}

std::string box_text(const espdl_decode::Decoded& decoded) {
  using report::TextTable;
  TextTable table({{"score", TextTable::Align::right},
                   {"left", TextTable::Align::right},
                   {"top", TextTable::Align::right},
                   {"right", TextTable::Align::right},
                   {"bottom", TextTable::Align::right},
                   {"class"}});
  for (const espdl_decode::Detection& d : *decoded.detections) {
    table.add({report::real_text(d.score), std::to_string(d.box[0]), std::to_string(d.box[1]),
               std::to_string(d.box[2]), std::to_string(d.box[3]), class_text(decoded, d)});
  }
  const size_t count = decoded.detections->size();
  const std::string head = std::to_string(count) + (count == 1 ? " box\n" : " boxes\n");
  return count == 0 ? head : head + table.text();
}

}  // namespace

std::string to_text(const espdl_decode::Decoded& decoded) {
  std::string text;
  if (decoded.detections) text += box_text(decoded);
  for (const auto& c : decoded.classes.value_or(std::vector<espdl_decode::ClassScore>{})) {
    text += report::real_text(c.score) + "  " + decoded.name_of(c.category) + "\n";
  }
  for (size_t i = 0; decoded.boxes && i < decoded.boxes->size(); ++i) {
    const espdl_decode::TextBox& b = (*decoded.boxes)[i];
    text += report::real_text(b.score) + " ";
    for (const int v : b.points) text += " " + std::to_string(v);
    if (!decoded.texts.empty()) {
      const espdl_decode::ReadText& read = decoded.texts[i];
      text += "  " + report::real_text(read.score) + "  " + decoded.second_text_of(read);
    }
    text += "\n";
  }
  for (const auto& m : decoded.matches.value_or(std::vector<espdl_decode::Match>{})) {
    text += report::real_text(m.similarity) + "  id " + std::to_string(m.id) + "\n";
  }
  if (decoded.text) {
    text += report::real_text(decoded.text->score) + "  " + decoded.text_of(*decoded.text) + "\n";
  }
  if (decoded.moving_points) text += std::to_string(*decoded.moving_points) + " moving points\n";
  for (const Tensor& t : decoded.arrays) {
    text += t.name + "  " + to_string(t.shape) + " " + std::string(name(t.dtype)) + "\n";
  }
  return text;
}

}  // namespace edgetwin::twin
