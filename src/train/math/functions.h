// exp, log, power and cosine of our own: binary64 series of named operations, so that a training
// run has the same bits on every processor and with every C library. Errors below 4e-15 relative
// (cosine: absolute), so that a result rounded to binary32 is the nearest or its neighbour.
// Specification: training, 11.
#pragma once

namespace edgetwin::train {

// e^x; 0 below -745, infinity above 709.78.
double exponential(double x);
// ln x for x > 0; -infinity at 0, NaN below.
double logarithm(double x);
// base^exponent for base >= 0; 0^0 is 1.
double power(double base, double exponent);
// cos x for |x| up to 1e6.
double cosine(double x);
// 1 / (1 + e^-x), and tanh x.
double logistic(double x);
double hyperbolic_tangent(double x);

}  // namespace edgetwin::train
