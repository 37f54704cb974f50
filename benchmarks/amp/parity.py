"""Parity of mixed precision with fp32: the quickstart with warm-up 30 and growth_interval 20, over seeds.

Rows are appended to a file as they come; a row that is there is not run again, so that a run that was cut short goes
on. One rank with two micro-batches takes the same steps as the quickstart's two ranks with one each.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MICRO_BATCHES = 2  # of a step of the quickstart, over all ranks

VARIANTS = {
    "fp32": {"plugins.amp_o2.enabled": "false"},
    "O2 fp16": {},
    "O2 bf16": {"plugins.amp_o2.dtype": "bf16"},
    "O2 fp16, fp32 embedding": {"plugins.amp_o2.keep_fp32": '["norm","embedding"]'},
}

COLUMNS = {"eval_loss": "loss", "eval_accuracy": "accuracy", "en_loss": "en loss", "en_accuracy": "en accuracy",
           "zh_loss": "zh loss", "zh_accuracy": "zh accuracy", "peak_bytes": "peak bytes"}


def key(variant, seed, options):
    return {"variant": variant, "seed": seed, "steps": options.steps, "ranks": options.ranks, "set": options.set}


def command(variant, seed, options, work):
    sets = {"run.out": work, "run.name": "run", "run.seed": seed, "train.steps": options.steps, "eval.every": 0,
            "optimizer.schedule.warmup_steps": 30, "plugins.amp_o2.enabled": "true",
            "plugins.amp_o2.growth_interval": 20, "launch.threads": 1, "eval.prompts": "[]", "checkpoint.every": 0,
            "train.accumulation": max(1, MICRO_BATCHES // options.ranks)} | VARIANTS[variant]
    yield from (options.bin / "szlaunch", "run", ROOT / "configs" / "quickstart.toml", "-n", options.ranks)
    for name, value in sets.items():
        yield from ("--set", f"{name}={value}")
    for extra in options.set:
        yield from ("--set", extra)


def read_rows(folder):
    lines = [json.loads(line) for line in open(folder / "metrics.jsonl", encoding="utf-8")]
    told = [json.loads(line) for line in open(folder / "decisions.jsonl", encoding="utf-8")]
    steps = [line for line in lines if "verdict" in line]
    return steps, [line for line in lines if "eval_loss" in line][-1], told


def train(variant, seed, options, work):
    result = subprocess.run(list(map(str, command(variant, seed, options, work))), cwd=ROOT, capture_output=True,
                            env=os.environ | {"OMP_WAIT_POLICY": "passive"}, text=True)
    if result.returncode != 0:
        sys.exit(f"{variant} failed:\n{result.stderr[-3000:]}")
    folder = pathlib.Path(work) / "run"
    steps, final, told = read_rows(folder)
    shutil.rmtree(folder)
    row = key(variant, seed, options) | {"first_loss": steps[0]["loss"]}
    row |= {name: final[name] for name in ("eval_loss", "eval_accuracy")}
    row |= {f"{of}_{what}": final[f"eval_language_{of}_{what}"] for of in ("en", "zh") for what in ("loss", "accuracy")}
    return row | {"peak_bytes": max(line["memory_bytes"] for line in steps), "last_scale": steps[-1]["scale"],
                  "skipped": sum(line["verdict"] == "skip" for line in steps),
                  "rolled_back": sum(line["verdict"] == "roll back" for line in steps),
                  "instabilities": sum("variance" in decision["cause"] for decision in told)}


def rows_so_far(path):
    if not path or not path.exists():
        return []
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def order(seeds):
    """The variants that goals are about first, so that a run cut short has them."""
    first = [(seed, variant) for seed in seeds for variant in VARIANTS if "embedding" not in variant]
    return first + [(seed, variant) for seed in seeds for variant in VARIANTS if "embedding" in variant]


def collect(options):
    """{variant: {seed: row}}, rows of options.out taken as they are; with --show none is added to them."""
    done = rows_so_far(options.out)
    work = tempfile.mkdtemp(prefix="bench-parity-")
    rows = {variant: {} for variant in VARIANTS}
    for seed, variant in order(range(1, options.seeds + 1)):
        wanted = key(variant, seed, options).items()
        row = next((found for found in done if wanted <= found.items()), None)
        if row is None and options.show:
            continue
        if row is None:
            row = train(variant, seed, options, work)
            if options.out:
                with open(options.out, "a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)
        rows[variant][seed] = row
    shutil.rmtree(work)
    return rows


def ratios_to(fp32, found):
    """{column: a ratio a seed}."""
    return {name: [row[name] / fp32[seed][name] for seed, row in found.items()] for name in COLUMNS}


def table(rows):
    """Ratios to fp32, means over seeds, and single seeds' where a goal stands on it: the loss both ways."""
    print("\n| variant, of fp32's (mean) | " + " | ".join(COLUMNS.values()) +
          " | worst loss | lowest loss | worst accuracy | skipped | rolled back | jumps of variance | seeds |")
    print("|" + "---|" * (len(COLUMNS) + 8))
    for variant, found in rows.items():
        if not found:
            continue
        ratios = ratios_to(rows["fp32"], found)
        mean = " | ".join(f"{statistics.mean(values):.3f}" for values in ratios.values())
        counts = [sum(row[name] for row in found.values()) for name in ("skipped", "rolled_back", "instabilities")]
        loss, accuracy = ratios["eval_loss"], ratios["eval_accuracy"]
        print(f"| {variant} | {mean} | {max(loss):.3f} | {min(loss):.3f} | {min(accuracy):.3f} | " +
              " | ".join(map(str, counts)) + f" | {len(found)} |")


def answers(rows, seeds):
    """{question: answer}, over seeds that all variants have run."""
    fp32 = rows["fp32"]
    ratios = {variant: ratios_to(fp32, rows[variant]) for variant in ("O2 fp16", "O2 bf16")}
    loss = {variant: statistics.mean(of["eval_loss"]) for variant, of in ratios.items()}
    accuracy = {variant: statistics.mean(of["eval_accuracy"]) for variant, of in ratios.items()}
    every_row = [row for found in rows.values() for row in found.values()]
    return {
        f"{seeds} seeds of each variant": all(len(found) == seeds for found in rows.values()),
        "fp32's loss falls by 2 nats or more, at every seed":
            min(row["first_loss"] - row["eval_loss"] for row in fp32.values()) >= 2,
        "O2's loss is at most 1% above fp32's, mean over seeds": max(loss.values()) <= 1.01,
        "O2's accuracy is at least 0.98 of fp32's, mean over seeds": min(accuracy.values()) >= 0.98,
        "no healthy run has a jump of the gradient's variance": not any(row["instabilities"] for row in every_row),
    }


def parity(options):
    rows = collect(options)
    if not all(rows[variant] for variant in ("fp32", "O2 fp16", "O2 bf16")):
        print("not all variants have a row yet", file=sys.stderr)
        return 1
    for row in rows["fp32"].values():
        print(f"\nfp32, seed {row['seed']}: {row['first_loss']:.3f} -> {row['eval_loss']:.3f} nats, accuracy "
              f"{row['eval_accuracy']:.3f}", end="")
    print()
    table(rows)
    print()
    found = answers(rows, options.seeds)
    for question, answer in found.items():
        print(f"- {question}: {'yes' if answer else 'NO'}")
    return 0 if all(found.values()) else 1
