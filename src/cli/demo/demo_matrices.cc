#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/file.h"
#include "cli/demo/demo.h"
#include "cli/shared/exit_codes.h"
#include "robotics/matmul/random.h"
#include "robotics/matmul/reservoir.h"
#include "robotics/matmul/similarity.h"
#include "robotics/picture.h"

namespace edgetwin::cli {
namespace {

using namespace robotics;
using report::Json;

constexpr int kGrid = 8;        // cells in a row and column of an embedding
constexpr double kSteps = 3.0;  // of the output's scale that a product may be off

Result<MatMulEngine> engine_of(const DemoArguments& a) {
  if (!a.device.device.empty()) {
    EDGETWIN_TRY_ASSIGN(Prepared p, prepared(a, nullptr));
    return MatMulEngine::create(std::move(p.engine), std::move(p.sidecar));
  }
  const TwinOptions options{a.numerics};
  return a.model.empty() ? MatMulEngine::from_template(a.dim, options)
                         : MatMulEngine::load(a.model, {}, options);
}

// Learns from the first pictures what the next one's numbers are, and foretells those of the rest.
class Foretelling {
 public:
  Foretelling(const DemoArguments& a, ReservoirComputer& computer) : a_(a), computer_(computer) {}

  // Before the step with `u`. Gives what is said about it.
  Result<std::string> before(const std::vector<float>& u, Json& row) {
    std::string text;
    if (!foretold_.empty()) {
      double square = 0.0, still = 0.0;
      for (size_t k = 0; k < u.size(); ++k) {
        square += std::pow(static_cast<double>(foretold_[k] - u[k]), 2);
        still += std::pow(static_cast<double>(last_[k] - u[k]), 2);
      }
      const auto values = static_cast<double>(u.size());
      square_ += square / values;
      still_ += still / values;
      ++count_;
      row.set("foretold", Json::list(foretold_)).set("error", std::sqrt(square / values));
      text = "  foretold";
      for (const float v : foretold_) text += " " + decimal(static_cast<double>(v));
      text += "  error " + decimal(std::sqrt(square / values), 4);
    }
    last_ = u;
    if (seen_ > *a_.fit) return text;
    inputs_.insert(inputs_.end(), u.begin(), u.end());
    if (seen_++ == *a_.fit) EDGETWIN_TRY(learn(u.size()));
    return text;
  }
  // After it.
  Status after() {
    if (seen_ <= *a_.fit) return Ok{};
    EDGETWIN_TRY_ASSIGN(foretold_, computer_.predict_next());
    return Ok{};
  }

  std::string summary(Json& document) const {
    if (count_ == 0) return "nothing was foretold: --frames ends before --fit\n";
    const double error = std::sqrt(square_ / count_), still = std::sqrt(still_ / count_);
    document.set("foretold", count_).set("error", error).set("error_without", still);
    return "foretold " + std::to_string(count_) + ": error " + decimal(error, 4) +
           ", of the numbers before " + decimal(still, 4) + "\n";
  }

 private:
  Status learn(size_t width) {
    const auto rows = static_cast<size_t>(*a_.fit);
    const auto part = [&](size_t from) {
      const auto begin = inputs_.begin() + static_cast<std::ptrdiff_t>(from * width);
      return Matrix{rows, width, {begin, begin + static_cast<std::ptrdiff_t>(rows * width)}};
    };
    return computer_.fit(part(0), part(1), static_cast<size_t>(a_.warmup), a_.ridge);
  }

  const DemoArguments& a_;
  ReservoirComputer& computer_;
  std::vector<float> inputs_, last_, foretold_;
  int seen_ = 0, count_ = 0;
  double square_ = 0.0, still_ = 0.0;
};

class ReservoirDemo final : public Demo {
 public:
  ReservoirDemo(const DemoArguments& a, ReservoirComputer computer)
      : a_(a), computer_(std::move(computer)), foretelling_(a_, computer_) {}
  Status open() override { return computer_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const Tensor mean, resize_by_area(picture, 1, 1));
    std::vector<float> u;
    for (const uint8_t v : mean.as<uint8_t>()) u.push_back(static_cast<float>(v) / 255.0F);
    u.push_back((u[0] + u[1] + u[2]) / 3.0F);
    u.resize(computer_.input_dim());
    std::string told;
    if (a_.fit) {
      EDGETWIN_TRY_ASSIGN(told, foretelling_.before(u, row));
    }
    EDGETWIN_TRY_ASSIGN(const std::vector<float> state, computer_.step(u));
    if (a_.fit) EDGETWIN_TRY(foretelling_.after());
    double square = 0.0;
    for (const float s : state) square += static_cast<double>(s) * s;
    row.set("norm", std::sqrt(square)).set("first", state.front());
    return "norm " + decimal(std::sqrt(square)) + "  first " + decimal(state.front()) + told;
  }
  std::string summary(Json& document) const override {
    return a_.fit ? foretelling_.summary(document) : "";
  }

 private:
  DemoArguments a_;
  ReservoirComputer computer_;
  Foretelling foretelling_;
};

// Means of 8 x 8 cells of three channels, zeros after them.
Result<std::vector<float>> embedding_of(const Tensor& picture, size_t dim) {
  EDGETWIN_TRY_ASSIGN(const Tensor cells, resize_by_area(picture, kGrid, kGrid));
  std::vector<float> v;
  for (const uint8_t p : cells.as<uint8_t>()) v.push_back(p);
  v.resize(std::max(v.size(), dim), 0.0F);
  return v;
}

class SimilarityDemo final : public Demo {
 public:
  SimilarityDemo(const DemoArguments& a, EmbeddingSimilarity database)
      : a_(a), database_(std::move(database)) {}
  Status open() override {
    EDGETWIN_TRY(a_.save_db.check());
    if (!a_.load_db.empty()) {
      EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a_.load_db));
      EDGETWIN_TRY(database_.load(data, a_.load_db));
    }
    return database_.open();
  }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const std::vector<float> v,
                        embedding_of(picture, database_.embedding_dim()));
    std::string text;
    Json matches = Json::array();
    if (database_.size() > 0) {
      EDGETWIN_TRY_ASSIGN(const std::vector<Match> found,
                          database_.query(v, static_cast<size_t>(a_.top_k)));
      for (const Match& m : found) {
        text += (text.empty() ? "" : "  ") + m.label + " " + decimal(m.score);
        matches.push(Json::object().set("label", m.label).set("score", m.score));
      }
    }
    row.set("matches", std::move(matches));
    const std::string label = "picture " + std::to_string(count_++);
    const auto& known = database_.labels();
    const bool room = database_.size() < static_cast<size_t>(a_.max_gallery) &&
                      std::find(known.begin(), known.end(), label) == known.end();
    if (room) EDGETWIN_TRY(database_.add(label, v));
    return text.empty() ? "kept" : text;
  }
  Status finish() override {
    if (a_.save_db.empty()) return Ok{};
    EDGETWIN_TRY_ASSIGN(const Bytes data, database_.save());
    return a_.save_db.write(ByteSpan(data));
  }

 private:
  DemoArguments a_;
  EmbeddingSimilarity database_;
  int count_ = 0;
};

// Largest difference to a product of real numbers, in steps of the output.
double steps_off(const MatMulEngine& engine, const Matrix& w, const std::vector<float>& x,
                 const std::vector<float>& y) {
  double most = 0.0;
  for (size_t r = 0; r < w.rows; ++r) {
    double sum = 0.0;
    for (size_t c = 0; c < w.columns; ++c) sum += static_cast<double>(w.at(r, c)) * x[c];
    most = std::max(most, std::fabs(sum - static_cast<double>(y[r])));
  }
  return most / static_cast<double>(engine.output().scale);
}

}  // namespace

Result<int> matmul_demo(const DemoArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, engine_of(a));
  EDGETWIN_TRY(engine.open());
  const size_t n = engine.matrix_size();
  Random random(1);
  Matrix w{n, n, std::vector<float>(n * n)};
  for (float& v : w.values) v = static_cast<float>(random.normal() * 0.01);
  EDGETWIN_TRY(engine.set_weights(w));
  double worst = 0.0;
  std::vector<double> milliseconds;
  for (int i = 0; i < a.iterations; ++i) {
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(random.normal() * 0.1);
    const auto start = std::chrono::steady_clock::now();
    EDGETWIN_TRY_ASSIGN(const std::vector<float> y, engine.matmul(x));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    milliseconds.push_back(time.count());
    if (a.verify) worst = std::max(worst, steps_off(engine, w, x, y));
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  console.note("measured: median " + decimal(milliseconds[milliseconds.size() / 2], 4) + " ms");
  console.print(std::to_string(a.iterations) + " products of " + std::to_string(n) + " x " +
                std::to_string(n) + "\n");
  console.json().set("dim", n).set("iterations", a.iterations);
  if (!a.verify) return kYes;
  const bool good = worst <= kSteps;
  console.print(std::string(good ? "good" : "bad") + ": at most " + decimal(worst) +
                " steps of the output from real numbers, " + decimal(kSteps, 0) + " are allowed\n");
  console.json().set("steps", worst).set("good", good);
  return good ? kYes : kNo;
}

MadeDemo reservoir_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, engine_of(a));
  EDGETWIN_TRY_ASSIGN(ReservoirComputer computer,
                      ReservoirComputer::create(
                          std::make_shared<MatMulEngine>(std::move(engine)), a.input_dim,
                          {a.spectral_radius, a.input_scaling, a.leak_rate, a.activation, a.seed}));
  return std::unique_ptr<Demo>(std::make_unique<ReservoirDemo>(a, std::move(computer)));
}

MadeDemo similarity_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, engine_of(a));
  EDGETWIN_TRY_ASSIGN(EmbeddingSimilarity database, EmbeddingSimilarity::create(std::move(engine)));
  return std::unique_ptr<Demo>(std::make_unique<SimilarityDemo>(a, std::move(database)));
}

}  // namespace edgetwin::cli
