#include "train/judge/attribution.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "plot/canvas.h"
#include "plot/font.h"

namespace edgetwin::train {
namespace {

constexpr size_t kColumns = 10;                    // classes of a picture, at most
constexpr int kPanel = 112, kGap = 8, kHead = 36;  // pixels
constexpr int kSquares = 7;                        // of an occluded side, about

// Places as people see them: rows and columns, or channels by length.
bool is_row(const Maps& maps) { return maps.w == 1 && maps.h > 1; }

Attribution empty_of(const Maps& maps) {
  const int height = is_row(maps) ? maps.c : maps.h;
  const int width = is_row(maps) ? maps.h : maps.w;
  const auto places = static_cast<size_t>(width) * static_cast<size_t>(height);
  return {width, height, std::vector<float>(places)};
}

size_t place_of(const Maps& maps, int y, int x, int c) {
  const int row = is_row(maps) ? c : y;
  const int column = is_row(maps) ? y : x;
  const int width = is_row(maps) ? maps.h : maps.w;
  return static_cast<size_t>(row) * static_cast<size_t>(width) + static_cast<size_t>(column);
}

const Maps& forward_outputs(Model& model, const Maps& input, Recording& recording,
                            ThreadPool& pool) {
  forward(model, input, false, recording, pool);
  return recording.outputs[model.network.outputs()[0]];
}

plot::Color shade(float value, float largest) {
  const double strength = largest > 0 ? std::abs(static_cast<double>(value / largest)) : 0;
  const auto rest = static_cast<uint8_t>(std::lround(255 * (1 - std::min(strength, 1.0))));
  return value > 0 ? plot::Color{255, rest, rest} : plot::Color{rest, rest, 255};
}

void draw_panel(plot::Canvas& canvas, int left, int top, const Attribution& a,
                const std::vector<plot::Color>& colors) {
  const double side = std::max(a.width, a.height);
  const double step = kPanel / side;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      const plot::Rect place = {left + x * step, top + y * step, left + (x + 1) * step,
                                top + (y + 1) * step};
      canvas.fill(place, colors[static_cast<size_t>(y * a.width + x)]);
    }
  }
}

void draw_values(plot::Canvas& canvas, int left, int top, const Attribution& a, float largest) {
  std::vector<plot::Color> colors;
  for (const float v : a.values) colors.push_back(shade(v, largest));
  draw_panel(canvas, left, top, a, colors);
}

// The item in grey: the mean of its channels.
void draw_item(plot::Canvas& canvas, int top, const Maps& input) {
  Attribution mean = empty_of(input);
  const auto share = 1.0F / static_cast<float>(is_row(input) ? 1 : input.c);
  for (int y = 0; y < input.h; ++y) {
    for (int x = 0; x < input.w; ++x) {
      const float* in = input.at(0, y, x);
      for (int c = 0; c < input.c; ++c) mean.values[place_of(input, y, x, c)] += in[c] * share;
    }
  }
  std::vector<plot::Color> colors;
  for (const float v : mean.values) {
    const auto grey = static_cast<uint8_t>(std::clamp(v * 128 + 128, 0.0F, 255.0F));
    colors.push_back({grey, grey, grey});
  }
  draw_panel(canvas, kGap, top, mean, colors);
}

float largest_of(const std::vector<Attribution>& all) {
  float largest = 0;
  for (const Attribution& a : all) {
    for (const float v : a.values) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

// The true class, then the others by falling outputs; of equal ones the lower first.
std::vector<int> shown_classes(const float* outputs, int count, int64_t truth) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if ((a == truth) != (b == truth)) return a == truth;
    return outputs[a] > outputs[b];
  });
  if (order.size() > kColumns) order.resize(kColumns);
  return order;
}

}  // namespace

Attribution gradient_times_input(Model& model, const Maps& input, int output, ThreadPool& pool) {
  Recording recording;
  const Maps& outputs = forward_outputs(model, input, recording, pool);
  Maps one(outputs.n, outputs.h, outputs.w, outputs.c);
  one.values[static_cast<size_t>(output)] = 1;
  std::vector<std::pair<size_t, Maps>> gradients;
  gradients.emplace_back(model.network.outputs()[0], std::move(one));
  Maps gradient;
  backward(model, recording, std::move(gradients), pool, &gradient);
  Attribution result = empty_of(input);
  for (int y = 0; y < input.h; ++y) {
    for (int x = 0; x < input.w; ++x) {
      for (int c = 0; c < input.c; ++c) {
        result.values[place_of(input, y, x, c)] += gradient.at(0, y, x)[c] * input.at(0, y, x)[c];
      }
    }
  }
  return result;
}

std::vector<Attribution> occlusion(Model& model, const Maps& input, ThreadPool& pool) {
  Recording recording;
  const Maps whole = forward_outputs(model, input, recording, pool);
  const int rows = std::max(1, input.h / kSquares), columns = std::max(1, input.w / kSquares);
  std::vector<Attribution> all(static_cast<size_t>(whole.c), empty_of(input));
  for (int top = 0; top < input.h; top += rows) {
    for (int left = 0; left < input.w; left += columns) {
      const int bottom = std::min(top + rows, input.h), right = std::min(left + columns, input.w);
      Maps covered = input;
      for (int y = top; y < bottom; ++y) {
        float* row = covered.at(0, y, left);
        std::fill(row, row + int64_t{right - left} * input.c, 0.0F);
      }
      const Maps& outputs = forward_outputs(model, covered, recording, pool);
      for (int k = 0; k < whole.c; ++k) {
        const float lost =
            whole.values[static_cast<size_t>(k)] - outputs.values[static_cast<size_t>(k)];
        for (int y = top; y < bottom; ++y) {
          for (int x = left; x < right; ++x) {
            for (int c = 0; c < input.c; ++c) {
              all[static_cast<size_t>(k)].values[place_of(input, y, x, c)] = lost;
            }
          }
        }
      }
    }
  }
  return all;
}

Result<Bytes> attribution_picture(Model& model, const DataSet& data,
                                  const std::vector<std::string>& classes, uint32_t item,
                                  ThreadPool& pool) {
  const std::vector<uint32_t> one = {item};
  const Maps input = data.batch(one);
  Recording recording;
  const Maps outputs = forward_outputs(model, input, recording, pool);
  const std::vector<int> shown = shown_classes(outputs.values.data(), outputs.c, data.labels[item]);
  std::vector<Attribution> above, below;
  const std::vector<Attribution> covered = occlusion(model, input, pool);
  for (const int k : shown) {
    above.push_back(gradient_times_input(model, input, k, pool));
    below.push_back(covered[static_cast<size_t>(k)]);
  }
  const auto columns = static_cast<int>(shown.size()) + 1;
  plot::Canvas canvas(columns * (kPanel + kGap) + kGap, 2 * (kPanel + kGap) + kHead,
                      {245, 245, 245});
  const int second = kHead + kPanel + kGap;
  draw_item(canvas, kHead, input);
  const plot::TextStyle style{.size = 12, .color = {30, 30, 30}};
  plot::draw_text(canvas, {kGap, 18}, "item " + std::to_string(item), style);
  plot::draw_text(canvas, {kGap, second + 14.0}, "above: gradient", style);
  plot::draw_text(canvas, {kGap, second + 32.0}, "below: covered", style);
  for (size_t k = 0; k < shown.size(); ++k) {
    const int left = kGap + (static_cast<int>(k) + 1) * (kPanel + kGap);
    const auto c = static_cast<size_t>(shown[k]);
    char output[32];
    std::snprintf(output, sizeof output, " %.3g", static_cast<double>(outputs.values[c]));
    plot::draw_text(canvas, {static_cast<double>(left), 18}, classes[c] + output, style);
    draw_values(canvas, left, kHead, above[k], largest_of(above));
    draw_values(canvas, left, second, below[k], largest_of(below));
  }
  return canvas.png();
}

}  // namespace edgetwin::train
