// MatMulEngine, ReservoirComputer and EmbeddingSimilarity.
#include <algorithm>
#include <cmath>
#include <deque>

#include "report/format.h"
#include "robotics/matmul/random.h"
#include "robotics/matmul/reservoir.h"
#include "robotics/matmul/similarity.h"
#include "robotics/picture.h"
#include "serve/modes/draw.h"
#include "serve/modes/makers.h"

namespace edgetwin::serve {
namespace {

using namespace robotics;
namespace templates = edgetpu::templates;

Parameter dim_parameter() {
  return select("dim", "Rows and columns of the matrix", {256, 512, 1024}, 256);
}

Result<MatMulEngine> matrix_engine(const ModeSetup& s) {
  templates::Dense t;
  t.n = s.values.integer("dim");
  EDGETWIN_TRY_ASSIGN(Prepared p, prepare(templates::build(t), s.engine));
  return MatMulEngine::create(std::move(p.engine), std::move(p.sidecar));
}

class MatMulMode final : public Mode {
 public:
  explicit MatMulMode(MatMulEngine engine) : engine_(std::move(engine)) {}
  Status open() {
    EDGETWIN_TRY(engine_.open());
    return randomize();
  }
  Status observe(Tensor& picture, const Mouse& mouse, Json& values) override {
    if (mouse.click) EDGETWIN_TRY(randomize());
    std::vector<float> x(engine_.matrix_size());
    for (float& v : x) v = static_cast<float>(random_.normal() * 0.1);
    EDGETWIN_TRY_ASSIGN(const std::vector<float> y, engine_.matmul(x));
    const auto [least, most] = std::minmax_element(y.begin(), y.end());
    double worst = 0.0;
    for (size_t r = 0; r < 8; ++r) worst = std::max(worst, error_of(r, x, y));
    points_.push_back({x[0], y[0]});
    if (points_.size() > kPoints) points_.pop_front();
    values.set("y_min", *least).set("y_max", *most);
    values.set("error_steps", worst / static_cast<double>(engine_.output().scale));
    draw_scatter(picture);
    draw_histogram(picture, y, *least, *most);
    return Ok{};
  }

 private:
  static constexpr size_t kPoints = 100, kBins = 20;

  Status randomize() {
    const size_t n = engine_.matrix_size();
    w_ = Matrix{n, n, std::vector<float>(n * n)};
    for (float& v : w_.values) v = static_cast<float>(random_.normal() * 0.01);
    points_.clear();
    return engine_.set_weights(w_);
  }
  double error_of(size_t r, const std::vector<float>& x, const std::vector<float>& y) const {
    double sum = 0.0;
    for (size_t c = 0; c < w_.columns; ++c) sum += static_cast<double>(w_.at(r, c)) * x[c];
    return std::fabs(sum - static_cast<double>(y[r]));
  }
  // A square of 200 pixels, smaller in small pictures; the second one stands right of the first.
  static plot::Rect square(const Tensor& picture, int place) {
    const double width = static_cast<double>(picture.shape[1]);
    const double height = static_cast<double>(picture.shape[0]);
    const double side = std::max(std::min({200.0, (width - 60) / 2, height - 100}), 40.0);
    const double left = 20 + (side + 20) * place;
    return {left, 80, left + side, 80 + side};
  }
  void draw_scatter(Tensor& picture) const {
    const plot::Rect area = square(picture, 0);
    const double half = area.width() / 2;
    ink_area(picture, area, kDarkInk, 0.7);
    ink_text(picture, {area.left, 68}, "y[0] over x[0], last 100", kWhiteInk, 13.0);
    for (const auto& [x, y] : points_) {
      const double px = area.left + half + std::clamp(x / 0.3, -1.0, 1.0) * (half - 4);
      const double py = area.top + half - std::clamp(y / 0.1, -1.0, 1.0) * (half - 4);
      ink_area(picture, {px - 2, py - 2, px + 2, py + 2}, kCyanInk, 1.0);
    }
  }
  static void draw_histogram(Tensor& picture, const std::vector<float>& y, float least,
                             float most) {
    const plot::Rect area = square(picture, 1);
    ink_area(picture, area, kDarkInk, 0.7);
    ink_text(picture, {area.left, 68}, "histogram of y", kWhiteInk, 13.0);
    std::vector<int> bins(kBins);
    const float width = std::max(most - least, 1e-9F);
    for (const float v : y) {
      const auto bin = static_cast<size_t>((v - least) / width * kBins);
      ++bins[std::min(bin, kBins - 1)];
    }
    const double tallest = *std::max_element(bins.begin(), bins.end());
    for (size_t i = 0; i < kBins; ++i) {
      const double bar = area.width() / static_cast<double>(kBins);
      const double left = area.left + static_cast<double>(i) * bar;
      const double top = area.bottom - 0.95 * area.height() * bins[i] / tallest;
      ink_area(picture, {left + 1, top, left + bar - 1, area.bottom}, kGreenInk, 0.9);
    }
  }

  MatMulEngine engine_;
  Random random_{1};
  Matrix w_;
  std::deque<std::pair<double, double>> points_;
};

class ReservoirMode final : public Mode {
 public:
  explicit ReservoirMode(ReservoirComputer computer) : computer_(std::move(computer)) {}
  Status open() { return computer_.open(); }
  Status observe(Tensor& picture, const Mouse& mouse, Json& values) override {
    std::vector<float> u(computer_.input_dim());
    for (float& v : u) v = static_cast<float>(random_.normal() * 0.01);
    if (mouse.click) u[0] += 1.0F;
    EDGETWIN_TRY_ASSIGN(const std::vector<float> state, computer_.step(u));
    double square = 0.0;
    for (const float s : state) square += static_cast<double>(s) * static_cast<double>(s);
    values.set("norm", std::sqrt(square)).set("pulse", mouse.click.has_value());
    draw(picture, state, std::sqrt(square));
    return Ok{};
  }

 private:
  static constexpr size_t kSide = 16;
  static void draw(Tensor& picture, const std::vector<float>& state, double norm) {
    float most = 1e-6F;
    for (size_t i = 0; i < kSide * kSide; ++i) most = std::max(most, std::fabs(state[i]));
    const double cell = std::min(static_cast<double>(picture.shape[0]) - 100.0, 320.0) / kSide;
    for (size_t i = 0; i < kSide * kSide; ++i) {
      const double x = 20 + static_cast<double>(i % kSide) * cell;
      const double y = 60 + static_cast<double>(i / kSide) * cell;
      ink_area(picture, {x, y, x + cell, y + cell},
               heat_color(static_cast<double>(state[i] / most) * 0.5 + 0.5), 0.5);
    }
    const double end = static_cast<double>(most);
    const double right = 20 + cell * kSide;
    ink_heat_bar(picture, {right + 12, 60, right + 28, 60 + cell * kSide}, -end, end);
    ink_text(picture, {20, 76 + cell * kSide}, "256 states, norm " + report::fixed_text(norm, 3),
             kWhiteInk);
  }

  ReservoirComputer computer_;
  Random random_{2};
};

constexpr int kGridCells = 8;
constexpr size_t kGallery = 10;

// Means of 8 x 8 cells of three channels, zeros after them.
Result<std::vector<float>> cells_of(const Tensor& picture, size_t dim) {
  EDGETWIN_TRY_ASSIGN(const Tensor cells, resize_by_area(picture, kGridCells, kGridCells));
  std::vector<float> v;
  for (const uint8_t p : cells.as<uint8_t>()) v.push_back(p);
  v.resize(std::max(v.size(), dim), 0.0F);
  return v;
}

class SimilarityMode final : public Mode {
 public:
  explicit SimilarityMode(EmbeddingSimilarity database) : database_(std::move(database)) {}
  Status open() { return database_.open(); }
  Status observe(Tensor& picture, const Mouse& mouse, Json& values) override {
    EDGETWIN_TRY_ASSIGN(const std::vector<float> v, cells_of(picture, database_.embedding_dim()));
    if (mouse.click && database_.size() < kGallery) {
      EDGETWIN_TRY(database_.add(std::to_string(pictures_.size()), v));
      EDGETWIN_TRY_ASSIGN(Tensor small, resize_by_area(picture, 48, 64));
      pictures_.push_back(std::move(small));
    }
    values.set("kept", database_.size()).set("room", kGallery);
    Json matches = Json::array();
    if (database_.size() == 0) {
      ink_message(picture, "click to keep this picture (at most 10)");
      values.set("matches", std::move(matches));
      return Ok{};
    }
    EDGETWIN_TRY_ASSIGN(const std::vector<Match> found, database_.query(v, 3));
    double y = 60;
    for (const Match& m : found) {
      const auto index = static_cast<size_t>(std::stoul(m.label));
      ink_picture(picture, pictures_[index], {12, y, 76, y + 48});
      ink_text(picture, {84, y + 24}, "#" + m.label + "  " + report::fixed_text(m.score, 3),
               kWhiteInk);
      Json row = Json::object();
      matches.push(row.set("label", m.label).set("score", m.score));
      y += 56;
    }
    values.set("matches", std::move(matches));
    return Ok{};
  }

 private:
  EmbeddingSimilarity database_;
  std::vector<Tensor> pictures_;
};

}  // namespace

std::vector<Parameter> matmul_parameters(const std::vector<std::string>&) {
  return {dim_parameter()};
}

Result<std::unique_ptr<Mode>> make_matmul(const ModeSetup& s) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, matrix_engine(s));
  auto mode = std::make_unique<MatMulMode>(std::move(engine));
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

std::vector<Parameter> reservoir_parameters(const std::vector<std::string>&) {
  return {dim_parameter(), range("spectral_radius", "Spectral radius", 0.1, 2.0, 0.95),
          range("leak_rate", "Leak rate", 0.01, 1.0, 1.0),
          select("activation", "Activation", {"tanh", "relu", "identity"}, "tanh")};
}

Result<std::unique_ptr<Mode>> make_reservoir(const ModeSetup& s) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, matrix_engine(s));
  ReservoirOptions o;
  o.spectral_radius = s.values.real("spectral_radius");
  o.leak_rate = s.values.real("leak_rate");
  o.activation = s.values.text("activation");
  EDGETWIN_TRY_ASSIGN(
      ReservoirComputer computer,
      ReservoirComputer::create(std::make_shared<MatMulEngine>(std::move(engine)), 4, o));
  auto mode = std::make_unique<ReservoirMode>(std::move(computer));
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

std::vector<Parameter> similarity_parameters(const std::vector<std::string>&) {
  return {dim_parameter()};
}

Result<std::unique_ptr<Mode>> make_similarity(const ModeSetup& s) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, matrix_engine(s));
  EDGETWIN_TRY_ASSIGN(EmbeddingSimilarity database, EmbeddingSimilarity::create(std::move(engine)));
  auto mode = std::make_unique<SimilarityMode>(std::move(database));
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

}  // namespace edgetwin::serve
