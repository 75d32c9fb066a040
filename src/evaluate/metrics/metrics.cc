// The task's functions by its name.
#include "evaluate/metrics/parts_of_metrics.h"

namespace edgetwin::evaluation {

bool is_row(Task task, const Row& row) {
  switch (task) {
    case Task::classify:
      return is_classify_row(row);
    case Task::detect:
      return is_detect_row(row, false);
    case Task::keypoints:
      return is_detect_row(row, true);
    case Task::segment:
      return is_segment_row(row);
    case Task::regress:
      return is_regress_row(row);
    case Task::anomaly:
      return is_anomaly_row(row);
  }
  return false;
}

double badness(Task task, const Row& row) {
  switch (task) {
    case Task::classify:
      return classify_badness(row);
    case Task::detect:
      return detect_badness(row, false);
    case Task::keypoints:
      return detect_badness(row, true);
    case Task::segment:
      return segment_badness(row);
    case Task::regress:
      return regress_badness(row);
    case Task::anomaly:
      return anomaly_badness(row);
  }
  return 0.0;
}

std::string verdict(Task task, const Row& row, std::span<const std::string> classes) {
  switch (task) {
    case Task::classify:
      return classify_verdict(row, classes);
    case Task::detect:
      return detect_verdict(row, false);
    case Task::keypoints:
      return detect_verdict(row, true);
    case Task::segment:
      return segment_verdict(row);
    case Task::regress:
      return regress_verdict(row);
    case Task::anomaly:
      return anomaly_verdict(row);
  }
  return "";
}

Json metrics_json(Task task, const Rows& rows, std::span<const std::string> classes) {
  switch (task) {
    case Task::classify:
      return classify_metrics(rows, classes);
    case Task::detect:
      return detect_metrics(rows, classes, false);
    case Task::keypoints:
      return detect_metrics(rows, classes, true);
    case Task::segment:
      return segment_metrics(rows, classes);
    case Task::regress:
      return regress_metrics(rows);
    case Task::anomaly:
      return anomaly_metrics(rows);
  }
  return Json::object();
}

}  // namespace edgetwin::evaluation
