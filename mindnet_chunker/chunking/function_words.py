"""Small words that give a language away, about 35 each, lower case.

Words that several of these languages share are left out where they would mislead, or stand in each of their lists, so
that they cancel out.
"""

from __future__ import annotations

from collections.abc import Mapping

_LISTS = {
    "de": "der die das und ist nicht ein eine einen mit von zu den dem des auf für sich auch es an als wie wird im ich wir "
    "sind aus bei nach oder aber werden kann noch nur durch zum zur vom war hat haben wenn beim über sie er mehr man",
    "en": "the and is of to in that it for with as are was this be on not have from by or an you at which can but they we "
    "will has were its their what when how if there i your my he she all more would about into do does than don' doesn' isn' it' i'",
    "fr": "le la les et est des une un du en que qui dans pour pas sur avec ce il au par plus ne sont se cette ou je nous "
    "vous mais être ont leur aux comme fait elle on son ses sans très où été ces de d' l' j' qu' n' c' s' m'",
    "it": "il di che è la un per non una sono del con le si da come della nel più dei al anche ha lo gli alla i questo "
    "delle ma se nella dal ho ci essere mi tra sul dove quando molto ed o e sulla degli questa l' d' un' dell' nell' all' c'",
    "es": "el de que y la en los un una se las por con no para es del lo al como más pero sus su está son le ha me sin "
    "sobre este también hay muy cuando ser esta entre todo mi si yo fue donde porque o nos e desde",
    "nl": "de het een en van is niet dat op te zijn met voor die er aan in ook als naar door maar om bij nog wordt of uit "
    "worden dan heeft ik kan we wij deze over hebben geen moet wat hoe meer tot was hij zij je",
    "pt": "o de que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando "
    "muito nos já eu também só pelo pela até isso ela entre é são está foi ser tem você às num",
    "pl": "i w na się nie z do jest to że jak o po ale co od za przez tak dla są już tego oraz być może tym lub czy był "
    "która który które tylko przy jego było gdy ma jeszcze nas ich ze",
    "sv": "och att det som en på är av för med den till inte har de om ett men var jag från vi så kan när man nu eller "
    "skulle hade där sig efter här vid detta bara också vad under mot mycket alla",
    "da": "og at det er en på til af som med de den ikke for der har et var jeg fra vi så kan når man nu eller men om "
    "skulle havde hvor sig efter her ved dette kun også hvad være mod meget alle",
    "no": "og at det er en på til av som med de den ikke for det har et var jeg fra vi så kan når man nå eller men om "
    "skulle hadde hvor seg etter her ved dette bare også hva være mot mye alle noe",
    "cs": "a se je na v že to s z do o i jako by pro si ale za po jsou tak ve byl jeho co od nebo který která které jen "
    "při už když jsem být není ještě až byla tím",
    "ro": "de și în a la cu pe este o nu din un că pentru care sunt mai se ce sau prin fi am dar au fost ca le lui ai "
    "această acest după când foarte doar fără între cum",
    "hu": "a az és hogy nem is egy van ez meg de csak mint már ha volt vagy lehet el még azt ami minden mert nagyon kell "
    "után között amely ezt sem majd itt így akkor",
    "fi": "ja on ei se että oli hän mutta ovat kun niin joka ole myös tai sen kuin jos vain voi mitä hänen sitä tämä "
    "minä olen sekä ollut jo nyt mukaan ne siitä eli",
    "tr": "ve bir bu da de için ile olarak çok daha gibi olan ne ama en var o kadar sonra değil ben mi her ya ki olduğu "
    "göre şey iki nasıl veya ise tarafından",
}

WORDS: Mapping[str, frozenset[str]] = {code: frozenset(text.split()) for code, text in _LISTS.items()}
