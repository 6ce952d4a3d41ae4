/* accord: the accumulation order of floating-point sums. Everything public. */
#ifndef ACCORD_ACCORD_H
#define ACCORD_ACCORD_H
#include <accord/base.h>
#include <accord/bound.h>
#include <accord/exact.h>
#include <accord/exact_blas.h>
#include <accord/exact_device.h>
#include <accord/exact_finish.h>
#include <accord/explain.h>
#include <accord/family.h>
#include <accord/features.h>
#include <accord/format.h>
#include <accord/fused.h>
#include <accord/map.h>
#include <accord/methods.h>
#include <accord/model.h>
#include <accord/notation.h>
#include <accord/pattern.h>
#include <accord/record.h>
#include <accord/reveal.h>
#include <accord/survey.h>
#include <accord/target.h>
#include <accord/tolerance.h>
#include <accord/tree.h>
#include <accord/vary.h>
#endif
