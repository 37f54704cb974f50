"""What the runs show: cost to reach a loss, paired differences, bootstrap intervals. Standard library only."""
import random


def cost_to_reach(curve, target):
    """curve: [(cost, loss)], in order. The cost at which the loss first reaches the target, on the straight line
    between the evaluations before and after; None where it never does."""
    before = None
    for cost, loss in curve:
        if loss <= target:
            if before is None or before[1] == loss:
                return cost
            share = (before[1] - target) / (before[1] - loss)
            return before[0] + share * (cost - before[0])
        before = (cost, loss)
    return None


def best_until(curve, cost):
    """Lowest loss up to a cost."""
    return min((loss for at, loss in curve if at <= cost * (1 + 1e-9)), default=None)


def mean(values):
    return sum(values) / len(values)


def bootstrap(values, draws=10000, level=0.95, seed=1):
    """Percentile bootstrap of the mean (Efron, 1979): (mean, low, high). Of one value: no interval."""
    if len(values) < 2:
        return mean(values), None, None
    stream = random.Random(seed)
    means = sorted(mean(stream.choices(values, k=len(values))) for _ in range(draws))
    tail = (1 - level) / 2
    return mean(values), means[int(tail * draws)], means[min(draws - 1, int((1 - tail) * draws))]


def paired(ours, theirs):
    """Differences ours - theirs, seed by seed, over the seeds that both have: {seed: value} each."""
    return [ours[seed] - theirs[seed] for seed in sorted(set(ours) & set(theirs))]
