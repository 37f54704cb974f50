"""How big the benchmark's sizes are. A task's own keys: of the model and of the run, and what its data are made of."""

ALL_ARMS = ["random", "fixed_linear", "fixed_root", "competence", "inner", "outer", "dual_loop", "anti", "shuffled"]
THREE_ARMS = ["random", "fixed_linear", "dual_loop"]

# Common to all tasks of a size:
#   seeds        of the runs that are compared
#   lrs          the grid; seed 0 picks the rate of each arm from it, in runs of `pick_share` of the steps
#   evaluations  of a run, besides those at its epochs' ends
#   eval_samples of each evaluation; 0: the whole validation split
SIZES = {
    "minute": dict(
        seeds=[1, 2], lrs=[4e-3, 8e-3], pick_share=0.5, arms=THREE_ARMS, evaluations=10, eval_samples=100,
        tasks={
            "language": dict(layers=2, width=48, steps=60, batch=8, context=64, vocabulary=1024, bytes=40_000),
            "addition": dict(layers=2, width=48, steps=80, batch=32, context=24, sums=600, digits=3),
        }),
    "hour": dict(
        seeds=[1, 2, 3], lrs=[3e-3, 6e-3, 1.2e-2], pick_share=0.5, arms=THREE_ARMS, evaluations=30, eval_samples=0,
        tasks={
            "language": dict(layers=2, width=96, steps=900, batch=16, context=64, vocabulary=1024, bytes=140_000),
            "addition": dict(layers=2, width=64, steps=1600, batch=64, context=24, sums=16000, digits=4),
        }),
    "full": dict(
        seeds=[1, 2, 3, 4, 5], lrs=[1e-3, 2e-3, 4e-3, 8e-3], pick_share=0.5, arms=ALL_ARMS, evaluations=40,
        eval_samples=400,
        tasks={
            "language": dict(layers=4, width=192, steps=4000, batch=32, context=96, vocabulary=4096, bytes=0),
            "addition": dict(layers=3, width=96, steps=6000, batch=64, context=32, sums=60_000, digits=5),
            "pairs": dict(layers=4, width=192, steps=4000, batch=32, context=96, vocabulary=4096, test_pairs=200),
            "pairs_tenth": dict(layers=4, width=192, steps=4000, batch=32, context=96, vocabulary=4096, test_pairs=200),
        }),
    # All that `full` does, in minutes: whether it works.
    "tiny": dict(
        seeds=[1], lrs=[4e-3], pick_share=1, arms=ALL_ARMS, evaluations=2, eval_samples=20,
        tasks={
            "language": dict(layers=1, width=32, steps=12, batch=4, context=64, vocabulary=1024, bytes=40_000),
            "addition": dict(layers=1, width=32, steps=12, batch=8, context=24, sums=300, digits=2),
            "pairs": dict(layers=1, width=32, steps=12, batch=4, context=128, vocabulary=2048, test_pairs=5),
            "pairs_tenth": dict(layers=1, width=32, steps=12, batch=4, context=128, vocabulary=2048, test_pairs=5),
        }),
}
