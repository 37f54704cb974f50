"""Our GPT-2 beside transformers' GPT2LMHeadModel: the same weights and tokens in, the same loss and gradients out.

Run by the Python of .deps/venv (scripts/peers.sh). $DUMP_GRADIENTS is dump_gradients.cpp's program.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
SKIPPED = 77  # ctest's code for a test that was skipped

try:
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import GPT2Config, GPT2LMHeadModel
except ImportError as error:
    print(f"skipped: {error}; scripts/peers.sh fetches PyTorch and transformers")
    sys.exit(SKIPPED)


def names(layers):
    """{our name: (theirs, transposed)}: their Conv1D keeps weights as [in, out]."""
    table = {"embedding.token": ("transformer.wte.weight", False),
             "embedding.position": ("transformer.wpe.weight", False)}
    for part in ("weight", "bias"):
        table[f"final_norm.{part}"] = (f"transformer.ln_f.{part}", False)
        for i in range(layers):
            ours, theirs = f"block.{i}", f"transformer.h.{i}"
            transposed = part == "weight"
            table[f"{ours}.attention.norm.{part}"] = (f"{theirs}.ln_1.{part}", False)
            table[f"{ours}.attention.qkv.{part}"] = (f"{theirs}.attn.c_attn.{part}", transposed)
            table[f"{ours}.attention.projection.{part}"] = (f"{theirs}.attn.c_proj.{part}", transposed)
            table[f"{ours}.mlp.norm.{part}"] = (f"{theirs}.ln_2.{part}", False)
            table[f"{ours}.mlp.up.{part}"] = (f"{theirs}.mlp.c_fc.{part}", transposed)
            table[f"{ours}.mlp.down.{part}"] = (f"{theirs}.mlp.c_proj.{part}", transposed)
    return table


class ParityTest(unittest.TestCase):
    def compare(self, layers, width, heads, vocabulary, context, rows, cols, implementation):
        torch.manual_seed(20 + layers)
        model = GPT2LMHeadModel(GPT2Config(
            vocab_size=vocabulary, n_positions=context, n_embd=width, n_layer=layers, n_head=heads, resid_pdrop=0.0,
            embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False, bos_token_id=0, eos_token_id=0,
            attn_implementation=implementation))
        model.train()
        with torch.no_grad():  # also biases and norms away from 0 and 1, so that a wrong one shows
            for parameter in model.parameters():
                parameter.add_(0.1 * torch.randn_like(parameter))
        table = names(layers)
        theirs = dict(model.named_parameters())
        self.assertEqual({name for name, _ in table.values()}, set(theirs), "every parameter is compared")

        ids = torch.randint(vocabulary, (rows, cols))
        labels = torch.randint(vocabulary, (rows, cols))
        mask = (torch.rand(rows, cols) > 0.3).float()
        loss = model(input_ids=ids, labels=ids, shift_labels=torch.where(mask > 0, labels, -100)).loss
        loss.backward()

        with tempfile.TemporaryDirectory() as folder:
            given, made = pathlib.Path(folder, "in.safetensors"), pathlib.Path(folder, "out.safetensors")
            tensors = {"ids": ids, "labels": labels, "mask": mask}
            for ours, (name, transposed) in table.items():
                value = theirs[name].detach()
                tensors[ours] = (value.t() if transposed else value).contiguous()
            save_file(tensors, given)
            subprocess.run([os.environ["DUMP_GRADIENTS"], str(layers), str(width), str(heads), given, made], check=True,
                           timeout=300)
            result = load_file(made)

        self.assertLess(abs(result["loss"].item() - loss.item()), 1e-5)
        largest = max(parameter.grad.norm().item() for parameter in theirs.values())
        worst = 0.0
        for ours, (name, transposed) in table.items():
            grad = theirs[name].grad
            difference = (result[ours] - (grad.t() if transposed else grad)).norm().item() / largest
            self.assertLess(difference, 1e-4, ours)
            worst = max(worst, difference)
        print(f"loss {loss.item():.6f}, ours differs by {abs(result['loss'].item() - loss.item()):.1e}; "
              f"worst gradient {worst:.1e} of the largest norm ({implementation})")

    def test_odd_sizes(self):
        self.compare(layers=3, width=36, heads=3, vocabulary=50257, context=37, rows=3, cols=29, implementation="sdpa")

    def test_full_context_and_eager_attention(self):
        self.compare(layers=2, width=60, heads=5, vocabulary=1009, context=33, rows=2, cols=33, implementation="eager")

    def test_one_token(self):
        self.compare(layers=1, width=12, heads=1, vocabulary=101, context=5, rows=4, cols=1, implementation="sdpa")


if __name__ == "__main__":
    unittest.main()
