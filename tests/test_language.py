from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.language import Languages, markdown_prose, note_language

CONFIGURED = ("de", "en", "fr", "it", "es")

LINES = [
    ("de", "Heute habe ich den ganzen Tag im Garten gearbeitet."),
    ("de", "Die Bienen sind zurück und es wird endlich warm."),
    ("de", "Termin beim Zahnarzt am Montag, vorher noch anrufen."),
    ("de", "Einkaufen: Milch, Brot, Käse, Äpfel und Kartoffeln."),
    ("de", "Zettelkasten nach Luhmann: jede Notiz ein Gedanke."),
    ("de", "Besprechung mit dem Team über die neue Schnittstelle"),
    ("de", "WIR GEHEN HEUTE NICHT IN DIE STADT, SONDERN BLEIBEN HIER."),
    ("de", "Wie funktioniert eigentlich ein Kompostbeet?"),
    ("de", "Fehler beim Speichern behoben, Tests laufen wieder."),
    ("de", "Projektplan fertigstellen und an Frau Schneider schicken"),
    ("de", "Grundlagen der linearen Algebra, Kapitel drei gelesen."),
    ("de", "Die Konfiguration liegt in einer YAML-Datei im Home-Verzeichnis."),
    ("en", "Today I worked in the garden for the whole day."),
    ("en", "The bees are back and it is finally getting warm."),
    ("en", "Call the dentist before the appointment on Monday."),
    ("en", "Shopping list: milk, bread, cheese, apples and potatoes."),
    ("en", "How to restart the server without losing any data"),
    ("en", "Meeting notes: we decided to ship the release next week."),
    ("en", "WE WALK TO THE RIVER AND COUNT BOATS."),
    ("en", "What makes a good note? Short sentences, one idea."),
    ("en", "Fixed the bug in the parser, tests are green again."),
    ("en", "Basics of linear algebra, finished reading chapter three."),
    ("en", "Evergreen notes should be atomic and densely linked"),
    ("en", "Running tests with coverage enabled in the pipeline"),
    ("fr", "Aujourd'hui j'ai travaillé toute la journée dans le jardin."),
    ("fr", "Les abeilles sont de retour et il fait enfin chaud."),
    ("fr", "Rendez-vous chez le dentiste lundi, appeler avant."),
    ("fr", "Liste de courses : lait, pain, fromage, pommes et pommes de terre."),
    ("fr", "Comment redémarrer le serveur sans perdre de données ?"),
    ("fr", "Réunion avec l'équipe au sujet de la nouvelle interface"),
    ("fr", "Une note devrait contenir une seule idée, bien reliée."),
    ("fr", "Les tests passent à nouveau, l'erreur est corrigée."),
    ("fr", "Principes de base de l'algèbre linéaire, chapitre trois."),
    ("it", "Oggi ho lavorato tutto il giorno in giardino."),
    ("it", "Le api sono tornate e finalmente fa caldo."),
    ("it", "Appuntamento dal dentista lunedì, chiamare prima."),
    ("it", "Lista della spesa: latte, pane, formaggio, mele e patate."),
    ("it", "Come riavviare il server senza perdere i dati"),
    ("it", "Riunione con la squadra sulla nuova interfaccia"),
    ("it", "Una nota dovrebbe contenere una sola idea, ben collegata."),
    ("it", "I test passano di nuovo, l'errore è stato corretto."),
    ("it", "Fondamenti di algebra lineare, letto il capitolo tre."),
    ("es", "Hoy he trabajado todo el día en el jardín."),
    ("es", "Las abejas han vuelto y por fin hace calor."),
    ("es", "Cita con el dentista el lunes, llamar antes."),
    ("es", "Lista de la compra: leche, pan, queso, manzanas y patatas."),
    ("es", "Cómo reiniciar el servidor sin perder los datos"),
    ("es", "Reunión con el equipo sobre la nueva interfaz"),
    ("es", "Una nota debería contener una sola idea, bien enlazada."),
    ("es", "Las pruebas pasan de nuevo, el error está corregido."),
    ("es", "Fundamentos de álgebra lineal, leído el capítulo tres."),
    ("zh", "今天我在花园里工作了一整天。"),
    ("zh", "使用 Docker 部署服务的步骤和注意事项"),
    ("zh", "鏈接到其他筆記，整理知識。"),
    ("ja", "今日は一日中庭で働きました。"),
    ("ja", "庭に梨の木がある。東京大学図書館"),
    ("ko", "오늘은 하루 종일 정원에서 일했다."),
    ("th", "วันนี้ฉันทำงานในสวนทั้งวัน"),
    ("ar", "السوق القديم في وسط المدينة"),
    ("he", "היום עבדתי בגינה כל היום"),
    ("ru", "Сегодня я весь день работал в саду."),
    ("el", "Σήμερα δούλεψα όλη μέρα στον κήπο."),
    ("hi", "बाग में नाशपाती के पेड़ हैं।"),
    ("de", "Der Begriff 知识 bedeutet Wissen und ist im Chinesischen häufig."),
    ("en", "The word Αγορά means market and it is an old one."),
]


@pytest.mark.parametrize(("code", "line"), LINES)
def test_a_short_note_is_told_by_its_words_or_its_script(code: str, line: str) -> None:
    assert note_language(Languages(CONFIGURED), line) == code


def test_a_note_with_hardly_a_letter_has_no_language() -> None:
    languages = Languages(CONFIGURED)

    assert [
        languages.of(text) for text in ("", "ok test", "12 + 30 = 42", "梨", "---\n\n", "`das ist nur Code hier`")
    ] == ["und"] * 6


def test_a_short_chunk_takes_the_language_of_its_note() -> None:
    languages = Languages(CONFIGURED)

    assert languages.of("The end of it all.", "de") == "de"
    assert languages.of("x = 1", "fr") == "fr"
    assert languages.of("This is the end of it all, and nothing is left to say.", "de") == "en"


def test_a_short_chunk_in_another_script_keeps_its_own() -> None:
    assert Languages(CONFIGURED).of("今天我在花园里工作", "de") == "zh"


def test_a_note_without_a_language_lends_none_to_its_chunks() -> None:
    languages = Languages(CONFIGURED)

    assert languages.of("Wir sind im Garten.", "und") == "de"
    assert languages.of("ok", "und") == "und"


def test_code_addresses_and_link_targets_do_not_count() -> None:
    text = "Das ist die Lösung für den Fehler:\n\n```python\nfor the in this: return of_the(that)\n```\n\n[hier](the-and-of-it.md)"

    assert Languages(CONFIGURED).of(text) == "de"


def test_prose_is_what_is_left_of_markdown() -> None:
    text = "Ein `code` und $x$ mit [[Ziel|Alias]], [Wort](https://a.de), #tag, %%geheim%%, <b>fett</b> und ![[bild.png]]. ^id"

    assert markdown_prose(text).split() == ["Ein", "und", "mit", "Alias]],", "[Wort", ",", "fett", "und", "."]


def test_only_configured_languages_are_answered_in_latin_script() -> None:
    line = "Vandaag heb ik de hele dag in de tuin gewerkt en het was warm."

    assert Languages(("de", "nl")).of(line) == "nl"
    assert Languages(CONFIGURED).of(line) in CONFIGURED
    assert Languages(("de",)).of(line) == "de"
    assert Languages(("ru",)).of(line) == "und"


def test_languages_of_one_script_are_told_apart_where_several_are_configured() -> None:
    ukrainian = "Сьогодні я весь день працював у саду, і було дуже тепло."

    assert Languages(("de", "uk")).of(ukrainian) == "uk"
    assert Languages(("ru", "uk")).of(ukrainian) == "uk"
    assert Languages(("ru", "uk")).of("Сегодня я весь день работал в саду.") == "ru"


def test_languages_without_function_words_are_told_by_their_letters() -> None:
    line = "Vandag het ek die hele dag in die tuin gewerk en dit was warm."

    assert Languages(("en", "af")).of(line) == "af"


def test_the_answer_depends_on_nothing_but_the_text() -> None:
    mixed = [line for _, line in LINES] + [
        "Der Plan is ready und the garden wartet.",
        "Berlin Paris Roma",
        "name value key",
    ]
    first = [Languages(CONFIGURED).of(line) for line in mixed]
    languages = Languages(tuple(reversed(CONFIGURED)))

    assert [languages.of(line) for line in reversed(mixed)] == first[::-1]


def test_a_long_note_is_told_by_its_beginning_even_after_much_code() -> None:
    code = "```\n" + "for the in this: return that\n" * 2_000 + "```\n\n"

    assert Languages(CONFIGURED).of(code + "Das ist der Text, der nach dem Code kommt, und er ist deutsch.") == "de"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80) | st.text(st.sampled_from("der the [](`$%<>#^|\n梨а\u0301\ud800 "), max_size=80))
def test_any_text_has_an_answer(text: str) -> None:
    languages = Languages(CONFIGURED)

    assert languages.of(text) == languages.of(text)
    assert 2 <= len(languages.of(text, "de")) <= 3


@pytest.mark.parametrize("unit", ["%%", "% ", "<a", "[[", "](", "`", "#a ", "a::", "&a", "[!", "der ", "[[a|", "^a "])
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    text = unit * (300_000 // len(unit))

    assert len(markdown_prose(text)) <= len(text) + 1
    assert Languages(CONFIGURED).of(text)


def test_langdetect_is_loaded_only_where_words_do_not_decide() -> None:
    code = (
        "import sys; from mindnet_chunker.chunking.language import Languages\n"
        "assert Languages(('de', 'en')).of('Das ist der Text, der nach dem Code kommt, und er ist deutsch.') == 'de'\n"
        "assert not {'langdetect', 'torch', 'sentencex', 'tokenizers'} & set(sys.modules), 'loaded'"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
