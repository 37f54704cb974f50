#include "perturb.h"

#include <algorithm>

#include "homophones.h"
#include "pieces.h"
#include "random.h"

namespace curriculum {
namespace {

constexpr size_t kOneIn = 10;  // pieces that can be changed

bool is_word(const Piece& piece) { return piece.kind != Piece::Kind::kOther; }

std::string lower(std::string word) {
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  }
  return word;
}

// Places in a word whose character differs from the next one.
std::vector<size_t> unlike_neighbours(const Piece& piece) {
  std::vector<size_t> places;
  for (size_t i = 0; i + 1 < piece.characters.size(); ++i) {
    if (piece.characters[i] != piece.characters[i + 1]) places.push_back(i);
  }
  return places;
}

bool can_swap(const std::vector<Piece>& pieces, size_t i) {
  const Piece& piece = pieces[i];
  if (piece.kind == Piece::Kind::kWord) return !unlike_neighbours(piece).empty();
  return piece.kind == Piece::Kind::kChinese && i + 1 < pieces.size() && pieces[i + 1].kind == Piece::Kind::kChinese &&
         pieces[i + 1].characters != piece.characters;
}

bool has_homophone(const Piece& piece) {
  if (piece.kind == Piece::Kind::kChinese) {
    const SoundGroup* group = sounds_like(piece.characters[0]);
    return group != nullptr && group->characters.size() > 1;
  }
  return piece.kind == Piece::Kind::kWord && !english_homophones(lower(piece.text())).empty();
}

bool can_mix(const Piece& piece) {
  if (piece.kind == Piece::Kind::kChinese) return sounds_like(piece.characters[0]) != nullptr;
  const auto alike = [](const std::string& c) { return look_alike(c) != nullptr; };
  return piece.kind == Piece::Kind::kWord && std::any_of(piece.characters.begin(), piece.characters.end(), alike);
}

bool can(const std::vector<Piece>& pieces, size_t i, Perturbation how) {
  switch (how) {
    case Perturbation::kSwap: return can_swap(pieces, i);
    case Perturbation::kHomophone: return has_homophone(pieces[i]);
    case Perturbation::kMixScripts: return can_mix(pieces[i]);
    default: return is_word(pieces[i]);
  }
}

void swap_at(std::vector<Piece>& pieces, size_t i, Random& random) {
  std::vector<std::string>& own = pieces[i].characters;
  if (pieces[i].kind == Piece::Kind::kChinese) {
    std::swap(own[0], pieces[i + 1].characters[0]);
    return;
  }
  const std::vector<size_t> places = unlike_neighbours(pieces[i]);
  const size_t at = places[random.below(places.size())];
  std::swap(own[at], own[at + 1]);
}

void take_homophone(Piece& piece, Random& random) {
  if (piece.kind == Piece::Kind::kWord) {
    const auto& others = english_homophones(lower(piece.text()));
    piece.characters = {others[random.below(others.size())]};
    return;
  }
  const auto& group = sounds_like(piece.characters[0])->characters;
  const size_t own = size_t(std::find(group.begin(), group.end(), piece.characters[0]) - group.begin());
  piece.characters[0] = group[(own + 1 + random.below(group.size() - 1)) % group.size()];
}

void mix_scripts(Piece& piece) {
  if (piece.kind == Piece::Kind::kChinese) {
    piece.characters[0] = sounds_like(piece.characters[0])->pinyin;
    return;
  }
  for (std::string& character : piece.characters) {
    if (const char* alike = look_alike(character)) character = alike;
  }
}

// Twice as it stands; words of letters with a space between them.
void repeat(Piece& piece) {
  const std::string once = piece.text();
  piece.characters.push_back(piece.kind == Piece::Kind::kWord ? " " + once : once);
}

void change(std::vector<Piece>& pieces, size_t i, Perturbation how, Random& random) {
  switch (how) {
    case Perturbation::kSwap: swap_at(pieces, i, random); break;
    case Perturbation::kDrop: pieces[i].characters.clear(); break;
    case Perturbation::kRepeat: repeat(pieces[i]); break;
    case Perturbation::kHomophone: take_homophone(pieces[i], random); break;
    case Perturbation::kMixScripts: mix_scripts(pieces[i]); break;
    case Perturbation::kNone: break;
  }
}

std::vector<size_t> places(const std::vector<Piece>& pieces, Perturbation how) {
  std::vector<size_t> found;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (can(pieces, i, how)) found.push_back(i);
  }
  return found;
}

}  // namespace

Perturbation perturbation_of(uint64_t seed) { return Perturbation(1 + mix(seed, 3) % kPerturbations); }

std::string perturb(std::string_view text, Perturbation how, uint64_t seed) {
  std::vector<Piece> pieces = split_pieces(text);
  if (how == Perturbation::kNone) return std::string(text);
  std::vector<size_t> candidates = places(pieces, how);
  if (candidates.empty()) {  // a text of names may have no homophones: words are swapped then
    how = Perturbation::kSwap;
    candidates = places(pieces, how);
  }
  if (how == Perturbation::kDrop && candidates.size() < 2) return std::string(text);
  Random random(seed);
  for (size_t left = (candidates.size() + kOneIn - 1) / kOneIn; left > 0; --left) {
    const size_t pick = random.below(candidates.size());
    change(pieces, candidates[pick], how, random);
    candidates.erase(candidates.begin() + int64_t(pick));
  }
  return join(pieces);
}

}  // namespace curriculum
