// Operators on rows: reductions over axes, Softmax, LogSoftmax, LayerNormalization,
// RMSNormalization.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/tensor.h"
#include "train/math/functions.h"
#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

// Elements of the input, row by row: row r is at places[r * length] and following.
struct RowPlaces {
  size_t rows = 0, length = 0;
  std::vector<uint32_t> places;

  const uint32_t* row(size_t r) const { return places.data() + r * length; }
};

RowPlaces rows_over(const Shape& in, const std::vector<bool>& reduced) {
  RowPlaces p;
  p.length = 1;
  for (int i = 0; i < in.rank(); ++i) {
    if (reduced[static_cast<size_t>(i)]) p.length *= static_cast<size_t>(in[i]);
  }
  const auto elements = static_cast<size_t>(in.elements());
  p.rows = p.length == 0 ? 0 : elements / p.length;
  p.places.resize(elements);
  for (size_t at = 0; at < elements; ++at) {
    auto rest = static_cast<int64_t>(at);
    int64_t row = 0, column = 0, row_stride = 1, column_stride = 1;
    for (int i = in.rank(); i-- > 0;) {
      const int64_t place = rest % in[i];
      rest /= in[i];
      const bool along = reduced[static_cast<size_t>(i)];
      (along ? column : row) += place * (along ? column_stride : row_stride);
      (along ? column_stride : row_stride) *= in[i];
    }
    p.places[static_cast<size_t>(row) * p.length + static_cast<size_t>(column)] =
        static_cast<uint32_t>(at);
  }
  return p;
}

enum class Reduction : uint8_t { mean, sum, largest, smallest };

class Reduce : public Step {
 public:
  Reduce(Reduction kind, RowPlaces rows) : kind_(kind), rows_(std::move(rows)) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t r = 0; r < rows_.rows; ++r) {
      const uint32_t* at = rows_.row(r);
      double sum = 0;
      double most = (*in[0])[at[0]];
      for (size_t i = 0; i < rows_.length; ++i) {
        const double v = (*in[0])[at[i]];
        sum += v;
        most = kind_ == Reduction::smallest ? std::min(most, v) : std::max(most, v);
      }
      const bool extreme = kind_ == Reduction::largest || kind_ == Reduction::smallest;
      if (kind_ == Reduction::mean) sum /= static_cast<double>(rows_.length);
      out[r] = extreme ? most : sum;
    }
  }
  void backward(Operands in, const Numbers& out, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    const bool extreme = kind_ == Reduction::largest || kind_ == Reduction::smallest;
    const double share = kind_ == Reduction::mean ? static_cast<double>(rows_.length) : 1;
    for (size_t r = 0; r < rows_.rows; ++r) {
      const uint32_t* at = rows_.row(r);
      for (size_t i = 0; i < rows_.length; ++i) {
        if (extreme && (*in[0])[at[i]] != out[r]) continue;
        (*to[0])[at[i]] += gradient[r] / share;
        if (extreme) break;  // the first of equal ones
      }
    }
  }

 private:
  Reduction kind_;
  RowPlaces rows_;
};

class Softmax : public Step {
 public:
  Softmax(bool logarithm, double beta, RowPlaces rows)
      : logarithm_(logarithm), beta_(beta), rows_(std::move(rows)) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t r = 0; r < rows_.rows; ++r) {
      const uint32_t* at = rows_.row(r);
      double most = (*in[0])[at[0]];
      for (size_t i = 1; i < rows_.length; ++i) most = std::max(most, (*in[0])[at[i]]);
      double sum = 0;
      for (size_t i = 0; i < rows_.length; ++i) {
        out[at[i]] = exponential(beta_ * ((*in[0])[at[i]] - most));
        sum += out[at[i]];
      }
      const double log_sum = logarithm(sum);
      for (size_t i = 0; i < rows_.length; ++i) {
        out[at[i]] = logarithm_ ? beta_ * ((*in[0])[at[i]] - most) - log_sum : out[at[i]] / sum;
      }
    }
  }
  void backward(Operands, const Numbers& out, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    for (size_t r = 0; r < rows_.rows; ++r) {
      const uint32_t* at = rows_.row(r);
      double sum = 0;
      for (size_t i = 0; i < rows_.length; ++i) {
        sum += logarithm_ ? gradient[at[i]] : gradient[at[i]] * out[at[i]];
      }
      for (size_t i = 0; i < rows_.length; ++i) {
        const double y = out[at[i]];
        const double g = gradient[at[i]];
        (*to[0])[at[i]] += beta_ * (logarithm_ ? g - exponential(y) * sum : y * (g - sum));
      }
    }
  }

 private:
  bool logarithm_;
  double beta_;
  RowPlaces rows_;
};

// (x - mean) / sqrt(mean of squares + epsilon) * scale + shift, rows of one length; without mean
// where it is not centred.
class Norm : public Step {
 public:
  Norm(bool centred, double epsilon, size_t length)
      : centred_(centred), epsilon_(epsilon), length_(length) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t r = 0; r < out.size(); r += length_) {
      const auto [mean, factor] = of_row(*in[0], r);
      for (size_t i = 0; i < length_; ++i) {
        out[r + i] = ((*in[0])[r + i] - mean) * factor * scale(in, i) + shift(in, i);
      }
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    const auto n = static_cast<double>(length_);
    for (size_t r = 0; r < gradient.size(); r += length_) {
      const auto [mean, factor] = of_row(*in[0], r);
      double sum = 0, product = 0;
      for (size_t i = 0; i < length_; ++i) {
        const double normal = ((*in[0])[r + i] - mean) * factor;
        const double g = gradient[r + i];
        sum += g * scale(in, i);
        product += g * scale(in, i) * normal;
        if (to.size() > 1 && to[1] != nullptr) (*to[1])[i % to[1]->size()] += g * normal;
        if (to.size() > 2 && to[2] != nullptr) (*to[2])[i % to[2]->size()] += g;
      }
      for (size_t i = 0; i < length_ && to[0] != nullptr; ++i) {
        const double normal = ((*in[0])[r + i] - mean) * factor;
        (*to[0])[r + i] += factor * (gradient[r + i] * scale(in, i) - (centred_ ? sum / n : 0) -
                                     normal * product / n);
      }
    }
  }

 private:
  static double scale(Operands in, size_t i) {
    return in.size() > 1 ? (*in[1])[i % in[1]->size()] : 1;
  }
  static double shift(Operands in, size_t i) {
    return in.size() > 2 ? (*in[2])[i % in[2]->size()] : 0;
  }
  std::pair<double, double> of_row(const Numbers& x, size_t r) const {
    const auto n = static_cast<double>(length_);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < length_ && centred_; ++i) sum += x[r + i];
    const double mean = sum / n;
    for (size_t i = 0; i < length_; ++i) squares += (x[r + i] - mean) * (x[r + i] - mean);
    return {mean, 1 / std::sqrt(squares / n + epsilon_)};
  }

  bool centred_;
  double epsilon_;
  size_t length_;
};

int positive(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// Without axes all are reduced, or none where the operator says so.
std::vector<bool> reduced_axes(const Graph& graph, const Op& op, int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  bool any = false;
  if (op.has_input(1)) {
    const Value& axes = graph.value(op.inputs[1]);
    for (int64_t i = 0; axes.is_constant() && i < axes.shape.elements(); ++i) {
      const auto axis = static_cast<int64_t>(element_as_double(axes.dtype, *axes.constant, i));
      reduced[static_cast<size_t>(positive(axis, rank))] = true;
      any = true;
    }
  }
  if (!any && !op.as<ReduceAttrs>().noop_without_axes) reduced.assign(reduced.size(), true);
  return reduced;
}

MadeStep make_softmax(const Graph& graph, const Op& op) {
  const Shape& in = graph.value(op.inputs[0]).shape;
  if (in.rank() < 1) return nullptr;
  const auto& a = op.as<SoftmaxAttrs>();
  std::vector<bool> along(static_cast<size_t>(in.rank()), false);
  along[static_cast<size_t>(positive(a.axis, in.rank()))] = true;
  return std::make_unique<Softmax>(op.kind == OpKind::log_softmax, static_cast<double>(a.beta),
                                   rows_over(in, along));
}

MadeStep make_norm(const Graph& graph, const Op& op) {
  const Shape& in = graph.value(op.inputs[0]).shape;
  const auto& a = op.as<NormAttrs>();
  const int axis = positive(a.axis, in.rank());
  return std::make_unique<Norm>(op.kind == OpKind::layer_norm, static_cast<double>(a.epsilon),
                                static_cast<size_t>(in.elements(axis, in.rank())));
}

}  // namespace

MadeStep make_rows(const Graph& graph, const Op& op) {
  const auto reduce = [&](Reduction kind) -> MadeStep {
    const Shape& in = graph.value(op.inputs[0]).shape;
    return std::make_unique<Reduce>(kind, rows_over(in, reduced_axes(graph, op, in.rank())));
  };
  switch (op.kind) {
    case OpKind::reduce_mean:
      return reduce(Reduction::mean);
    case OpKind::reduce_sum:
      return reduce(Reduction::sum);
    case OpKind::reduce_max:
      return reduce(Reduction::largest);
    case OpKind::reduce_min:
      return reduce(Reduction::smallest);
    case OpKind::softmax:
    case OpKind::log_softmax:
      return make_softmax(graph, op);
    case OpKind::layer_norm:
    case OpKind::rms_norm:
      return make_norm(graph, op);
    default:
      return nullptr;
  }
}

}  // namespace edgetwin::train
