#include "train/run_checkpoint.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"

namespace sz {
namespace {

// A sampler's state is bytes of any kind.
constexpr const char* kSamplerBlob = "loop.sampler";

void save_states(CheckpointWriter& writer, const TrainParts& parts) {
  for (Stateful* state : parts.states) {
    Blob blob;
    blob.plugin = state->state_id();
    blob.version = state->state_version();
    blob.scope = state->scope() == Stateful::Scope::kCheckpoint ? BlobScope::kCheckpoint
                                                                : BlobScope::kCheckpointAndRollback;
    blob.bytes = state->save_state();
    writer.blob(blob);
  }
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

// What the checkpoint says of the model must be what this run declares: no less, no more.
void check_model(const CheckpointReader& reader, const ModelDeclaration& model) {
  for (const ArrayInfo& array : reader.arrays()) {
    if (array.state != "master" || model.find_parameter(array.parameter) >= 0) continue;
    throw Error(Exit::kUsage, reader.folder() + ": holds a parameter '" + array.parameter +
                                  "' that this run's model does not have; check [model], or start a new run");
  }
  for (const ParameterDeclaration& parameter : model.parameters) {
    if (!reader.has(parameter.name, "master")) {
      throw Error(Exit::kUsage, reader.folder() + ": has no parameter '" + parameter.name +
                                    "': it was written by another model; check [model], or start a new run");
    }
    const std::vector<int64_t> saved = reader.info(parameter.name, "master").shape;
    if (saved == parameter.shape) continue;
    throw Error(Exit::kUsage, reader.folder() + ": parameter '" + parameter.name + "' has shape " + shape_text(saved) +
                                  ", but this run's is " + shape_text(parameter.shape) +
                                  "; check [model] and train.context");
  }
}

}  // namespace

std::string save_run(const TrainOptions& options, TrainParts& parts, const RunState& state,
                     const std::string& sampler_state) {
  CheckpointWriter writer(options.checkpoints, state.step, state.attempt, *parts.comm);
  parts.residency->export_pieces([&](const ExportPiece& piece) {
    writer.add({piece.parameter, piece.state, piece.shape, DType::kF32, piece.begin, piece.end, piece.data});
  });
  save_states(writer, parts);
  writer.blob({kSamplerBlob, 1, BlobScope::kCheckpointAndRollback, sampler_state});
  const nlohmann::json meta = {{"step", state.step},
                               {"attempt", state.attempt},
                               {"plans", state.plans},
                               {"good_in_a_row", state.good_in_a_row},
                               {"open_epoch", state.open_epoch},
                               {"sampler", parts.sampler->name()},
                               {"global_batch", options.micro_batch * options.accumulation * parts.comm->size()},
                               {"samples", parts.source->count(Split::kTrain)},
                               {"data", options.data},
                               {"matrix_route", options.matrix_route}};
  writer.commit(meta, options.config_toml);
  if (parts.comm->rank() == 0) prune_checkpoints(options.checkpoints, options.checkpoint_keep);
  return options.checkpoints + "/step-" + std::to_string(state.step);
}

LoadedRun load_run(const CheckpointReader& reader, TrainParts& parts) {
  check_model(reader, *parts.model);
  parts.residency->import_pieces([&](const ExportPiece& piece) {
    reader.read(piece.parameter, piece.state, piece.begin, piece.end, piece.data);
  });
  for (Stateful* state : parts.states) {
    if (const auto blob = reader.blob(state->state_id())) {
      state->load_state(blob->bytes, blob->version);
    } else {
      log::warn(reader.folder() + ": holds no state of " + state->state_id() + "; it starts afresh");
    }
  }
  const nlohmann::json& meta = reader.meta();
  LoadedRun run;
  run.state.step = meta.at("step");
  run.state.attempt = meta.at("attempt");
  run.state.plans = meta.at("plans");
  run.state.good_in_a_row = meta.at("good_in_a_row");
  run.state.open_epoch = meta.at("open_epoch");
  const std::string sampler = meta.at("sampler");
  if (sampler != parts.sampler->name()) {
    throw Error(Exit::kUsage, reader.folder() + ": was written with the sampler '" + sampler + "', this run has '" +
                                  parts.sampler->name() + "'; switch the same plugins on, or start a new run");
  }
  const auto state = reader.blob(kSamplerBlob);
  if (!state) throw Error(Exit::kCorrupt, reader.folder() + ": has no state of the sampler");
  run.sampler_state = state->bytes;
  run.global_batch = meta.at("global_batch");
  return run;
}

}  // namespace sz
