// Lines, areas and words on a picture (uint8, height x width x 3). What lies outside is dropped.
#pragma once

#include <string>

#include "plot/canvas.h"
#include "tensor/tensor.h"

namespace edgetwin::serve {

using plot::Color;
using plot::Point;

inline constexpr Color kGreenInk = {60, 220, 90};
inline constexpr Color kYellowInk = {250, 210, 40};
inline constexpr Color kCyanInk = {60, 210, 240};
inline constexpr Color kRedInk = {255, 70, 60};
inline constexpr Color kWhiteInk = {245, 245, 245};
inline constexpr Color kDarkInk = {16, 18, 22};

// 0 blue, 0.5 nearly white, 1 vermilion: people who see no difference between red and green tell
// them apart, by lightness too.
Color heat_color(double share);
// The bar of heat_color() from bottom to top in an area, with the values of its ends and its middle
// to the right of it.
void ink_heat_bar(Tensor& picture, const plot::Rect& area, double low, double high);

void ink_area(Tensor& picture, const plot::Rect& area, Color color, double opacity);
void ink_line(Tensor& picture, Point a, Point b, int width, Color color);
void ink_box(Tensor& picture, const plot::Rect& box, int width, Color color);
void ink_cross(Tensor& picture, Point at, double size, Color color);
void ink_circle(Tensor& picture, Point centre, double radius, Color color);
// `at` is the left end, on the middle of the capitals' height; on a dark ground.
void ink_text(Tensor& picture, Point at, const std::string& text, Color color, double size = 15.0);
// A picture inside the picture, by nearest neighbour.
void ink_picture(Tensor& picture, const Tensor& small, const plot::Rect& area);
// Words in lines that fit, at the bottom.
void ink_message(Tensor& picture, const std::string& text);

// Of [-1, 1] across the picture.
Point pixel_at(const Tensor& picture, double x, double y);

}  // namespace edgetwin::serve
