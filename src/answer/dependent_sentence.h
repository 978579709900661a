#pragma once

#include <string_view>

namespace beleg {

/// True for a sentence that begins with a word which stands for something said before it ("Es soll
/// …", "Beide lindern …", "It binds …", "This led …"): alone it does not say what it is about, so
/// it is quoted together with the sentence before it. German and English word lists; a pronoun that
/// stands for nothing ("Es gibt …", "There is …", "It is known that …") does not count where the
/// next word tells. False for an empty text.
[[nodiscard]] bool leans_on_the_sentence_before(std::string_view sentence);

}  // namespace beleg
