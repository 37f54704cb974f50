#!/usr/bin/env python3
"""Does a curriculum pay? Runs the same training under several pacings and compares the cost of reaching a loss.

  benchmarks/curriculum/curriculum.py --size minute     tries all of it in minutes; says nothing about curricula
  benchmarks/curriculum/curriculum.py --size hour       two tasks, three arms, three seeds: within an hour on 2 quiet cores
  benchmarks/curriculum/curriculum.py --size full       all strategies and controls, five seeds, German-Chinese pairs

A run that is done is kept in the work folder and not repeated, so that a stopped benchmark goes on where it was. Any
provider of sz.pacing/1 is an arm: --arms random,fixed_linear,stairs --plugin stairs_pacing.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

import tasks
from statistics_of_runs import best_until, bootstrap, cost_to_reach, mean, paired

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BASELINE = "fixed_linear"
SHARES = (0.50, 0.75, 0.90, 1.00)  # of the baseline's run, whose losses are the targets
CONTROLS = {"anti": "anti_", "shuffled": "shuffled"}

SIZES = {
    "minute": dict(seeds=[1, 2], lrs=[2e-3, 4e-3], arms=["random", "fixed_linear", "dual_loop"], width=48, layers=2,
                   steps=60, batch=8, tasks=["language", "addition"], documents=400),
    "hour": dict(seeds=[1, 2, 3], lrs=[1e-3, 2e-3, 4e-3], arms=["random", "fixed_linear", "dual_loop"], width=96,
                 layers=3, steps=800, batch=16, tasks=["language", "addition"], documents=6000),
    "full": dict(seeds=[1, 2, 3, 4, 5], lrs=[5e-4, 1e-3, 2e-3, 4e-3],
                 arms=["random", "fixed_linear", "fixed_root", "competence", "inner", "outer", "dual_loop", "anti",
                       "shuffled"],
                 width=256, layers=6, steps=6000, batch=32, tasks=["language", "addition", "pairs", "pairs_tenth"],
                 documents=40000),
}


class Bench:
    def __init__(self, options):
        self.options = options
        self.size = SIZES[options.size]
        self.arms = options.arms.split(",") if options.arms else self.size["arms"]
        if BASELINE not in self.arms:
            self.arms.insert(0, BASELINE)
        self.work = os.path.abspath(options.work or f"{ROOT}/.cache/benchmarks/curriculum/{options.size}")
        self.build = os.path.abspath(options.build)
        os.makedirs(self.work, exist_ok=True)

    # ---- data -----------------------------------------------------------------------------------------------------

    def paths(self, task):
        if task == "language":
            text = f"{ROOT}/.cache/corpus/text"
            if not os.path.isdir(text):
                sys.exit("no text: run scripts/fetch_corpus.sh first")
            return [text]
        if task == "addition":
            path = f"{self.work}/addition.txt"
            if not os.path.exists(path):
                tasks.write_additions(path, self.size["documents"])
            return [path]
        tasks.write_pairs(self.folder(f"{self.work}/pairs"))
        if task == "pairs":
            return [f"{self.work}/pairs/train.jsonl"]
        path = f"{self.work}/pairs/tenth.jsonl"
        if not os.path.exists(path):
            tasks.shorten(f"{self.work}/pairs/train.jsonl", path, 0.1)
        return [path]

    def translates(self, task):
        return task.startswith("pairs") and self.options.size == "full"

    @staticmethod
    def folder(path):
        os.makedirs(path, exist_ok=True)
        return path

    def test_pairs(self):
        with open(f"{self.work}/pairs/test.jsonl", encoding="utf-8") as rows:
            return [json.loads(row) for row in rows]

    # ---- one run --------------------------------------------------------------------------------------------------

    def metric(self, task, arm):
        metric = {"language": self.options.metric, "addition": "digits"}.get(task, "length")
        if arm == "shuffled":
            return "shuffled"
        if arm == "anti":
            return "anti_digits" if metric == "digits" else "anti_length"
        return metric

    def config(self, task, arm, lr, seed, name):
        size, quote = self.size, json.dumps
        strategy = {"random": "none", "anti": "fixed_linear", "shuffled": "fixed_linear"}.get(arm, arm)
        plugins = ["benchmark_scorers", *self.options.plugin]
        metric = self.metric(task, arm)
        if metric in ("tfidf", "syntax", "embed"):
            plugins.append("scorer_" + metric)
        prompts = [row["prompt"] for row in self.test_pairs()] if self.translates(task) else []
        steps, every = size["steps"], max(1, size["steps"] // 20)
        text = f"""[run]
name = {quote(name)}
out = {quote(self.work + "/runs")}
seed = {seed}
[model]
layers = {size["layers"]}
width = {size["width"]}
heads = 4
[data]
paths = {json.dumps(self.paths(task), ensure_ascii=False)}
cache = {quote(self.work + "/data")}
vocabulary = {300 if task == "addition" else 4096}
validation = 0.05
[train]
steps = {steps}
context = 128
micro_batch = {size["batch"]}
grad_clip = 1.0
[optimizer]
lr = {lr}
[optimizer.schedule]
warmup_steps = {max(1, steps // 20)}
min_lr = {lr / 10}
[eval]
every = {every}
samples = 400
prompts = {json.dumps(prompts, ensure_ascii=False)}
[checkpoint]
keep = 1
[plugins]
search = [{quote(self.build + "/benchmarks/plugins")}, {quote(self.build + "/plugins")}]
[plugins.curriculum_dual_loop]
enabled = true
difficulty_metric = {quote(metric)}
adjustment_strategy = {quote(strategy)}
warmup_epochs = 1
inner_every = {max(1, steps // 40)}
smoothing_window = 2
"""
        return text + "".join(f"[plugins.{plugin}]\nenabled = true\n" for plugin in plugins)

    def run(self, task, arm, lr, seed):
        name = f"{task}-{arm}-lr{lr:g}-seed{seed}"
        done = f"{self.work}/results/{name}.json"
        config = self.config(task, arm, lr, seed, name)
        if os.path.exists(done):
            result = json.load(open(done, encoding="utf-8"))
            if result["config"] == config:
                return result
        path = self.folder(f"{self.work}/configs") + f"/{name}.toml"
        with open(path, "w", encoding="utf-8") as out:
            out.write(config)
        started = time.monotonic()
        subprocess.run(["rm", "-rf", f"{self.work}/runs/{name}"], check=True)
        command = [f"{self.build}/bin/szlaunch", "run", path, "-n", "1"]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if ended.returncode != 0:
            sys.exit(f"{name} failed:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")
        result = {"task": task, "arm": arm, "lr": lr, "seed": seed, "config": config,
                  "seconds": time.monotonic() - started, **self.read(f"{self.work}/runs/{name}", task)}
        self.folder(f"{self.work}/results")
        with open(done + ".part", "w", encoding="utf-8") as out:
            json.dump(result, out, ensure_ascii=False)
        os.replace(done + ".part", done)
        print(f"{name}: loss {result['losses'][-1]:.4f}, {result['seconds']:.1f} s", file=sys.stderr, flush=True)
        return result

    def read(self, folder, task):
        tokens = seconds = 0
        out = {"tokens": [], "wall": [], "losses": [], "scoring": 0.0}
        with open(f"{folder}/logs/rank-0.log", encoding="utf-8") as log:
            text = log.read()
        for scored in re.findall(r"scored .* in ([0-9.e+-]+) s", text):
            out["scoring"] += float(scored)
        with open(f"{folder}/metrics.jsonl", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if line.get("event") == "evaluation":
                    out["tokens"].append(tokens)
                    out["wall"].append(out["scoring"] + seconds)
                    out["losses"].append(line["eval_loss"])
                else:
                    tokens += line["tokens"]
                    seconds += line["seconds"]
        if self.translates(task):
            out.update(self.translations(text))
        return out

    def translations(self, log):
        """chrF and BLEU of what the model wrote behind each test prompt, by sacrebleu."""
        import sacrebleu

        said, references = [], []
        for row in self.test_pairs():
            at = log.find("sample: " + row["prompt"])
            said.append(log[at + 8 + len(row["prompt"]):].split("\n")[0] if at >= 0 else "")
            references.append(row["response"])
        return {"chrf": sacrebleu.corpus_chrf(said, [references]).score,
                "bleu": sacrebleu.corpus_bleu(said, [references], tokenize="zh").score}

    # ---- all of them ----------------------------------------------------------------------------------------------

    def plan(self):
        size = self.size
        return len(size["tasks"]) * len(self.arms) * (len(size["lrs"]) + len(size["seeds"]))

    def estimate(self):
        """One short run, timed."""
        steps = self.size["steps"]
        self.size["steps"] = probe = max(10, steps // 50)
        task = self.size["tasks"][0]
        self.run(task, BASELINE, self.size["lrs"][0], 999)  # prepares the data set
        started = time.monotonic()
        self.run(task, BASELINE, self.size["lrs"][0], 998)
        each = (time.monotonic() - started) * steps / probe
        self.size["steps"] = steps
        return each * self.plan() / 3600

    def everything(self):
        """The runs that are compared. Scores are kept beside the data, so that one run a task pays for them: what it paid
        counts for every arm that uses them."""
        results, scoring = [], {}
        for task in self.size["tasks"]:
            for arm in self.arms:
                tried = [self.run(task, arm, lr, 0) for lr in self.size["lrs"]]  # seed 0 only picks the rate
                best = min(tried, key=lambda result: min(result["losses"]))["lr"]
                compared = [self.run(task, arm, best, seed) for seed in self.size["seeds"]]
                key = (task, self.metric(task, arm))
                if arm != "random":  # which scores nothing
                    scoring[key] = max([scoring.get(key, 0.0)] + [r["scoring"] for r in tried + compared])
                results += compared
        for result in results:
            cost = 0 if result["arm"] == "random" else scoring[result["task"], self.metric(result["task"], result["arm"])]
            result["scoring"], own = cost, result["scoring"]
            result["wall"] = [seconds - own + cost for seconds in result["wall"]]
        return results


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


def report(bench, results, seconds):
    size = bench.size
    out = [f"Size {bench.options.size}: {size['layers']} layers, width {size['width']}, {size['steps']} steps of "
           f"{size['batch']} samples of at most 128 tokens; learning rates {size['lrs']}, seeds {size['seeds']}; "
           f"{len(results)} compared runs, {seconds / 60:.1f} minutes in all.",
           "", "Cost of the losses that fixed_linear reaches after a share of its run, fixed_linear / arm (above 1x: "
           "the arm is cheaper), mean over seeds with a 95% bootstrap interval; seeds that never reach it are counted, "
           "and left out of the mean, which therefore flatters the arm. Wall time includes scoring."]
    for task in size["tasks"]:
        own = [r for r in results if r["task"] == task]
        final = {arm: {r["seed"]: min(r["losses"]) for r in own if r["arm"] == arm} for arm in bench.arms}
        rows = [[arm, f"{mean(list(final[arm].values())):.4f}",
                 interval(paired(final[arm], final[BASELINE]), lambda x: f"{x:+.4f}"),
                 ", ".join(sorted({f"{r['lr']:g}" for r in own if r["arm"] == arm})),
                 f"{mean([r['scoring'] for r in own if r['arm'] == arm]):.2f}"] for arm in bench.arms]
        head = [f"to the loss at {share:.0%}" for share in SHARES]
        out += ["", f"### {task}", "",
                table(["arm", "best validation loss", "minus fixed_linear's", "lr", "scoring s"], rows), "",
                table(["tokens", *head], cost_rows(own, "tokens")), "",
                table(["wall time", *head], cost_rows(own, "wall"))]
        if own and "bleu" in own[0]:
            rows = []
            for arm in bench.arms:
                mine = [r for r in own if r["arm"] == arm]
                rows.append([arm, interval([r["chrf"] for r in mine], lambda x: f"{x:.2f}"),
                             interval([r["bleu"] for r in mine], lambda x: f"{x:.2f}")])
            out += ["", table(["arm", "chrF", "BLEU"], rows)]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="minute")
    parser.add_argument("--arms", default="", help="comma-separated: random, anti, shuffled, providers of sz.pacing/1")
    parser.add_argument("--plugin", action="append", default=[], help="a further plugin to enable, for its pacing")
    parser.add_argument("--metric", default="tfidf", help="difficulty of the language task")
    parser.add_argument("--build", default=f"{ROOT}/build")
    parser.add_argument("--work", default="", help="of runs and results; default .cache/benchmarks/curriculum/SIZE")
    parser.add_argument("--estimate", action="store_true", help="print the expected hours and stop")
    bench = Bench(parser.parse_args())
    if bench.options.size != "minute" or bench.options.estimate:
        hours = bench.estimate()
        print(f"{bench.plan()} runs, about {hours:.2f} hours on this machine as busy as it is now", file=sys.stderr)
        if bench.options.estimate:
            return
    started = time.monotonic()
    results = bench.everything()
    text = report(bench, results, time.monotonic() - started)
    with open(f"{bench.work}/results.md", "w", encoding="utf-8") as out:
        out.write(text)
    print(text)


if __name__ == "__main__":
    main()
