#include "twin/firmware/picture_results.h"

#include <span>
#include <string>

#include "base/bytes.h"

namespace edgetwin::twin {
namespace {

template <class T>
Tensor list_tensor(const std::string& label, const std::vector<T>& values) {
  Tensor t;
  t.name = label;
  t.dtype = dtype_of<T>;
  t.shape = {static_cast<int64_t>(values.size())};
  t.data = to_bytes(std::as_bytes(std::span(values)));
  return t;
}

Tensor text_tensor(const std::string& label, const std::string& text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return list_tensor(label, std::vector<uint8_t>(bytes, bytes + text.size()));
}

// Where texts are, and what one of them says.
void add_texts(const espdl_decode::Decoded& found, std::vector<Tensor>& results) {
  std::vector<int32_t> corners;
  std::vector<float> scores;
  if (found.boxes) {
    results.push_back(list_tensor<int32_t>("count", {static_cast<int32_t>(found.boxes->size())}));
    for (const espdl_decode::TextBox& b : *found.boxes) {
      corners.insert(corners.end(), b.points.begin(), b.points.end());
      scores.push_back(b.score);
    }
  }
  if (found.text) scores.push_back(found.text->score);
  // Without a dictionary it is not known what the chip must read.
  if (found.text && !found.names.empty() && !found.text->classes.empty()) {
    results.push_back(text_tensor("text", found.text_of(*found.text)));
  }
  if (!corners.empty()) results.push_back(list_tensor("corners", corners));
  if (!scores.empty()) results.push_back(list_tensor("scores", scores));
}

// Of the best classes, a line each; the chip has names of its own.
void add_names(const espdl_decode::Decoded& found, std::vector<Tensor>& results) {
  if (!found.classes || found.names.empty()) return;
  std::string names;
  for (const espdl_decode::ClassScore& c : *found.classes) {
    names += (names.empty() ? "" : "\n") + found.name_of(c.category);
  }
  if (!names.empty()) results.push_back(text_tensor("names", names));
}

}  // namespace

std::vector<Tensor> picture_results(const espdl_decode::Decoded& found) {
  std::vector<Tensor> results;
  if (found.boxes || found.text) {
    add_texts(found, results);
    return results;
  }
  std::vector<float> scores;
  std::vector<int32_t> boxes;
  if (found.detections) {
    const auto count = static_cast<int32_t>(found.detections->size());
    results.push_back(list_tensor<int32_t>("count", {count}));
    for (const espdl_decode::Detection& d : *found.detections) {
      boxes.push_back(d.category);
      boxes.insert(boxes.end(), d.box.begin(), d.box.end());
      boxes.insert(boxes.end(), d.keypoints.begin(), d.keypoints.end());
      scores.push_back(d.score);
    }
  }
  if (found.classes) {
    for (const espdl_decode::ClassScore& c : *found.classes) scores.push_back(c.score);
  }
  if (!boxes.empty()) results.push_back(list_tensor("boxes", boxes));
  if (!scores.empty()) results.push_back(list_tensor("scores", scores));
  for (size_t i = 0; found.detections && i < found.detections->size(); ++i) {
    const auto& mask = (*found.detections)[i].mask;
    if (!mask || mask->data.empty()) continue;
    results.push_back(*mask);
    results.back().name = "mask_" + std::to_string(i);
  }
  for (const Tensor& t : found.arrays) results.push_back(t);
  add_names(found, results);
  return results;
}

}  // namespace edgetwin::twin
