#include "decode/espdl/core/result.h"

#include <cstdio>
#include <cstdlib>

namespace edgetwin::espdl_decode {
namespace {

// The shortest decimal of nine significant digits, which every float comes back from.
double nine_digits(float v) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(v));
  return std::strtod(text.data(), nullptr);
}

std::string mask_name(size_t index) { return "mask_" + std::to_string(index); }

std::string name_in(const std::vector<std::string>& names, int category) {
  const auto at = static_cast<size_t>(category);
  return at < names.size() && !names[at].empty() ? names[at] : std::to_string(category);
}

std::string text_in(const std::vector<std::string>& dictionary, const ReadText& read) {
  std::string text;
  for (const int category : read.classes) {
    const auto at = static_cast<size_t>(category);
    if (at < dictionary.size()) text += dictionary[at];
  }
  return text;
}

Json box_json(const Decoded& decoded, size_t index) {
  const TextBox& b = (*decoded.boxes)[index];
  Json j = Json::object();
  j.set("points", Json::list(b.points)).set("score", nine_digits(b.score));
  if (decoded.texts.empty()) return j;
  const ReadText& read = decoded.texts[index];
  j.set("text", decoded.second_text_of(read)).set("text_score", nine_digits(read.score));
  if (decoded.second_names.empty()) j.set("symbols", Json::list(read.classes));
  return j;
}

Json detection_json(const Decoded& decoded, const Detection& d, size_t index) {
  Json j = Json::object();
  j.set("class", d.category).set("name", decoded.name_of(d.category));
  j.set("score", nine_digits(d.score)).set("box", Json::list(d.box));
  if (!d.keypoints.empty()) j.set("keypoints", Json::list(d.keypoints));
  if (!d.classes.empty()) {
    Json list = Json::array();
    for (const ClassScore& c : d.classes) {
      Json one = Json::object();
      one.set("name", decoded.second_name_of(c.category)).set("score", nine_digits(c.score));
      list.push(std::move(one));
    }
    j.set("classes", std::move(list));
  }
  if (d.pixels) j.set("pixels", *d.pixels);
  if (d.mask) j.set("mask", mask_name(index) + ".npy").set("mask_pixels", d.mask_pixels);
  return j;
}

}  // namespace

std::string Decoded::name_of(int category) const { return name_in(names, category); }
std::string Decoded::second_name_of(int category) const { return name_in(second_names, category); }
std::string Decoded::text_of(const ReadText& read) const { return text_in(names, read); }
std::string Decoded::second_text_of(const ReadText& read) const {
  return text_in(second_names, read);
}

Json result_json(const Decoded& decoded) {
  Json document = Json::object();
  document.set("schema", 1);
  if (decoded.detections) {
    Json list = Json::array();
    for (size_t i = 0; i < decoded.detections->size(); ++i) {
      list.push(detection_json(decoded, (*decoded.detections)[i], i));
    }
    document.set("detections", std::move(list));
  }
  if (decoded.classes) {
    Json list = Json::array();
    for (const ClassScore& c : *decoded.classes) {
      Json j = Json::object();
      list.push(j.set("name", decoded.name_of(c.category)).set("score", nine_digits(c.score)));
    }
    document.set("classes", std::move(list));
  }
  if (decoded.boxes) {
    Json list = Json::array();
    for (size_t i = 0; i < decoded.boxes->size(); ++i) list.push(box_json(decoded, i));
    document.set("boxes", std::move(list));
  }
  if (decoded.text) {
    document.set("text", decoded.text->kept ? Json(decoded.text_of(*decoded.text)) : Json(""));
    document.set("score", nine_digits(decoded.text->score));
    if (decoded.names.empty()) document.set("symbols", Json::list(decoded.text->classes));
  }
  if (decoded.matches) {
    Json list = Json::array();
    for (const Match& m : *decoded.matches) {
      Json j = Json::object();
      list.push(j.set("id", m.id).set("similarity", nine_digits(m.similarity)));
    }
    document.set("matches", std::move(list));
  }
  if (decoded.moving_points) document.set("moving_points", *decoded.moving_points);
  for (const Tensor& t : decoded.arrays) document.set(t.name, t.name + ".npy");
  if (!decoded.remarks.empty()) document.set("remarks", Json::list(decoded.remarks));
  return document;
}

std::vector<std::pair<std::string, const Tensor*>> result_arrays(const Decoded& decoded) {
  std::vector<std::pair<std::string, const Tensor*>> arrays;
  if (decoded.detections) {
    for (size_t i = 0; i < decoded.detections->size(); ++i) {
      const Detection& d = (*decoded.detections)[i];
      if (d.mask) arrays.emplace_back(mask_name(i), &*d.mask);
    }
  }
  for (const Tensor& t : decoded.arrays) arrays.emplace_back(t.name, &t);
  return arrays;
}

}  // namespace edgetwin::espdl_decode
