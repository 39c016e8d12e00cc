import json

from shared.domain import errors
from shared.domain.sentence import Sentence


def test_a_sentence_is_its_english_with_the_values_filled_in() -> None:
    sentence = Sentence("at most {limit} bytes of {what}", limit=1_048_576, what="{text}")

    assert sentence == "at most 1,048,576 bytes of {text}"
    assert (sentence.template, sentence.values["limit"]) == ("at most {limit} bytes of {what}", 1_048_576)


def test_a_sentence_without_values_may_hold_braces() -> None:
    assert Sentence("a {b}") == "a {b}"


def test_an_answer_in_json_says_a_sentence_in_english() -> None:
    assert json.dumps(Sentence("at most {limit}", limit=1_000)) == '"at most 1,000"'


def test_a_refusal_keeps_its_sentence_for_the_translation() -> None:
    refusal = errors.TooLarge(Sentence("at most {limit}", limit=1_000))

    assert (str(refusal), refusal.args[0].template) == ("at most 1,000", "at most {limit}")
