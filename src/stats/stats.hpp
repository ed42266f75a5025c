// Estimators for skewed times: read this first, then the three headers.
//   order.hpp      median and quantiles, a distribution-free interval of the median, the rule to stop by
//   segmented.hpp  weighted piecewise-linear regression that knows when another segment is not worth it
//   bootstrap.hpp  intervals of anything computed from samples
// Knows no other stage; numbers in, numbers out.
#pragma once
#include "stats/bootstrap.hpp"
#include "stats/order.hpp"
#include "stats/segmented.hpp"
#include "stats/student.hpp"
