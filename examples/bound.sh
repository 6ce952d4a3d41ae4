#!/bin/sh
# May a compiler change the sign of a discriminant? bound.sh [ACCORD]
accord=${1:-accord}
set -e
discriminant='b*b - 4*a*c'
for model in written contract paren; do
    "$accord" bound --expr "$discriminant" a=1.1 b=3.3 c=2.475 --format f32 --model $model
    echo
done
# Whether a branch on it is stable is a question, too: 0 means always false, 1 always true.
"$accord" bound --expr "$discriminant > 0" a=1.1 b=3.3 c=2.475 --format f32
