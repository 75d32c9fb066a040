// Findings: what reading, checking and running have to say without failing, and progress.
#pragma once

#include "base/finding.h"
#include "base/progress.h"
