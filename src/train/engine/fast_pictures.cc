#include "train/engine/fast_pictures.h"

#include <algorithm>

namespace edgetwin::train {
namespace {

constexpr int kGroup = 16;  // output channels that weights are padded to
// Of so many channels on, each tap of a kernel has tiles of its own.
constexpr int kChannelsOfTile = 4;
// Of so many channels and rows on, columns at the edges are worth tiles of their own.
constexpr int kChannelsOfEdges = 8, kRowsOfEdges = 4;

// Zeros where the buffer is new. Copies of pictures of one size leave border and padding at zero.
void prepare(Floats& out, int64_t size) {
  if (out.size() != static_cast<size_t>(size)) out.assign(static_cast<size_t>(size), 0.0F);
}

// One picture with a border of zeros. `out` is empty, or from another picture of this size.
void copy_with_halo(const Maps& maps, int item, Pair halo, Floats& out) {
  const int64_t width = int64_t{maps.w + 2 * halo.w} * maps.c;
  prepare(out, (maps.h + 2 * halo.h) * width);
  for (int y = 0; y < maps.h; ++y) {
    const float* row = maps.at(item, y, 0);
    float* target = out.data() + (y + halo.h) * width + int64_t{halo.w} * maps.c;
    std::copy(row, row + int64_t{maps.w} * maps.c, target);
  }
}

// One picture by groups of channels, padded: (group, place, 16). `out` as above.
void copy_grouped(const Maps& maps, int item, Floats& out) {
  const int64_t places = int64_t{maps.h} * maps.w;
  prepare(out, places * padded_channels(maps.c));
  const float* in = maps.at(item, 0, 0);
  float* to = out.data();
  for (int c = 0; c < maps.c; c += kGroup) {
    const int count = std::min(kGroup, maps.c - c);
    for (int64_t p = 0; p < places; ++p, to += kGroup) std::copy_n(in + p * maps.c + c, count, to);
  }
}

// Weights as (group of out, ky, kx, in, 16) from value(ky, kx, in, out).
template <class Value>
Floats packed(const Form& form, const Value& value) {
  Floats result(
      static_cast<size_t>(form.kernel.h * form.kernel.w * form.in * padded_channels(form.out)));
  float* at = result.data();
  for (int first = 0; first < form.out; first += kGroup) {
    const int count = std::min(kGroup, form.out - first);
    for (int ky = 0; ky < form.kernel.h; ++ky) {
      for (int kx = 0; kx < form.kernel.w; ++kx) {
        for (int i = 0; i < form.in; ++i, at += kGroup) {
          for (int c = 0; c < count; ++c) at[c] = value(ky, kx, i, first + c);
        }
      }
    }
  }
  return result;
}

// Of `taps` that begin at place `at` of a map with this halo, the first inside of it and their
// number: the others are zeros, which change no sum.
struct Inside {
  int first = 0, count = 0;
};
Inside inside(int at, int taps, int halo, int size) {
  const int first = std::max(0, halo - at);
  return {first, std::min(taps, size + halo - at) - first};
}

// Maps of one column lie in memory like maps of one row, whose tiles have more places.
bool is_column(Pair size, const Pair& kernel, int halo) {
  return size.w == 1 && kernel.w == 1 && halo == 0;
}

}  // namespace

int padded_channels(int channels) { return (channels + kGroup - 1) / kGroup * kGroup; }

Form gather_form(const Window& v) { return {v.second, v.first, v.kernel, v.pad}; }

Form scatter_form(const Window& v) {
  return {v.first, v.second, v.kernel, {v.kernel.h - 1 - v.pad.h, v.kernel.w - 1 - v.pad.w}};
}

Floats gather_weights(std::span<const float> weights, const Window& window) {
  return packed(gather_form(window),
                [&](int ky, int kx, int i, int c) { return weights[window.index(c, i, ky, kx)]; });
}

Floats scatter_weights(std::span<const float> weights, const Window& window) {
  const Pair kernel = window.kernel;
  return packed(scatter_form(window), [&](int ky, int kx, int i, int c) {
    return weights[window.index(i, c, kernel.h - 1 - ky, kernel.w - 1 - kx)];
  });
}

PictureRows::PictureRows(const TileFunctions& tiles, const Form& form, Floats weights,
                         std::span<const float> bias, Pair input, Pair output)
    : tiles_(tiles),
      form_(form),
      weights_(std::move(weights)),
      start_(static_cast<size_t>(padded_channels(form.out))),
      input_(input),
      output_(output),
      column_(is_column(input, form.kernel, form.halo.w)) {
  std::copy(bias.begin(), bias.end(), start_.begin());
  const auto middle = [](int halo, int kernel, int in) { return Middle{halo, in - kernel + 1}; };
  rows_ = middle(form.halo.h, form.kernel.h, input.h);
  columns_ = middle(form.halo.w, form.kernel.w, input.w);
  divided_ = form.halo.w > 0 && form.in >= kChannelsOfEdges && rows_.count >= kRowsOfEdges &&
             columns_.count > 0;
  task_ = {.in_step = form.in,
           .in_row = int64_t{input.w + 2 * form.halo.w} * form.in,
           .channels = form.in,
           .weights = weights_.data(),
           .group = int64_t{form.kernel.h} * form.kernel.w * form.in * kGroup,
           .weight_row = int64_t{form.kernel.w} * form.in * kGroup,
           .start = start_.data(),
           .out_step = form.out,
           .width = column_ ? output.h : output.w,
           .kernel_h = column_ ? 1 : form.kernel.h,
           .kernel_w = column_ ? form.kernel.h : form.kernel.w,
           .out_channels = form.out};
}

void PictureRows::whole_row(int y, const float* in, float* out) const {
  RowTask task = task_;
  const Inside rows = column_ ? Inside{0, 1} : inside(y, form_.kernel.h, form_.halo.h, input_.h);
  task.in = in + (y + rows.first) * task.in_row;
  task.weights += rows.first * task.weight_row;
  task.kernel_h = rows.count;
  task.out = out + int64_t{y} * task.width * task.out_step;
  tiles_.row(task);
}

// The middle of each row along the row, and the columns at both edges along the column, with those
// of their taps that are inside.
void PictureRows::middle_rows(const float* in, float* out) const {
  const int64_t out_row = int64_t{output_.w} * form_.out;
  const float* first_in = in + rows_.first * task_.in_row;
  float* first_out = out + rows_.first * out_row;
  for (int y = 0; y < rows_.count; ++y) {
    RowTask task = task_;
    task.in = first_in + y * task.in_row + columns_.first * task.in_step;
    task.out = first_out + y * out_row + columns_.first * task.out_step;
    task.width = columns_.count;
    tiles_.row(task);
  }
  for (int x = 0; x < output_.w; ++x) {
    if (x == columns_.first) x += columns_.count;
    if (x >= output_.w) break;
    const Inside taps = inside(x, form_.kernel.w, form_.halo.w, input_.w);
    RowTask task = task_;
    task.in = first_in + (x + taps.first) * task.in_step;
    task.out = first_out + x * task.out_step;
    task.weights += int64_t{taps.first} * task.channels * kGroup;
    task.in_step = task.in_row;
    task.out_step = out_row;
    task.width = rows_.count;
    task.kernel_w = taps.count;
    tiles_.row(task);
  }
}

void PictureRows::run(const Maps& input, Maps& output, int item, Floats& halo) const {
  const float* in = input.at(item, 0, 0);
  if (!(form_.halo == Pair{0, 0})) {
    copy_with_halo(input, item, form_.halo, halo);
    in = halo.data();
  }
  float* out = output.at(item, 0, 0);
  for (int y = 0; y < (column_ ? 1 : output_.h); ++y) {
    if (divided_ && y == rows_.first) {
      middle_rows(in, out);
      y += rows_.count;
      if (y >= output_.h) break;
    }
    whole_row(y, in, out);
  }
}

PictureSums::PictureSums(const TileFunctions& tiles, const Maps& small, const Maps& large,
                         const Window& window)
    : tiles_(tiles),
      small_(small),
      large_(large),
      window_(window),
      column_(is_column({large.h, large.w}, window.kernel, window.pad.w)) {}

size_t PictureSums::size() const {
  return static_cast<size_t>(window_.kernel.h * window_.kernel.w * large_.c) *
         static_cast<size_t>(padded_channels(small_.c));
}

// The products of one row of the kernel, whose taps have enough channels for tiles of their own: so
// products with the halo are left out.
void PictureSums::add_taps(const SumTask& row) {
  const int taps = column_ ? window_.kernel.h : window_.kernel.w;
  const int halo = column_ ? window_.pad.h : window_.pad.w;
  for (int kx = 0; kx < taps; ++kx) {
    // Places x whose tap, x - halo + kx, is inside.
    const Inside places = inside(kx, row.width, halo, column_ ? large_.h : large_.w);
    if (places.count <= 0) continue;
    SumTask task = row;
    task.in += int64_t{kx + places.first} * row.step;
    task.gradient += int64_t{places.first} * kGroup;
    task.width = places.count;
    task.terms = row.step;
    task.sums += int64_t{kx} * row.step * padded_channels(row.out_channels);
    tiles_.sum(task);
  }
}

// All taps of few channels one after the other at each place: enough for a tile.
void PictureSums::add_patches(float* sums) {
  const Window& v = window_;
  const int row = v.kernel.w * large_.c;
  const int64_t in_row = int64_t{large_.w + 2 * v.pad.w} * large_.c;
  patches_.resize(static_cast<size_t>(int64_t{small_.h} * small_.w * v.kernel.h * row));
  float* to = patches_.data();
  for (int y = 0; y < small_.h; ++y) {
    for (int x = 0; x < small_.w; ++x) {
      const float* in = halo_.data() + y * in_row + int64_t{x} * large_.c;
      for (int ky = 0; ky < v.kernel.h; ++ky, in += in_row, to += row) std::copy_n(in, row, to);
    }
  }
  const int places = small_.h * small_.w;
  tiles_.sum({.in = patches_.data(),
              .step = v.kernel.h * row,
              .terms = v.kernel.h * row,
              .gradient = gradient_.data(),
              .group = int64_t{places} * kGroup,
              .out_channels = small_.c,
              .width = places,
              .height = 1,
              .sums = sums});
}

// A row of taps at a time.
void PictureSums::add(int item, float* sums) {
  const Window& v = window_;
  copy_with_halo(large_, item, v.pad, halo_);
  copy_grouped(small_, item, gradient_);
  if (!column_ && v.kernel.w * large_.c < kChannelsOfTile) return add_patches(sums);
  SumTask task{.in_row = int64_t{large_.w + 2 * v.pad.w} * large_.c,
               .step = large_.c,
               .terms = (column_ ? v.kernel.h : v.kernel.w) * large_.c,
               .group = int64_t{small_.h} * small_.w * kGroup,
               .gradient_row = int64_t{small_.w} * kGroup,
               .out_channels = small_.c,
               .width = column_ ? small_.h : small_.w};
  const int64_t each = int64_t{task.terms} * padded_channels(small_.c);
  for (int ky = 0; ky < (column_ ? 1 : v.kernel.h); ++ky, sums += each) {
    // Rows y whose tap, y - pad + ky, is inside.
    const Inside rows = column_ ? Inside{0, 1} : inside(ky, small_.h, v.pad.h, large_.h);
    if (rows.count <= 0) continue;
    task.in = halo_.data() + (ky + rows.first) * task.in_row;
    task.gradient = gradient_.data() + rows.first * task.gradient_row;
    task.height = rows.count;
    task.sums = sums;
    if (large_.c < kChannelsOfTile) {
      tiles_.sum(task);
    } else {
      add_taps(task);
    }
  }
}

std::vector<float> PictureSums::in_order(std::span<const float> sums) const {
  std::vector<float> result(window_.weights());
  size_t at = 0;
  for (int ky = 0; ky < window_.kernel.h; ++ky) {
    for (int kx = 0; kx < window_.kernel.w; ++kx) {
      for (int i = 0; i < large_.c; ++i, at += static_cast<size_t>(padded_channels(small_.c))) {
        for (int c = 0; c < small_.c; ++c) {
          result[window_.index(c, i, ky, kx)] = sums[at + static_cast<size_t>(c)];
        }
      }
    }
  }
  return result;
}

}  // namespace edgetwin::train
