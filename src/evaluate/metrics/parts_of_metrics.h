// The tasks' own functions, for metrics.cc.
#pragma once

#include <array>

#include "evaluate/metrics/figure.h"
#include "evaluate/metrics/row.h"

namespace edgetwin::evaluation {

bool is_classify_row(const Row& r);
double classify_badness(const Row& r);
std::string classify_verdict(const Row& r, std::span<const std::string> classes);
Json classify_metrics(const Rows& rows, std::span<const std::string> classes);

bool is_detect_row(const Row& r, bool keypoints);
double detect_badness(const Row& r, bool keypoints);
std::string detect_verdict(const Row& r, bool keypoints);
Json detect_metrics(const Rows& rows, std::span<const std::string> classes, bool keypoints);

bool is_segment_row(const Row& r);
double segment_badness(const Row& r);
std::string segment_verdict(const Row& r);
Json segment_metrics(const Rows& rows, std::span<const std::string> classes);

bool is_regress_row(const Row& r);
double regress_badness(const Row& r);
std::string regress_verdict(const Row& r);
Json regress_metrics(const Rows& rows);

bool is_anomaly_row(const Row& r);
double anomaly_badness(const Row& r);
std::string anomaly_verdict(const Row& r);
Json anomaly_metrics(const Rows& rows);

}  // namespace edgetwin::evaluation
