#include "decode/movenet.h"

#include "decode/maps.h"

namespace edgetwin::decode {
namespace {

constexpr size_t kNumbers = 3;                     // y, x, score
constexpr size_t kSingle = kNumbers * kKeypoints;  // of one person
constexpr size_t kMulti = kSingle + 5;             // and ymin, xmin, ymax, xmax, score

}  // namespace

Result<std::vector<Person>> decode_movenet(const Tensor& output, int64_t width, int64_t height,
                                           double threshold) {
  const Shape& s = output.shape;
  const bool single = s.is_static() && s.elements() == static_cast<int64_t>(kSingle) &&
                      s.back(0) == static_cast<int64_t>(kNumbers);
  const bool multi = s.is_static() && s.rank() >= 2 && s.back(0) == static_cast<int64_t>(kMulti);
  if (!single && !multi) {
    return maps_error("the output '" + output.name + "' is " + to_string(s) +
                      ", neither 17x3 nor Nx56");
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<float> values, real_values(output));
  const size_t pitch = single ? kSingle : kMulti;
  std::vector<Person> people;
  for (size_t at = 0; at + pitch <= values.size(); at += pitch) {
    Person person;
    double sum = 0.0;
    for (size_t k = 0; k < kKeypoints; ++k) {
      const float* p = values.data() + at + k * kNumbers;
      person.points[k] = {static_cast<double>(p[1]) * static_cast<double>(width),
                          static_cast<double>(p[0]) * static_cast<double>(height),
                          static_cast<double>(p[2])};
      sum += person.points[k].score;
    }
    person.score = single ? sum / kKeypoints : static_cast<double>(values[at + kMulti - 1]);
    if (person.score >= threshold) people.push_back(person);
  }
  return people;
}

}  // namespace edgetwin::decode
