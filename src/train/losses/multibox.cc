#include "train/losses/multibox.h"

#include <cmath>

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

struct Match {
  int64_t label = 0;
  int object = -1;
};

double overlap(const Box& corners, const Box& prior) {
  const auto side = [](float low, float high, float centre, float size) {
    const double from =
        std::max<double>(low, static_cast<double>(centre) - static_cast<double>(size) / 2);
    const double to =
        std::min<double>(high, static_cast<double>(centre) + static_cast<double>(size) / 2);
    return std::max(0.0, to - from);
  };
  const double common = side(corners[0], corners[2], prior[0], prior[2]) *
                        side(corners[1], corners[3], prior[1], prior[3]);
  const double area =
      static_cast<double>(corners[2] - corners[0]) * static_cast<double>(corners[3] - corners[1]) +
      static_cast<double>(prior[2]) * static_cast<double>(prior[3]);
  return common / (area - common);
}

// Each prior takes the object that it overlaps most, each object forces its best prior.
std::vector<Match> match(const Objects& objects, const std::vector<Box>& priors, double threshold) {
  std::vector<Match> matches(priors.size());
  if (objects.boxes.empty()) return matches;
  std::vector<double> best(priors.size(), -1);
  std::vector<int> chosen(priors.size());
  std::vector<size_t> forced;
  for (size_t o = 0; o < objects.boxes.size(); ++o) {
    double largest = -1;
    size_t prior = 0;
    for (size_t p = 0; p < priors.size(); ++p) {
      const double value = overlap(objects.boxes[o], priors[p]);
      if (value > best[p]) {
        best[p] = value;
        chosen[p] = static_cast<int>(o);
      }
      if (value > largest) {
        largest = value;
        prior = p;
      }
    }
    forced.push_back(prior);
  }
  for (size_t o = 0; o < forced.size(); ++o) {
    chosen[forced[o]] = static_cast<int>(o);
    best[forced[o]] = 1;
  }
  for (size_t p = 0; p < priors.size(); ++p) {
    if (best[p] < threshold) continue;
    matches[p].object = chosen[p];
    matches[p].label = objects.labels[static_cast<size_t>(chosen[p])];
  }
  return matches;
}

Box encoded(const Box& corners, const Box& prior) {
  Box code;
  for (size_t i = 0; i < 2; ++i) {
    const double centre =
        (static_cast<double>(corners[i]) + static_cast<double>(corners[i + 2])) / 2;
    const double size = static_cast<double>(corners[i + 2]) - static_cast<double>(corners[i]);
    const auto prior_size = static_cast<double>(prior[i + 2]);
    code[i] = static_cast<float>((centre - static_cast<double>(prior[i])) / (prior_size / 10));
    code[i + 2] = static_cast<float>(5 * logarithm(size / prior_size + 1e-7));
  }
  return code;
}

// Adds the smooth distance of a positive prior and its gradient, both times `factor`.
double add_location(const float* location, const Box& code, double factor, float* gradient) {
  double sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    const double d = static_cast<double>(location[i]) - static_cast<double>(code[i]);
    const bool near = std::abs(d) < 1;
    sum += near ? d * d / 2 : std::abs(d) - 0.5;
    gradient[i] = static_cast<float>(factor * (near ? d : (d > 0 ? 1.0 : -1.0)));
  }
  return sum * factor;
}

// Which priors of a picture count: positives, and the negatives of largest loss.
std::vector<char> selected(const std::vector<Match>& matches, const std::vector<double>& losses,
                           int ratio, bool all) {
  std::vector<char> use(matches.size(), all ? 1 : 0);
  std::vector<size_t> negatives;
  size_t positives = 0;
  for (size_t p = 0; p < matches.size(); ++p) {
    if (matches[p].label != 0) {
      use[p] = 1;
      ++positives;
    } else {
      negatives.push_back(p);
    }
  }
  std::stable_sort(negatives.begin(), negatives.end(),
                   [&](size_t a, size_t b) { return losses[a] > losses[b]; });
  const size_t hard = std::min(negatives.size(), positives * static_cast<size_t>(ratio));
  for (size_t i = 0; i < hard; ++i) use[negatives[i]] = 1;
  return use;
}

double add_scores(const Maps& scores, int item, const std::vector<Match>& matches, int ratio,
                  int64_t positives, Maps& gradient) {
  const auto classes = scores.c;
  std::vector<double> norms, losses;
  for (size_t p = 0; p < matches.size(); ++p) {
    const float* in = scores.at(item, static_cast<int>(p), 0);
    norms.push_back(log_sum_exp(in, classes));
    losses.push_back(norms.back() - static_cast<double>(in[matches[p].label]));
  }
  const std::vector<char> use = selected(matches, losses, ratio, positives == 0);
  const double count =
      positives == 0 ? static_cast<double>(scores.n) * scores.h : static_cast<double>(positives);
  double sum = 0;
  for (size_t p = 0; p < matches.size(); ++p) {
    if (use[p] == 0) continue;
    sum += losses[p] / count;
    const float* in = scores.at(item, static_cast<int>(p), 0);
    float* out = gradient.at(item, static_cast<int>(p), 0);
    for (int c = 0; c < classes; ++c) {
      const double probability = exponential(static_cast<double>(in[c]) - norms[p]);
      out[c] = static_cast<float>((probability - (c == matches[p].label ? 1 : 0)) / count);
    }
  }
  return sum;
}

}  // namespace

Multibox multibox(const Maps& location, const Maps& scores, const std::vector<Box>& priors,
                  const std::vector<Objects>& objects, const MultiboxOptions& options) {
  Multibox result;
  result.location_gradient = Maps(location.n, location.h, location.w, location.c);
  result.score_gradient = Maps(scores.n, scores.h, scores.w, scores.c);
  std::vector<std::vector<Match>> matches;
  int64_t positives = 0;
  for (const Objects& o : objects) {
    matches.push_back(match(o, priors, options.overlap_threshold));
    for (const Match& m : matches.back()) positives += m.label != 0 ? 1 : 0;
  }
  for (int item = 0; item < location.n; ++item) {
    const auto& own = matches[static_cast<size_t>(item)];
    const Objects& its = objects[static_cast<size_t>(item)];
    result.loss +=
        add_scores(scores, item, own, options.neg_pos_ratio, positives, result.score_gradient);
    for (size_t p = 0; p < own.size(); ++p) {
      if (own[p].label == 0) continue;
      const Box code = encoded(its.boxes[static_cast<size_t>(own[p].object)], priors[p]);
      result.loss += add_location(location.at(item, static_cast<int>(p), 0), code,
                                  options.alpha / (4 * static_cast<double>(positives)),
                                  result.location_gradient.at(item, static_cast<int>(p), 0));
    }
  }
  return result;
}

}  // namespace edgetwin::train
