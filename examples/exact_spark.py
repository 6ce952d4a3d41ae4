#!/usr/bin/env python3
"""Exact sums with Spark: each partition gives an accumulator, and accumulators are added. The results
have the same bits for all numbers of partitions and cores (needs pyspark, and a Java runtime)."""
import operator
import sys

import accord
import numpy
from pyspark import SparkConf, SparkContext


def exact_sum(numbers):
    parts = numbers.mapPartitions(lambda part: [accord.Accumulator(part)])
    return parts.treeReduce(operator.add).value()


def exact_sums_by_key(pairs):
    sums = pairs.aggregateByKey(accord.Accumulator(), lambda a, x: a.add(x), operator.add)
    return sums.mapValues(lambda a: a.value()).collectAsMap()


def main():
    random = numpy.random.default_rng(1)
    numbers = (random.standard_normal(20000) * 10.0 ** random.integers(-12, 12, 20000)).tolist()
    plain, exact, by_key = set(), set(), []
    for cores in (1, 2):
        configuration = SparkConf().set("spark.ui.enabled", "false")
        with SparkContext(f"local[{cores}]", "exact", conf=configuration) as spark:
            spark.setLogLevel("ERROR")
            for partitions in (1, 3, 8):
                x = spark.parallelize(numbers, partitions)
                plain.add(x.sum())
                exact.add(exact_sum(x))
                by_key.append(exact_sums_by_key(x.zipWithIndex().map(lambda p: (p[1] % 7, p[0]))))
    print(f"sum(): {len(plain)} results, exact: {len(exact)}, {exact}")
    right = {k: accord.sum(numpy.array(numbers[k::7])) for k in range(7)}
    return exact != {accord.sum(numpy.array(numbers))} or any(s != right for s in by_key)


if __name__ == "__main__":
    sys.exit(main())
