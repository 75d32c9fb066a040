#include "robotics/matmul/linear.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "robotics/matmul/reservoir.h"

namespace edgetwin::robotics {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

Eigen::Map<const RowMajor> view(const Matrix& m) {
  return {m.values.data(), static_cast<Index>(m.rows), static_cast<Index>(m.columns)};
}

}  // namespace

double spectral_radius(const Matrix& square) {
  if (square.rows == 0) return 0.0;
  const Eigen::MatrixXd m = view(square).cast<double>();
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(m, false);
  return solver.eigenvalues().cwiseAbs().maxCoeff();
}

Matrix ridge_regression(const Matrix& x, const Matrix& y, size_t first, double alpha) {
  const auto rows = static_cast<Index>(x.rows - first);
  const auto columns = static_cast<Index>(x.columns), targets = static_cast<Index>(y.columns);
  // The penalty as further rows: they ask for weights of 0.
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows + columns, columns);
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(rows + columns, targets);
  a.topRows(rows) = view(x).bottomRows(rows).cast<double>();
  b.topRows(rows) = view(y).bottomRows(rows).cast<double>();
  a.bottomRows(columns).diagonal().setConstant(std::sqrt(alpha));
  const Eigen::MatrixXd solved = a.colPivHouseholderQr().solve(b);
  Matrix w{y.columns, x.columns, std::vector<float>(y.columns * x.columns)};
  for (size_t r = 0; r < w.rows; ++r) {
    for (size_t c = 0; c < w.columns; ++c) {
      w.at(r, c) = static_cast<float>(solved(static_cast<Index>(c), static_cast<Index>(r)));
    }
  }
  return w;
}

}  // namespace edgetwin::robotics
