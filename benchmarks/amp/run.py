#!/usr/bin/env python3
"""amp_o2: speed and memory beside PyTorch autocast, and parity with fp32.

  python3 benchmarks/amp/run.py speed  [--configs A B] [--rounds 3] [--slow-peers]
  python3 benchmarks/amp/run.py parity [--seeds 3] [--steps 300] [--ranks 2] [--set KEY=VALUE]...

Programs come from build/ (-DSZ_BENCHMARKS=ON), peers from .deps/venv (scripts/peers.sh). JSON lines, then a table.
speed: our loop in fp32, O1 and O2 in fp16 and bf16, and PyTorch's in fp32 and under autocast, in turns; medians of
rounds. --slow-peers adds PyTorch in fp16 at config B (minutes: its fp16 products are slow on CPUs).
parity: the quickstart with warm-up 30 and growth_interval 20; validation loss, accuracy and peak bytes against fp32's,
per language, also with the embedding kept in fp32.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import run as common  # noqa: E402


def speed_cases(config, work, slow):
    program = common.BIN / "bench_train_step"
    for precision in ("fp32", "O1-fp16", "O1-bf16", "O2-fp16", "O2-bf16"):
        yield precision, [program, work / f"{config}.json", work / f"{config}.safetensors", precision]
    if not common.PYTHON.exists():
        print("no peers: scripts/peers.sh fetches PyTorch", file=sys.stderr)
        return
    amp = [common.PYTHON, "-B", common.PEERS / "torch_amp.py", config]
    yield "PyTorch fp32", [common.PYTHON, "-B", common.PEERS / "torch_loop.py", config, "PyTorch"]
    yield "PyTorch autocast bf16", [*amp, "PyTorch, autocast bf16", "bf16"]
    if slow and config == "B":
        yield "PyTorch autocast fp16", [*amp, "PyTorch, autocast fp16", "fp16"]


def speed(options):
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-amp-"))
    rows = {}
    for config in options.configs:
        common.write_inputs(config, work)
        for _ in range(options.rounds):
            for name, command in speed_cases(config, work, options.slow_peers):
                for row in common.run(command, {}, work):
                    print(json.dumps(row), flush=True)
                    rows.setdefault((config, name), []).append(row)
    shutil.rmtree(work)
    for config in options.configs:
        speed_table(config, {name: found for (of, name), found in rows.items() if of == config})


def median(rows, key):
    values = [row[key] for row in rows if key in row]
    return statistics.median(values) if values else float("nan")


def speed_table(config, rows):
    tokens = {name: median(found, "tokens_per_s") for name, found in rows.items()}
    fp32 = tokens["fp32"]
    print(f"\n| config {config} | tokens/s | of our fp32 | of PyTorch fp32 | peak RSS MB | peak tensors MB |")
    print("|---|---|---|---|---|---|")
    for name, found in rows.items():
        peer = tokens.get("PyTorch fp32", float("nan"))
        print(f"| {name} | {tokens[name]:.0f} | {tokens[name] / fp32:.2f} | {tokens[name] / peer:.2f} | "
              f"{median(found, 'peak_rss_mb'):.0f} | {median(found, 'peak_tensor_mb'):.0f} |")
    peer = tokens.get("PyTorch autocast bf16")
    if peer:
        print(f"O2 bf16 against PyTorch's bf16 autocast: {tokens['O2-bf16'] / peer:.2f} (goal with AVX-512-BF16: 1.5)")
        print(f"O2 fp16 against PyTorch fp32 as shipped: {tokens['O2-fp16'] / tokens['PyTorch fp32']:.2f} (goal: 1.0)")
    memory = {name: median(rows[name], "peak_tensor_mb") for name in ("O2-fp16", "O2-bf16")}
    print(f"O2 bf16 against O2 fp16: speed {tokens['O2-bf16'] / tokens['O2-fp16']:.2f} (claimed 1.08), peak bytes "
          f"{memory['O2-bf16'] / memory['O2-fp16']:.3f} (claimed < 1.05)")


VARIANTS = {
    "fp32": {"plugins.amp_o2.enabled": "false"},
    "O2 fp16": {},
    "O2 bf16": {"plugins.amp_o2.dtype": "bf16"},
    "O2 fp16, fp32 embedding": {"plugins.amp_o2.keep_fp32": '["norm","embedding"]'},
}


def train(name, seed, keys, options, work):
    sets = {"run.out": work, "run.name": "run", "run.seed": seed, "train.steps": options.steps, "eval.every": 0,
            "optimizer.schedule.warmup_steps": 30, "plugins.amp_o2.enabled": "true",
            "plugins.amp_o2.growth_interval": 20, "launch.threads": 1, "eval.prompts": "[]",
            "checkpoint.every": 0} | keys
    command = [common.BIN / "szlaunch", "run", ROOT / "configs" / "quickstart.toml", "-n", options.ranks]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    for extra in options.set:
        command += ["--set", extra]
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"}
    result = subprocess.run(list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{name} failed:\n{result.stderr[-3000:]}")
    folder = pathlib.Path(work) / "run"
    lines = [json.loads(line) for line in open(folder / "metrics.jsonl", encoding="utf-8")]
    told = [json.loads(line) for line in open(folder / "decisions.jsonl", encoding="utf-8")]
    steps = [line for line in lines if "verdict" in line]
    final = [line for line in lines if "eval_loss" in line][-1]
    shutil.rmtree(folder)
    return {"variant": name, "seed": seed, "first_loss": steps[0]["loss"], "eval_loss": final["eval_loss"],
            "eval_accuracy": final["eval_accuracy"], "en_loss": final["eval_language_en_loss"],
            "zh_loss": final["eval_language_zh_loss"], "zh_accuracy": final["eval_language_zh_accuracy"],
            "peak_bytes": max(line["memory_bytes"] for line in steps), "last_scale": steps[-1]["scale"],
            "skipped": sum(line["verdict"] != "apply" for line in steps),
            "instabilities": sum("variance" in decision["cause"] for decision in told)}


def parity(options):
    work = tempfile.mkdtemp(prefix="bench-parity-")
    rows = {name: [] for name in VARIANTS}
    for seed in range(1, options.seeds + 1):
        for name, keys in VARIANTS.items():
            rows[name].append(train(name, seed, keys, options, work))
            print(json.dumps(rows[name][-1]), flush=True)
    shutil.rmtree(work)
    fp32 = rows["fp32"]
    print("\n| variant | loss of fp32's | accuracy | en loss | zh loss | zh accuracy | peak bytes | skipped |")
    print("|---|---|---|---|---|---|---|---|")
    good = min(row["first_loss"] - row["eval_loss"] for row in fp32) >= 2
    for name, found in rows.items():
        ratio = {key: statistics.median(a[key] / b[key] for a, b in zip(found, fp32))
                 for key in ("eval_loss", "eval_accuracy", "en_loss", "zh_loss", "zh_accuracy", "peak_bytes")}
        good &= ratio["eval_loss"] < 1.01 and ratio["eval_accuracy"] >= 0.98
        print(f"| {name} | {ratio['eval_loss']:.4f} | {ratio['eval_accuracy']:.3f} | {ratio['en_loss']:.4f} | "
              f"{ratio['zh_loss']:.4f} | {ratio['zh_accuracy']:.3f} | {ratio['peak_bytes']:.3f} | "
              f"{sum(row['skipped'] for row in found)} |")
    answer = "yes" if good else "NO"
    print("within 1% of fp32's loss and 0.98 of its accuracy, fp32's loss fallen by 2 nats: " + answer)
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    fast = kinds.add_parser("speed")
    fast.add_argument("--configs", nargs="+", default=["A", "B"])
    fast.add_argument("--rounds", type=int, default=3)
    fast.add_argument("--slow-peers", action="store_true")
    same = kinds.add_parser("parity")
    same.add_argument("--seeds", type=int, default=3)
    same.add_argument("--steps", type=int, default=300)
    same.add_argument("--ranks", type=int, default=2)
    same.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    return speed(options) if options.kind == "speed" else parity(options)


if __name__ == "__main__":
    sys.exit(main())
