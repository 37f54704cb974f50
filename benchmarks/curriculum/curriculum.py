#!/usr/bin/env python3
"""Does a curriculum pay? Runs the same training under several pacings and compares the cost of reaching a loss.

  benchmarks/curriculum/curriculum.py --size minute     tries the benchmark; says nothing about curricula
  benchmarks/curriculum/curriculum.py --size hour       two tasks, three arms, three seeds; a quarter of an hour
  benchmarks/curriculum/curriculum.py --size full       all strategies and controls, five seeds, German-Chinese pairs
  benchmarks/curriculum/curriculum.py --size tiny       tries all that full does, translations and their scores included

A run that is done is kept in the work folder and not repeated, so that a stopped benchmark goes on where it was. Any
provider of sz.pacing/1 is an arm, and the curriculum's keys may be set for an arm alone:

  --arms random,fixed_linear,stairs,dual_loop:inner_low=0.4:inner_high=1.5 --plugin stairs_pacing
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import time

import tasks
from readings import read_decisions, read_run, translations
from report import report
from sizes import SIZES

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BASELINE = "fixed_linear"
STRATEGIES = {"random": "none", "anti": "fixed_linear", "shuffled": "fixed_linear"}  # of arms named otherwise


def children_seconds():
    """CPU time of all processes that ended so far, user and system."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def folder(path):
    os.makedirs(path, exist_ok=True)
    return path


class Bench:
    def __init__(self, options):
        self.options = options
        self.size = dict(SIZES[options.size])
        if options.tasks:
            self.size["tasks"] = {name: self.size["tasks"][name] for name in options.tasks.split(",")}
        self.arms = options.arms.split(",") if options.arms else self.size["arms"]
        if BASELINE not in self.arms:
            self.arms.insert(0, BASELINE)
        self.work = folder(os.path.abspath(options.work or f"{ROOT}/.cache/benchmarks/curriculum/{options.size}"))
        self.build = os.path.abspath(options.build)
        if any(task.startswith("pairs") for task in self.size["tasks"]):
            import sacrebleu  # noqa: F401  (it is missed now, not after the first hours)

    # ---- data -----------------------------------------------------------------------------------------------------

    def data_keys(self, task, spec):
        """Keys of [data]; writes what they name."""
        keys = {"cache": self.work + "/data", "validation": 0.05}
        if task == "addition":
            return {**keys, "paths": [self.additions(spec)], "tokenizer": self.tokenizer()}
        keys["vocabulary"] = spec["vocabulary"]
        if task == "language":
            return {**keys, "paths": [self.text(spec["bytes"])]}
        return {**keys, "paths": [self.pairs(task, spec["test_pairs"])]}

    def text(self, size):
        corpus = f"{ROOT}/.cache/corpus/text"
        if not os.path.isdir(corpus):
            sys.exit("no text: run scripts/fetch_corpus.sh first")
        if not size:
            return corpus
        path = f"{self.work}/text-{size}"
        if not os.path.exists(path + "/zh/text.txt"):  # the last one written
            tasks.write_text(path, corpus, size)
        return path

    def additions(self, spec):
        path = f"{self.work}/addition-{spec['sums']}-{spec['digits']}.jsonl"
        if not os.path.exists(path):
            tasks.write_additions(path, spec["sums"], spec["digits"])
        return path

    def tokenizer(self):
        """Of the additions: each figure is a token."""
        text = folder(f"{self.work}/tokenizer") + "/figures.txt"
        config = f"{self.work}/tokenizer/figures.toml"
        if not os.path.exists(config):
            tasks.write_tokenizer_text(text)
            with open(config, "w", encoding="utf-8") as out:
                out.write(to_toml({"data": {"paths": [text], "cache": self.work + "/data", "vocabulary": 300},
                                   "train": {"steps": 1}}))
        prepared = self.launch("data", "prepare", config).strip().split("\n")[-1]
        return prepared + "/tokenizer.model"

    def pairs(self, task, test_pairs):
        path = folder(f"{self.work}/pairs")
        if not os.path.exists(path + "/train.jsonl"):
            tasks.write_pairs(path, test_pairs)
        if task == "pairs":
            return path + "/train.jsonl"
        if not os.path.exists(path + "/tenth.jsonl"):
            tasks.shorten(path + "/train.jsonl", path + "/tenth.jsonl", 0.1)
        return path + "/tenth.jsonl"

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

    def curriculum(self, task, arm, spec):
        """Keys of the plugin. Intervals fit the run: the defaults are for runs of 10,000 steps and more."""
        name, *own = arm.split(":")
        keys = {"enabled": True, "difficulty_metric": self.metric(task, name),
                "adjustment_strategy": STRATEGIES.get(name, name), "warmup_epochs": 1, "smoothing_window": 2,
                "inner_every": max(1, spec["steps"] // 40)}
        for key, value in (entry.split("=") for entry in own):
            keys[key] = float(value) if "." in value else int(value)
        return keys

    def config(self, task, arm, lr, seed, name, steps):
        """`steps` may be fewer than a whole run's, from which all intervals come."""
        spec = self.size["tasks"][task]
        data = self.data_keys(task, spec)
        translates = task.startswith("pairs") and seed > 0
        plugins = {"benchmark_scorers": {"enabled": True}, "curriculum_dual_loop": self.curriculum(task, arm, spec)}
        if self.metric(task, arm) in ("tfidf", "syntax", "embed"):
            plugins["scorer_" + self.metric(task, arm)] = {"enabled": True}
        plugins.update({plugin: {"enabled": True} for plugin in self.options.plugin})
        return to_toml({
            "run": {"name": name, "out": self.work + "/runs", "seed": seed, "matrix_route": self.options.route},
            "launch": {"threads": self.options.threads},
            "model": {"layers": spec["layers"], "width": spec["width"], "heads": 4},
            "data": data,
            "train": {"steps": steps, "context": spec["context"], "micro_batch": spec["batch"], "grad_clip": 1.0},
            "optimizer": {"lr": lr},
            "optimizer.schedule": {"warmup_steps": max(1, spec["steps"] // 20), "min_lr": lr / 10},
            "eval": {"every": max(1, spec["steps"] // self.size["evaluations"]),
                     "samples": self.size["eval_samples"], "sample_tokens": 48, "temperature": 0.0,
                     "prompts": [row["prompt"] for row in self.test_pairs()] if translates else []},
            "checkpoint": {"keep": 1},
            "plugins": {"search": [self.build + "/benchmarks/plugins", self.build + "/plugins"]},
            **{"plugins." + plugin: keys for plugin, keys in plugins.items()}})

    def launch(self, *arguments):
        command = [f"{self.build}/bin/szlaunch", *arguments]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.options.threads)}
        ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")
        return ended.stdout

    def run(self, task, arm, lr, seed, steps=0):
        steps = steps or self.size["tasks"][task]["steps"]
        name = f"{task}-{arm.replace(':', '-')}-lr{lr:g}-seed{seed}"
        config = self.config(task, arm, lr, seed, name, steps)
        done = folder(f"{self.work}/results") + f"/{name}.json"
        if os.path.exists(done):
            with open(done, encoding="utf-8") as kept:
                result = json.load(kept)
            if result["config"] == config:
                return result
        path = folder(f"{self.work}/configs") + f"/{name}.toml"
        with open(path, "w", encoding="utf-8") as out:
            out.write(config)
        subprocess.run(["rm", "-rf", f"{self.work}/runs/{name}"], check=True)
        started, used = time.monotonic(), children_seconds()
        self.launch("run", path, "-n", "1")
        result = {"task": task, "arm": arm, "lr": lr, "seed": seed, "steps": steps, "config": config,
                  "seconds": time.monotonic() - started, "cpu_seconds": children_seconds() - used,
                  **read_run(f"{self.work}/runs/{name}"), "decisions": read_decisions(f"{self.work}/runs/{name}")}
        if task.startswith("pairs") and seed > 0:
            result.update(translations(f"{self.work}/runs/{name}", self.test_pairs()))
        with open(done + ".part", "w", encoding="utf-8") as out:
            json.dump(result, out, ensure_ascii=False)
        os.replace(done + ".part", done)
        print(f"{name}: loss {min(result['losses']):.4f}, {result['cpu_seconds']:.1f} s of CPU time, "
              f"{result['seconds']:.1f} s", file=sys.stderr, flush=True)
        return result

    # ---- all of them ----------------------------------------------------------------------------------------------

    def picks(self):
        """Runs of an arm that only pick the rate, in whole runs; a grid of one rate needs none."""
        return len(self.size["lrs"]) * self.size["pick_share"] if len(self.size["lrs"]) > 1 else 0

    def estimate(self):
        """Hours of CPU time and of wall time, from two short runs a task: a step's and a start's cost."""
        hours = [0.0, 0.0]
        for task, spec in self.size["tasks"].items():
            probe = max(5, spec["steps"] // 400)
            self.run(task, BASELINE, self.size["lrs"][0], 900, 1)  # prepares the data set and its scores
            short = self.run(task, BASELINE, self.size["lrs"][0], 901, probe)
            long = self.run(task, BASELINE, self.size["lrs"][0], 902, 3 * probe)
            for i, key in enumerate(("cpu_seconds", "seconds")):
                step = max(0.0, long[key] - short[key]) / (2 * probe)
                start = max(0.0, short[key] - probe * step)
                evaluating = self.size["evaluations"] * long["evaluation_seconds"]
                runs = len(self.arms) * (self.picks() + len(self.size["seeds"]))
                hours[i] += runs * (start + spec["steps"] * step + evaluating) / 3600
        return hours

    def pick(self, task, arm):
        """The rate whose run reaches the lowest loss, with seed 0, which is not compared."""
        rates = self.size["lrs"]
        if len(rates) == 1:
            return rates[0], []
        steps = max(1, round(self.size["tasks"][task]["steps"] * self.size["pick_share"]))
        tried = [self.run(task, arm, lr, 0, steps) for lr in rates]
        return min(tried, key=lambda result: min(result["losses"]))["lr"], tried

    def scoring(self, task, arm, known):
        """Wall and CPU seconds that the arm's scores cost, which are kept beside the data: what the first run that
        wanted them paid. `known`: of the task's metrics so far."""
        if arm == "random":  # scores nothing
            return [0.0, 0.0]
        paid = self.run(task, arm, self.size["lrs"][0], 900, 1)["scoring"]
        metric = self.metric(task, arm)
        known[metric] = [max(cost) for cost in zip(known.get(metric, paid), paid)]
        return known[metric]

    def everything(self):
        """The runs that are compared, and all others. Every arm that uses a metric's scores counts what they cost."""
        compared, others = [], []
        for task in self.size["tasks"]:
            known = {}
            for arm in self.arms:
                cost = self.scoring(task, arm, known)
                rate, tried = self.pick(task, arm)
                others += tried
                for seed in self.size["seeds"]:
                    result = self.run(task, arm, rate, seed)
                    for curve, own, paid in zip(("wall", "cpu"), result["scoring"], cost):
                        result[curve] = [seconds - own + paid for seconds in result[curve]]
                    compared.append({**result, "scoring": cost})
        return compared, others


def to_toml(tables):
    lines = []
    for table, keys in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="minute")
    parser.add_argument("--tasks", default="", help="comma-separated, of the size's tasks; default: all")
    parser.add_argument("--arms", default="", help="comma-separated: random, anti, shuffled, providers of sz.pacing/1")
    parser.add_argument("--plugin", action="append", default=[], help="a further plugin to enable, for its pacing")
    parser.add_argument("--metric", default="tfidf", help="difficulty of the language task")
    parser.add_argument("--threads", type=int, default=1, help="of a run")
    parser.add_argument("--route", default="mkl", help="run.matrix_route, one for all runs")
    parser.add_argument("--build", default=f"{ROOT}/build")
    parser.add_argument("--work", default="", help="of runs and results; default .cache/benchmarks/curriculum/SIZE")
    parser.add_argument("--estimate", action="store_true", help="print the expected hours and stop")
    bench = Bench(parser.parse_args())
    if bench.options.size in ("hour", "full") or bench.options.estimate:
        cpu, wall = bench.estimate()
        print(f"about {cpu:.2f} hours of CPU time, {wall:.2f} hours on this machine as busy as it is now; runs that "
              "are done are not repeated", file=sys.stderr)
        if bench.options.estimate:
            return
    text = report(bench.options.size, bench.size, bench.arms, *bench.everything())
    with open(f"{bench.work}/results.md", "w", encoding="utf-8") as out:
        out.write(text)
    print(text)


if __name__ == "__main__":
    main()
