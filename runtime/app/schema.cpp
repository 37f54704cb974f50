#include "app/schema.h"

namespace sz {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

KeySpec whole(std::string path, std::string default_toml, double min, double max, std::string help) {
  return {std::move(path), KeyType::kInt, std::move(default_toml), std::move(help), min, max, {}, false, false};
}
KeySpec real(std::string path, std::string default_toml, double min, double max, std::string help) {
  return {std::move(path), KeyType::kFloat, std::move(default_toml), std::move(help), min, max, {}, false, false};
}
KeySpec text(std::string path, std::string default_toml, std::string help, std::vector<std::string> choices = {}) {
  return {std::move(path), KeyType::kString, std::move(default_toml), std::move(help), -kNoLimit, kNoLimit,
          std::move(choices), false, false};
}
KeySpec texts(std::string path, std::string default_toml, std::string help) {
  return {std::move(path), KeyType::kStringList, std::move(default_toml), std::move(help)};
}
KeySpec per_host(KeySpec spec) {
  spec.per_host = true;
  return spec;
}
KeySpec filled(KeySpec spec) {
  spec.filled = true;
  return spec;
}
KeySpec required(KeySpec spec) {
  spec.required = true;
  return spec;
}

void add_run(Schema& s) {
  s.add(text("run.name", "\"run\"", "name of the run; its folder is OUT/NAME"));
  s.add(per_host(filled(text("run.out", "\"runs\"", "folder of run folders"))));
  s.add(whole("run.seed", "1234", 0, 9e15, "seed of everything random"));
  s.add(text("run.matrix_route", "",
             "route of fp32 matrix products, where the machine has it; absent: the fastest, measured at start",
             {"mkl", "mkl_fast", "onednn", "blas"}));
}

void add_model(Schema& s) {
  s.add(text("model.type", "\"GPT-2\"", "architecture, a provider of sz.architecture/1"));
  s.add(whole("model.layers", "4", 1, 10000, "transformer blocks"));
  s.add(whole("model.width", "128", 1, 1 << 20, "width of the residual stream"));
  s.add(whole("model.heads", "4", 1, 1 << 16, "attention heads; must divide the width"));
  s.add(real("model.dropout", "0.0", 0, 0.99, "share of embedding and residual elements dropped in training"));
}

void add_data(Schema& s) {
  s.add(required(per_host(filled(texts("data.paths", "", ".txt and .jsonl files, and folders of them")))));
  s.add(per_host(filled(text("data.cache", "\".cache/data\"", "folder of prepared data sets"))));
  s.add(per_host(text("data.tokenizer", "\"\"", "a SentencePiece .model file; empty: one is trained on the text")));
  s.add(whole("data.vocabulary", "8000", 260, 1 << 24, "tokens of a trained tokenizer"));
  s.add(real("data.validation", "0.05", 0, 0.9, "share of the documents held out for validation"));
  s.add(whole("data.seed", "0", 0, 9e15, "seed of the split and of the tokenizer's training; apart from run.seed, so that runs share a data set"));
  s.add(text("data.separator", "\"blank_line\"", "what separates documents in a .txt file", {"blank_line", "line", "file"}));
  s.add(filled(text("data.text_field", "\"text\"", "field of a .jsonl line that holds its text")));
  s.add(filled(text("data.prompt_field", "\"prompt\"", "field that holds a prompt, which is masked")));
  s.add(filled(text("data.response_field", "\"response\"", "field that holds the response to the prompt")));
  s.add(whole("data.prefetch", "2", 1, 1024, "steps whose samples are loaded ahead"));
}

void add_train(Schema& s) {
  s.add(whole("train.steps", "0", 0, 1e12, "optimizer steps to take; 0: train.epochs says"));
  s.add(whole("train.epochs", "0", 0, 1e9, "passes over the training split; 0: train.steps says"));
  s.add(whole("train.micro_batch", "8", 1, 1e6, "samples that a rank takes at once"));
  s.add(whole("train.accumulation", "1", 1, 1e6, "micro-batches a step and rank"));
  s.add(whole("train.context", "256", 1, 1 << 24, "tokens of a sample at most"));
  s.add(real("train.grad_clip", "", 1e-12, 1e12, "limit of the global gradient norm; absent: none, or the precision plugin's"));
  s.add(text("train.precision", "\"fp32\"", "fp32, or bf16 autocast of fp32 parameters", {"fp32", "bf16"}));
  s.add(text("train.loss", "\"cross_entropy\"", "a provider of sz.loss/1"));
  s.add(whole("train.stable_every", "100", 1, 1e12, "steps between stable states, which a roll back returns to"));
  s.add(whole("train.stable_after", "3", 0, 1e6, "good attempts in a row before a state counts as stable"));
  s.add(text("train.snapshot", "\"auto\"",
             "where the stable state is kept: host memory, or none (a roll back then ends the run); auto: host where a "
             "plugin may roll back",
             {"auto", "host", "none"}));
  s.add(whole("train.max_bad", "10", 1, 1e6, "non-finite attempts in a row that end the run"));
  s.add(real("train.bucket_mb", "4.0", 0.001, 1e6, "MiB of gradients that are reduced at once"));
}

void add_optimizer(Schema& s) {
  s.add(text("optimizer.type", "\"AdamW\"", "a provider of sz.optimizer/1"));
  s.add(real("optimizer.lr", "6e-5", 1e-12, 10, "learning rate at its peak"));
  KeySpec betas{"optimizer.betas", KeyType::kFloatList, "[0.9, 0.95]", "decay of the first and second moment", 0, 0.999999};
  s.add(betas);
  s.add(real("optimizer.eps", "1e-8", 1e-16, 1, "added to the root of the second moment"));
  s.add(real("optimizer.weight_decay", "0.1", 0, 100, "decoupled weight decay of matrices and embeddings"));
  s.add(whole("optimizer.schedule.warmup_steps", "", 0, 1e12,
              "steps of linear warm-up; absent (and no warmup_epochs): 2000, or a tenth of the run if that is less"));
  s.add(real("optimizer.schedule.warmup_epochs", "", 0, 1e9, "the same in epochs"));
  s.add(text("optimizer.schedule.decay_type", "\"cosine\"", "how the rate falls after the warm-up: cosine, linear, constant, or a plugin's"));
  s.add(real("optimizer.schedule.min_lr", "1e-6", 0, 10, "where decay ends"));
  s.add(whole("optimizer.schedule.tail_steps", "0", 0, 1e12, "last steps, held at min_lr"));
}

void add_rest(Schema& s) {
  s.add(whole("eval.every", "0", 0, 1e12, "steps between evaluations; 0: at each epoch's end only"));
  s.add(whole("eval.samples", "0", 0, 1e12, "validation samples at most, taken evenly over the split; 0: all"));
  s.add(texts("eval.prompts", "[]", "texts that the model continues once it is trained"));
  s.add(whole("eval.sample_tokens", "64", 1, 1e6, "tokens of each continuation at most"));
  s.add(real("eval.temperature", "0.8", 0, 100, "of each continuation; 0: always the likeliest token"));
  s.add(whole("checkpoint.every", "0", 0, 1e12, "steps between checkpoints; 0: at the end only"));
  s.add(whole("checkpoint.keep", "2", 1, 1e6, "checkpoints kept"));
  s.add(text("log.language", "\"en\"", "language of the texts of decisions", {"en", "zh"}));
  s.add(text("log.level", "\"info\"", "least severe messages shown", {"debug", "info", "warn", "error"}));
  s.add({"log.tensorboard", KeyType::kBool, "true", "writes the metrics to tb/ in the run folder as well, for TensorBoard"});
  s.add(text("launch.device", "\"cpu\"", "where to train", {"cpu"}));
  s.add(whole("launch.threads", "0", 0, 4096, "threads of a rank; 0: its share of the cores"));
  s.add(whole("launch.timeout_s", "600", 0, 1e9, "seconds without progress after which communication gives up; 0: never"));
  s.add(whole("launch.memory_limit_mb", "0", 0, 1e9, "MiB of tensors a rank may hold; 0: no limit but that of the control group"));
  s.add(per_host(filled(texts("plugins.search", "[]", "folders searched for plugins, before the built-in one"))));
}

}  // namespace

Schema runtime_schema() {
  Schema schema;
  add_run(schema);
  add_model(schema);
  add_data(schema);
  add_train(schema);
  add_optimizer(schema);
  add_rest(schema);
  return schema;
}

}  // namespace sz
