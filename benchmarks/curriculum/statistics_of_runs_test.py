"""python3 -m unittest discover -s benchmarks/curriculum -p '*_test.py'"""
import unittest

from statistics_of_runs import best_until, bootstrap, cost_to_reach, paired


class Statistics(unittest.TestCase):
    def test_cost_to_reach(self):
        curve = [(10, 5.0), (20, 4.0), (30, 4.5), (40, 2.0)]
        self.assertEqual(cost_to_reach(curve, 5.0), 10)
        self.assertEqual(cost_to_reach(curve, 4.5), 15)
        self.assertEqual(cost_to_reach(curve, 6.0), 10)
        self.assertAlmostEqual(cost_to_reach(curve, 3.25), 35)
        self.assertIsNone(cost_to_reach(curve, 1.9))

    def test_best_until(self):
        curve = [(10, 5.0), (20, 4.0), (30, 4.5)]
        self.assertEqual(best_until(curve, 15), 5.0)
        self.assertEqual(best_until(curve, 30), 4.0)
        self.assertIsNone(best_until(curve, 5))

    def test_bootstrap_covers_the_mean(self):
        middle, low, high = bootstrap([1.0, 2.0, 3.0, 4.0, 5.0])
        self.assertEqual(middle, 3.0)
        self.assertTrue(1.0 <= low < 3.0 < high <= 5.0)
        self.assertEqual(bootstrap([2.0]), (2.0, None, None))
        self.assertEqual(bootstrap([2.0, 2.0]), (2.0, 2.0, 2.0))

    def test_paired_takes_common_seeds(self):
        self.assertEqual(paired({1: 5.0, 2: 7.0}, {2: 4.0, 3: 1.0}), [3.0])


if __name__ == "__main__":
    unittest.main()
