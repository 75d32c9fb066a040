#include "train/report/confusion_picture.h"

#include "plot/canvas.h"

namespace edgetwin::train {
namespace {

int cell_side(size_t classes) { return classes > 40 ? 8 : 24; }

}  // namespace

int confusion_side(size_t classes) { return static_cast<int>(classes) * cell_side(classes); }

Result<Bytes> confusion_picture(const std::vector<std::vector<int64_t>>& confusion) {
  const auto classes = static_cast<int>(confusion.size());
  const int side = cell_side(confusion.size());
  plot::Canvas canvas(classes * side, classes * side, {255, 255, 255});
  for (int r = 0; r < classes; ++r) {
    const auto& row = confusion[static_cast<size_t>(r)];
    int64_t items = 0;
    for (const int64_t n : row) items += n;
    for (int c = 0; c < classes; ++c) {
      const auto count = static_cast<double>(row[static_cast<size_t>(c)]);
      const double share = items == 0 ? 0 : count / static_cast<double>(items);
      const plot::Color color = r == c ? plot::Color{20, 90, 160} : plot::Color{190, 40, 40};
      canvas.fill(
          {static_cast<double>(c * side), static_cast<double>(r * side),
           static_cast<double>((c + 1) * side - 1), static_cast<double>((r + 1) * side - 1)},
          color, share);
    }
  }
  return canvas.png();
}

}  // namespace edgetwin::train
