#include "decode/bodypix.h"

#include <algorithm>

#include "decode/maps.h"
#include "ops/decoders/posenet_decoder.h"

namespace edgetwin::decode {

Result<ClassMap> decode_bodypix(std::span<const Tensor> maps, double threshold) {
  constexpr auto kParts = static_cast<int64_t>(kBodyParts.size());
  const Tensor* people = nullptr;
  const Tensor* parts = nullptr;
  for (const Tensor& t : maps) {
    const auto size = map_size(t);
    if (!size.ok()) continue;
    if (size->channels == 1 && people == nullptr) people = &t;
    if (size->channels == kParts && parts == nullptr) parts = &t;
  }
  if (people == nullptr)
    return maps_error("no map has one channel, which would say what is a person");
  const MapSize size = *map_size(*people);
  EDGETWIN_TRY_ASSIGN(const std::vector<float> person, real_values(*people));
  std::vector<float> part;
  if (parts != nullptr) {
    const MapSize other = *map_size(*parts);
    if (other.height != size.height || other.width != size.width) {
      return maps_error("'" + parts->name + "' is " + to_string(parts->shape) + ", '" +
                        people->name + "' " + to_string(people->shape));
    }
    EDGETWIN_TRY_ASSIGN(part, real_values(*parts));
  }
  ClassMap map{size.height, size.width, {}};
  for (size_t i = 0; i < person.size(); ++i) {
    uint8_t found = 0;
    if (static_cast<double>(ops::sigmoid(person[i])) >= threshold) {
      found = 1;
      if (!part.empty()) {
        const auto at = part.begin() + static_cast<std::ptrdiff_t>(i) * kParts;
        found = static_cast<uint8_t>(1 + (std::max_element(at, at + kParts) - at));
      }
    }
    map.classes.push_back(found);
  }
  return map;
}

}  // namespace edgetwin::decode
