"""The benchmark's tables."""
from statistics_of_runs import best_until, bootstrap, cost_to_reach, mean, paired

BASELINE = "fixed_linear"
SHARES = (0.50, 0.75, 0.90, 1.00)  # of the baseline's run, whose losses are the targets


def interval(values, form):
    middle, low, high = bootstrap(values)
    return form(middle) if low is None else f"{form(middle)} [{form(low)}, {form(high)}]"


def cost_rows(results, cost):
    """Arm by arm: how many times cheaper than the baseline each target is reached; all seeds, or how many did."""
    by = {(r["arm"], r["seed"]): r for r in results}
    rows = []
    for arm in dict.fromkeys(r["arm"] for r in results):
        cells = []
        for share in SHARES:
            ratios, missed = [], 0
            for seed in sorted({r["seed"] for r in results}):
                ours, base = by[arm, seed], by[BASELINE, seed]
                target = best_until(list(zip(base["tokens"], base["losses"])), share * base["tokens"][-1])
                curves = [list(zip(r[cost], r["losses"])) for r in (ours, base)]
                reached = [cost_to_reach(curve, target) for curve in curves]
                if reached[0] is None:
                    missed += 1
                else:
                    ratios.append(reached[1] / max(reached[0], 1e-9))
            text = interval(ratios, lambda x: f"{x:.2f}x") if ratios else "-"
            cells.append(text + (f" ({missed} never)" if missed else ""))
        rows.append([arm, *cells])
    return rows


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def final_rows(arms, results):
    final = {arm: {r["seed"]: min(r["losses"]) for r in results if r["arm"] == arm} for arm in arms}
    rows = []
    for arm in arms:
        own = [r for r in results if r["arm"] == arm]
        rows.append([arm, f"{mean(list(final[arm].values())):.4f}",
                     interval(paired(final[arm], final[BASELINE]), lambda x: f"{x:+.4f}"),
                     ", ".join(sorted({f"{r['lr']:g}" for r in own})),
                     f"{mean([r['tokens'][-1] for r in own]) / 1000:.0f}",
                     f"{mean([r['cpu'][-1] for r in own]):.1f}", f"{own[0]['scoring'][1]:.2f}"])
    return rows


def decision_rows(arms, results):
    """What the curriculum did, mean over the seeds."""
    rows = []
    for arm in arms:
        own = [r for r in results if r["arm"] == arm]
        names = sorted({name for r in own for name in r["decisions"]} - {"data_hidden"})
        told = [f"{name} {mean([r['decisions'].get(name, 0) for r in own]):.1f}" for name in names]
        spreads = [r["median_spread"] for r in own if r["median_spread"] is not None]
        rows.append([arm, f"{mean([r['mean_threshold'] for r in own]):.2f}",
                     f"{mean(spreads):.2f}" if spreads else "-", ", ".join(told) or "-"])
    return rows


def about(name, size, compared, others):
    everything = compared + others
    cpu, wall = (sum(r[key] for r in everything) / 60 for key in ("cpu_seconds", "seconds"))
    lines = [f"Size {name}. Learning rates {size['lrs']}, picked per arm with seed 0 in runs of "
             f"{size['pick_share']:.0%} of the steps; seeds compared {size['seeds']}. {len(compared)} compared runs "
             f"and {len(others)} that pick: {cpu:.1f} minutes of CPU time, {wall:.1f} minutes one after the other.", ""]
    for task, spec in size["tasks"].items():
        lines.append(f"- {task}: " + ", ".join(f"{key} {value}" for key, value in spec.items()))
    return lines + ["", "Cost of the losses that fixed_linear reaches after a share of its run, fixed_linear / arm "
                    "(above 1x: the arm is cheaper), mean over seeds with a 95% bootstrap interval; seeds that never "
                    "reach it are counted, and left out of the mean, which therefore flatters the arm. Both times are "
                    "those of the training steps with scoring; CPU time is user and system of all threads, and does "
                    "not feel what else the machine does, but for its caches."]


def report(name, size, arms, compared, others):
    out = about(name, size, compared, others)
    for task in size["tasks"]:
        own = [r for r in compared if r["task"] == task]
        head = [f"to the loss at {share:.0%}" for share in SHARES]
        out += ["", f"### {task}", "",
                table(["arm", "best validation loss", "minus fixed_linear's", "lr", "1000 tokens", "CPU s",
                       "scoring s"], final_rows(arms, own)), "",
                table(["tokens", *head], cost_rows(own, "tokens")), "",
                table(["CPU time", *head], cost_rows(own, "cpu")), "",
                table(["wall time", *head], cost_rows(own, "wall")), "",
                table(["arm", "mean threshold", "median loss_std", "decisions a run"], decision_rows(arms, own))]
        if own and "bleu" in own[0]:
            scores = [[arm, *(interval([r[key] for r in own if r["arm"] == arm], lambda x: f"{x:.2f}")
                              for key in ("chrf", "bleu"))] for arm in arms]
            out += ["", table(["arm", "chrF", "BLEU"], scores)]
    return "\n".join(out) + "\n"
