#include "text/snowball.h"

#include <libstemmer.h>

#include <array>
#include <memory>

namespace beleg {
namespace {

constexpr std::size_t kMaxBytes = 256;
// "Glas" and "Haus" are too short to end in anything but their own s; longer words of that kind
// lose it in all their forms alike.
constexpr std::size_t kMinBytesBeforeFinalS = 4;

struct StemmerCloser {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Stemmer = std::unique_ptr<sb_stemmer, StemmerCloser>;

// A stemmer keeps its working buffer inside and is therefore not shared between threads. The last
// word is kept with its stem, since a German word is stemmed and then split, which needs its stem.
struct ThreadStemmer {
  Stemmer stemmer;
  std::string word;
  std::string stem;
};

ThreadStemmer& stemmer_of_this_thread(StemAlgorithm algorithm) {
  thread_local std::array<ThreadStemmer, 2> stemmers;
  ThreadStemmer& own = stemmers[static_cast<std::size_t>(algorithm)];
  if (!own.stemmer) {
    own.stemmer.reset(
        sb_stemmer_new(algorithm == StemAlgorithm::kGerman ? "german" : "english", "UTF_8"));
  }
  return own;
}

}  // namespace

std::string snowball_stem(StemAlgorithm algorithm, std::string_view word) {
  if (word.size() > kMaxBytes) return std::string(word);
  ThreadStemmer& own = stemmer_of_this_thread(algorithm);
  if (own.stemmer == nullptr || word.empty()) return std::string(word);
  if (own.word == word) return own.stem;
  const sb_symbol* stem =
      sb_stemmer_stem(own.stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return std::string(word);
  own.stem.assign(reinterpret_cast<const char*>(stem),
                  static_cast<std::size_t>(sb_stemmer_length(own.stemmer.get())));
  own.word = word;
  return own.stem;
}

std::string german_stem(std::string_view word) {
  std::string stem = snowball_stem(StemAlgorithm::kGerman, word);
  const bool final_s =
      stem.size() > kMinBytesBeforeFinalS && stem.back() == 's' &&
      std::string_view("aiouy").find(stem[stem.size() - 2]) != std::string_view::npos;
  if (final_s) stem.pop_back();
  return stem;
}

}  // namespace beleg
