#!/usr/bin/env python3
"""selective_recompute beside torch.utils.checkpoint: run.py BUILD [--layers 2 6 12 24] [--rounds 3] [--python PYTHON]

BUILD is a build tree with -DSZ_BENCHMARKS=ON, or a file of rows that an earlier run has printed, for its tables alone.
PYTHON is one that can import torch (a virtual environment with the PyPI wheel does, such as scripts/peers.sh makes);
without it the peer is left out, with the reason. Rounds alternate between the two; medians of rounds are printed, a
JSON line a row, then a table, and at the end the goals beside what was seen. Ratios are to the same system's own run
without recompute.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, "..", "peers", "torch_checkpoint.py")


def rows_of(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def missing_peer(python):
    try:
        check = subprocess.run([python, "-c", "import torch"], capture_output=True, text=True, timeout=120)
    except OSError as error:
        return str(error)
    return "" if check.returncode == 0 else (check.stderr.strip().splitlines() or ["it fails"])[-1]


def merged(rounds):
    """Medians over rounds of rows with the same system and policy, in the order of the first round."""
    rows = []
    for first in rounds[0]:
        same = [row for rows_ in rounds for row in rows_
                if (row["system"], row["policy"]) == (first["system"], first["policy"])]
        row = dict(first)
        for key in ("held_mb", "backward_peak_mb", "cpu_ms_median", "cpu_ms_min", "held_ratio", "time_ratio"):
            if key in first:
                row[key] = statistics.median(r[key] for r in same)
        row["time_ratio_spread"] = max(r["time_ratio"] for r in same) - min(r["time_ratio"] for r in same)
        row["rounds"] = len(same)
        rows.append(row)
    return rows


def front(rows):
    """Names of those rows that no other beats in both bytes and time."""
    return {a["policy"] for a in rows
            if not any(b["held_mb"] <= a["held_mb"] and b["time_ratio"] < a["time_ratio"] and b is not a
                       or b["held_mb"] < a["held_mb"] and b["time_ratio"] <= a["time_ratio"] for b in rows)}


def by_layers(rows):
    """Rows of one number of layers after the other."""
    for layers in dict.fromkeys(row["layers"] for row in rows):
        yield layers, [row for row in rows if row["layers"] == layers]


def percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def seen_of_cheap(ours, _):
    if "cheap" in ours:
        row = ours["cheap"]
        yield ("cheap", f"{percent(row['time_ratio'])} time, {percent(row['held_ratio'])} bytes",
               "at most +5 % time, at least -25 % bytes", row["time_ratio"] <= 1.05 and row["held_ratio"] <= 0.75)


def seen_of_all(ours, peers):
    """PyTorch's checkpoint of the same pieces, and the one of whole blocks, which holds one tensor a block, not two."""
    for peer in ("attention and mlp apart", "whole blocks"):
        for name in ("all", "all, offload"):
            if name not in ours or peer not in peers:
                continue
            own, other = ours[name], peers[peer]
            time, held = own["cpu_ms_median"] / other["cpu_ms_median"], own["held_mb"] / other["held_mb"]
            yield (f"{name}, against PyTorch, {peer}",
                   f"{own['cpu_ms_median']:.0f} against {other['cpu_ms_median']:.0f} ms, "
                   f"{own['held_mb']:.1f} against {other['held_mb']:.1f} MB", "no slower, fewer bytes",
                   time <= 1 and held < 1)


def seen_of_budget(ours, _):
    """Whether no policy but a budget holds as little in as little time."""
    others = [row for name, row in ours.items() if not name.startswith("budget")]
    for name, row in ours.items():
        if name.startswith("budget"):
            beaten = [other["policy"] for other in others if name not in front([row, other])]
            yield (name, f"beaten by {', '.join(beaten)}" if beaten else "beaten by none", "on the others' front",
                   not beaten)


def seen_of_megatron(ours, _):
    """The least time for which 70 % of the bytes are gone; the published mark is of GPT-3's scale."""
    enough = [row for row in ours.values() if row["held_ratio"] <= 0.30]
    if enough:
        row = min(enough, key=lambda row: row["time_ratio"])
        yield (f"-70 % of the bytes: {row['policy']}",
               f"{percent(row['time_ratio'])} time, {percent(row['held_ratio'])} bytes",
               "Megatron at GPT-3's scale: +2.7 % time, -70 % bytes", row["time_ratio"] <= 1.027)


def goals_table(rows):
    text = "\n| layers | goal | seen | wanted | met |\n|---|---|---|---|---|\n"
    for layers, alike in by_layers(rows):
        ours = {row["policy"]: row for row in alike if row["system"] == "ours"}
        peers = {row["policy"]: row for row in alike if row["system"] != "ours"}
        for seen_of in (seen_of_cheap, seen_of_all, seen_of_budget, seen_of_megatron):
            for goal, seen, wanted, met in seen_of(ours, peers):
                text += f"| {layers} | {goal} | {seen} | {wanted} | {'yes' if met else 'no'} |\n"
    return text


def table(rows):
    best = front([row for row in rows if row["system"] == "ours"])
    print(f"\n| system | {rows[0]['layers']} layers | held MB | of plain | peak in backward MB | time | spread | front |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        peak = f"{row['backward_peak_mb']:.1f}" if "backward_peak_mb" in row else ""
        mark = "x" if row["system"] == "ours" and row["policy"] in best else ""
        print(f"| {row['system']} | {row['policy']} | {row['held_mb']:.1f} | {100 * row['held_ratio']:.0f} % | {peak} | "
              f"x{row['time_ratio']:.3f} | {row['time_ratio_spread']:.3f} | {mark} |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--layers", type=int, nargs="+", default=[2, 6, 12, 24])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    given = options.parse_args()
    if os.path.isfile(given.build):
        with open(given.build, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.startswith("{")]
        rows = [line for line in lines if "policy" in line]
        for _, alike in by_layers(rows):
            table(alike)
    else:
        rows = measured(given)
    print(goals_table(rows))


def measured(given):
    """All rows, printed as they come."""
    program = os.path.join(given.build, "bin", "bench_recompute")
    reason = missing_peer(given.python)
    if given.precision != "fp32":
        reason = "it runs in fp32 alone"
    if reason:
        print(json.dumps({"system": "PyTorch", "skipped": reason}), flush=True)
    all_rows = []
    for layers in given.layers:
        rounds = []
        for _ in range(given.rounds):
            rows = rows_of([program, os.path.join(given.build, "plugins"), str(layers), given.precision])
            if not reason:
                rows += rows_of([given.python, PEER, str(layers)])
            rounds.append(rows)
        rows = merged(rounds)
        for row in rows:
            print(json.dumps(row), flush=True)
        table(rows)
        all_rows += rows
    return all_rows


if __name__ == "__main__":
    main()
