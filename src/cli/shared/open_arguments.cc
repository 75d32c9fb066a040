#include "cli/shared/open_arguments.h"

namespace edgetwin::cli {

OpenOptions open_options(const ComputeArguments& compute, const Max78Arguments& max78) {
  OpenOptions o;
  o.target = compute.target;
  o.numerics = compute.numerics;
  o.member = compute.model;
  o.key = compute.key;
  o.runtime = compute.runtime;
  o.wide = compute.wide;
  o.shapes = compute.shapes;
  o.checkpoint = max78.checkpoint;
  o.weights = max78.weights;
  o.bias = max78.bias;
  o.sample = max78.sample;
  o.input_shape = max78.shape;
  o.options = max78.options;
  return o;
}

RunnerOptions runner_options(const ComputeArguments& compute) {
  RunnerOptions o;
  o.threads = compute.threads;
  o.plain = compute.plain;
  o.isa = compute.isa;
  o.allow_undefined = compute.allow_undefined;
  return o;
}

PictureOptions picture_options(const ComputeArguments& compute) {
  PictureOptions o;
  o.mean = compute.mean;
  o.std = compute.std;
  return o;
}

}  // namespace edgetwin::cli
