"""Hugging Face's Trainer with GPT2LMHeadModel: python hf_trainer.py CONFIG SYSTEM"""
import os
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments  # noqa: E402

from common import ADAMW, CONFIGS, THREADS, Clock, batches, weights  # noqa: E402

THEIRS = {"embedding.token": "wte", "embedding.position": "wpe", "final_norm": "ln_f", "attention.norm": "ln_1",
          "attention.qkv": "attn.c_attn", "attention.projection": "attn.c_proj", "mlp.norm": "ln_2",
          "mlp.up": "mlp.c_fc", "mlp.down": "mlp.c_proj"}


def their_name(ours):
    if ours.startswith("embedding"):
        return f"{THEIRS[ours]}.weight"
    stem, _, part = ours.rpartition(".")
    if not stem.startswith("block"):
        return f"{THEIRS[stem]}.{part}"
    _, layer, inner = stem.split(".", 2)
    return f"h.{layer}.{THEIRS[inner]}.{part}"


def make_model(name):
    c = CONFIGS[name]
    model = GPT2LMHeadModel(GPT2Config(
        vocab_size=c["vocabulary"], n_positions=c["context"], n_embd=c["width"], n_layer=c["layers"],
        n_head=c["heads"], resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False))
    theirs = dict(model.transformer.named_parameters())
    with torch.no_grad():
        for ours, value in weights(name).items():
            tensor = torch.from_numpy(value)
            target = theirs[their_name(ours)]
            conv1d = ours.startswith("block") and tensor.dim() == 2  # kept as [in, out]
            target.copy_(tensor.t() if conv1d else tensor)
    return model


class Rows(torch.utils.data.Dataset):
    def __init__(self, name, steps):
        self.pairs, self.batch = batches(name), CONFIGS[name]["batch"]
        self.count = steps * self.batch

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        ids, labels = self.pairs[(i // self.batch) % len(self.pairs)]
        row, target = torch.from_numpy(ids[i % self.batch]), torch.from_numpy(labels[i % self.batch])
        return {"input_ids": row, "labels": target, "shift_labels": target}


class InOrder(Trainer):
    def _get_train_sampler(self, *_, **__):
        return torch.utils.data.SequentialSampler(self.train_dataset)

    def get_decay_parameter_names(self, model):
        return [name for name, _ in model.named_parameters()]


class Steps(TrainerCallback):
    def __init__(self, clock):
        self.clock = clock

    def on_log(self, args, state, control, logs=None, **_):
        if "loss" in (logs or {}):
            self.clock.step(logs["loss"])


def main(name, system):
    torch.set_num_threads(THREADS)
    clock = Clock(name)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, use_cpu=True, per_device_train_batch_size=CONFIGS[name]["batch"], max_steps=clock.total,
            learning_rate=ADAMW["lr"], adam_beta1=ADAMW["betas"][0], adam_beta2=ADAMW["betas"][1],
            adam_epsilon=ADAMW["eps"], weight_decay=ADAMW["weight_decay"], lr_scheduler_type="constant",
            max_grad_norm=0.0, optim="adamw_torch_fused", logging_steps=1, save_strategy="no", report_to=[],
            disable_tqdm=True, remove_unused_columns=False, dataloader_pin_memory=False, log_level="error")
        trainer = InOrder(make_model(name), arguments, train_dataset=Rows(name, clock.total), callbacks=[Steps(clock)])
        printed, sys.stdout = sys.stdout, sys.stderr  # the Trainer prints its logs
        trainer.train()
        sys.stdout = printed
    clock.report(system)


if __name__ == "__main__":
    main(*sys.argv[1:])
