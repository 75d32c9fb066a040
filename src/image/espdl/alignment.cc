#include <algorithm>
#include <cmath>

#include "image/espdl/geometry.h"
#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {
namespace {

// Of a face of 112 x 112: left eye, left corner of the mouth, nose, right eye, right corner.
constexpr std::array<float, 10> kFace = {38.2946F, 51.6963F, 41.5493F, 92.3655F, 56.0252F,
                                         71.7366F, 73.5318F, 51.5014F, 70.7299F, 92.2041F};
constexpr double kFaceSize = 112.0;
constexpr size_t kPoints = 5;
constexpr float kRootPrecision = 0.00001F;
constexpr double kSingular = 1e-8;
// The runtime's root has no limit; where it swings between two values for ever the chip hangs.
constexpr int kMostRootSteps = 10000;

using Pair = std::array<double, 2>;
using Matrix2 = std::array<Pair, 2>;

// Newton's root from the number itself, in single precision, until a step is small enough.
double coarse_root(double number) {
  const auto x = static_cast<float>(number);
  if (x == 0.0F) return 0.0;
  float root = x;
  for (int i = 0; i < kMostRootSteps; ++i) {
    const float last = root;
    root = static_cast<float>(static_cast<double>(last + x / last) * 0.5);
    if (!(std::abs(root - last) > kRootPrecision)) break;
  }
  return static_cast<double>(root);
}

// Coordinates and their means; distances from the mean are kept in single precision.
struct Points {
  explicit Points(const std::array<float, 10>& all) {
    for (size_t i = 0; i < kPoints; ++i) {
      for (size_t k = 0; k < 2; ++k) mean[k] += static_cast<double>(all[i * 2 + k]);
    }
    for (double& m : mean) m /= static_cast<double>(kPoints);
    for (size_t i = 0; i < kPoints; ++i) {
      for (size_t k = 0; k < 2; ++k) {
        from_mean[i][k] = static_cast<float>(static_cast<double>(all[i * 2 + k]) - mean[k]);
      }
    }
  }

  // The sum of the variances of both coordinates.
  double variance() const {
    double sum = 0.0;
    for (size_t k = 0; k < 2; ++k) {
      double first = 0.0, second = 0.0;
      for (const auto& p : from_mean) {
        first += static_cast<double>(p[k]);
        second += static_cast<double>(p[k] * p[k]);
      }
      first /= static_cast<double>(kPoints);
      second /= static_cast<double>(kPoints);
      sum += second - first * first;
    }
    return sum;
  }

  Pair mean{};
  std::array<std::array<float, 2>, kPoints> from_mean{};
};

// A singular value decomposition by the eigenvectors of A At and At A, with the runtime's signs.
struct Decomposition {
  Pair values{};
  std::array<Pair, 2> left{}, right{};  // left: columns of U; right: rows of V
  bool defined = true;                  // false: the runtime divides by zero and gives up
};

// (1, off / (eigenvalue - diagonal)), of about length 1.
Pair eigenvector(double off, double diagonal, double eigenvalue, bool& defined) {
  const double distance = eigenvalue - diagonal;
  if (distance == 0.0) {
    defined = false;
    return {};
  }
  const double slope = off / distance;
  const double length = coarse_root(1.0 + slope * slope);
  return {1.0 / length, slope / length};
}

void turn(Pair& v) {
  v[0] = -v[0];
  v[1] = -v[1];
}

// The symmetric product of rows (A At) or, of the transposed, of columns.
Matrix2 symmetric(const Pair& a, const Pair& b) {
  const double off = a[0] * b[0] + a[1] * b[1];
  return {{{a[0] * a[0] + a[1] * a[1], off}, {off, b[0] * b[0] + b[1] * b[1]}}};
}

Decomposition decompose(const Matrix2& a) {
  Decomposition d;
  const Matrix2 rows = symmetric(a[0], a[1]);
  const Matrix2 columns = symmetric({a[0][0], a[1][0]}, {a[0][1], a[1][1]});
  const double trace = rows[0][0] + rows[1][1];
  const double product = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0];
  const double root = coarse_root(trace * trace - 4 * product);
  const Pair eigen = {(trace + root) / 2.0, (trace - root) / 2.0};
  for (size_t i = 0; i < 2; ++i) {
    d.values[i] = coarse_root(eigen[i]);
    d.left[i] = eigenvector(rows[1][0], rows[1][1], eigen[i], d.defined);
    d.right[i] = eigenvector(columns[1][0], columns[1][1], eigen[i], d.defined);
  }
  if (d.left[1][0] * d.left[0][1] < 0) turn(d.left[0]);
  if (d.right[0][1] * d.right[1][0] < 0) turn(d.right[0]);
  const double first =
      d.values[0] * d.left[0][0] * d.right[0][0] + d.values[1] * d.left[1][0] * d.right[1][0];
  if (first * a[0][0] < 0) {
    turn(d.left[0]);
    turn(d.left[1]);
  }
  return d;
}

double determinant(const std::array<Pair, 2>& m) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }

Matrix2 correlation(const Points& face, const Points& found) {
  Matrix2 a{};
  for (size_t i = 0; i < kPoints; ++i) {
    for (size_t r = 0; r < 2; ++r) {
      for (size_t c = 0; c < 2; ++c) {
        const float product = found.from_mean[i][r] * face.from_mean[i][c];
        a[r][c] += static_cast<double>(product / static_cast<float>(kPoints));
      }
    }
  }
  return a;
}

}  // namespace

Result<std::array<float, 6>> face_alignment(const std::array<int, 10>& landmarks, int width,
                                            int height, bool& defined) {
  std::array<float, 10> face{}, found{};
  for (size_t i = 0; i < face.size(); ++i) {
    const int side = i % 2 == 0 ? width : height;
    face[i] = static_cast<float>(side / kFaceSize) * kFace[i];
    found[i] = static_cast<float>(landmarks[i]);
  }
  const Points from(face), to(found);
  if (to.variance() == 0.0) {
    return rule_error(Rule::refused, "all landmarks are the same point").in_field("landmarks");
  }
  const Matrix2 a = correlation(from, to);
  const Decomposition d = decompose(a);
  defined = d.defined;
  if (!defined) return std::array<float, 6>{};
  const double mirror = determinant(a) < 0 ? -1.0 : 1.0;
  double second = mirror;
  if (std::abs(determinant(a)) < kSingular) {
    second = determinant(d.left) * determinant(d.right) > 0 ? 1.0 : -1.0;
  }
  const double scale = (d.values[0] + d.values[1] * mirror) / from.variance();
  std::array<float, 6> m{};
  for (size_t r = 0; r < 2; ++r) {
    float* row = m.data() + r * 3;
    for (size_t c = 0; c < 2; ++c) {
      row[c] =
          static_cast<float>(d.left[0][r] * d.right[0][c] + second * d.left[1][r] * d.right[1][c]);
    }
    const double shifted =
        static_cast<double>(row[0]) * from.mean[0] + static_cast<double>(row[1]) * from.mean[1];
    row[2] = static_cast<float>(to.mean[r] - scale * shifted);
    for (size_t c = 0; c < 2; ++c) row[c] = static_cast<float>(static_cast<double>(row[c]) * scale);
  }
  return m;
}

}  // namespace edgetwin::espdl_image
