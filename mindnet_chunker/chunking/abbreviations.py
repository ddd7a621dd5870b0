"""Words before and after a full stop that decide whether it ends a sentence: German and English together.

Abbreviations are written without blanks, in lower case, without their last full stop: `z.b`. Whether a cut is made must
not depend on a note's language, so there is one table; a word of both languages is in the more careful list.
"""

from __future__ import annotations


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# Something always follows: never the end of a sentence.
NEVER = _words(
    "z.b d.h i.e e.g z.bsp u.zw m.a.w m.e m.w s.a vgl bzw bspw dgl ca inkl exkl einschl ausschl zzgl abzgl ggf ggfs evtl",
    "evt eventl sog insb insbes bes vorauss voraussichtl vglw resp beispielsw beziehungsw i.a i.allg i.w.s i.e.s bzgl betr",
    "gem lt zzt z.zt z.hd z.h i.v i.a.d gegr geb gest verh verw ehem urspr eigtl eigentl gewöhnl allg mind höchst durchschn",
    "max.ca sogen zw zwecks hrsg hg ed eds nr nrn abs art.nr kap.nr bd.nr tel.nr str.nr hausnr tz rz rn ziff anm abt",
    "dr prof priv.-doz pd dipl dipl.-ing ing mag univ hr hrn fr frl med phil jur rer nat rer.nat theol h.c dr.h.c habil",
    "mr mrs ms messrs mx st ste sgt capt cmdr col gen lt.col maj pvt rev hon pres gov sen rep rt.hon fr.dr esp approx incl",
    "excl viz cf vs v.s c.f ibid misc avg temp tel.no nos fn ft.no ref.no i.d.f i.s.d i.s.v i.v.m s.o.g o.g u.g o.ä.w",
    "hl kgl kath evang ev.-luth röm röm.-kath dt engl frz franz ital span griech lat arab russ amerik österr schweiz hebr",
    "südl nördl westl östl nordöstl jap chin geogr hist polit wirtschaftl wiss zool bot techn math phys chem biol mediz psych",
    "fa fam doz gez abk re verz mult anh a.k.a n.b p.s ps bsp bspl frdl vllt",
    "jährl monatl tägl wöchentl stdl mündl schriftl persönl gesetzl steuerl verschied zus zusätzl mögl einstl auszugsw",
    "stellv vors verf übers bearb zit hinw erl erf erg ff.v vorl sämtl jew jeweil einz unterschiedl gegebenenf",
)

# It may end one: cut only where the next word is one that begins a sentence.
ENDING = _words(
    "mwst ust mio mill mrd tsd bio std stdn min sek jh jhd jhdt jhdts jahrh tgl mtl stck stk pkt pkte ltr kl gr geh bzw.usw u.a u.ä",
    "o.ä u.dgl u.v.a u.a.m u.v.a.m s.o s.u s.d a.a.o z.t z.tl o.a u.u u.a.w.g v.a i.d.r i.r i.ü i.w n.chr v.chr a.d a.m p.m",
    "b.c a.d. b.c.e c.e inc ltd corp co bros llc plc jr sr esq ph.d m.d b.a m.a b.sc m.sc d.c u.s u.k u.s.a e.u u.n al et.al",
    "f n.v o.j o.o o.b.d.a w.z.b.w q.e.d s.a.r.l e.v mbh g.m.b.h ag.str str pl dept est.al sq ft yd hrs hr.s yrs mos wks lbs",
    "oz gal pt qt mi mph approx.val m.p.h p.a p.p p.t b.w d.j d.m d.ä i.j i.vj l.m v.h n.n n.v.chr n.a k.a a.k.a t.b.d",
    "st.louis blvd ave rd sts bldg apt u.s.a.f intl natl govt assn",
)

# It ends one as a rule: cut before any capital letter.
STOPPING = _words("etc usw usf uvm uva u.s.w u.v.m u.s.f ff etc.pp pp.ff et.cetera ect")

# An abbreviation only before a figure, else a word of its own: `No. 5`, `art. 7`, `Jan. 5`.
BEFORE_FIGURE = _words(
    "no art abb tab kap bd bde fig figs vol vols p pp s ch chap sec sect par para app ex eq eqs ed.no op ref refs ver vers",
    "jan feb febr mär mrz mar apr jun jul aug sep sept okt oct nov dez dec mo di mi do fr sa so mon tue tues wed thu thur thurs",
    "fri sat sun max min.max ab bl sp lfd tel fax est anl beil blz plz kto lekt teilbd jg jahrg h heft taf zeile z v sz",
    "abschn buchst lit nr.nr item rev.no §",
)

LISTED = NEVER | ENDING | STOPPING | BEFORE_FIGURE

# After a figure: `3. Oktober`, `19. Jahrhundert`.
ORDINAL_NOUNS = _words(
    "januar jänner februar feber märz april mai juni juli august september oktober november dezember",
    "jan feb febr mär mrz apr jun jul aug sep sept okt nov dez jahrhundert jahrhunderts jahrhunderte jahrtausend jahrzehnt jh",
    "jhd jhdt weltkrieg weltkriegs weltkrieges kapitel kapitels mal stock stockwerk etage obergeschoss untergeschoss og ug",
    "klasse schuljahr platz rang tag tages tagen woche monat quartal quartals semester semesters jahr jahres lebensjahr",
    "lebensjahres geburtstag geburtstags todestag jahrestag auflage ausgabe ausgaben band bandes teil teils abschnitt schritt",
    "punkt stunde minute reihe spieltag runde halbzeit bundesliga liga internationale änderung advent sonntag samstag freitag",
    "donnerstag mittwoch dienstag montag generation grades grad ordnung stufe ebene dimension person fall zeile spalte seite",
    "satz sinfonie symphonie akt szene gebot buch mose mannschaft juristischen staatsexamen armee division korps bezirk",
    "legislaturperiode wahlperiode sitzung konferenz tagung kongress jahrestagung parteitag hochzeitstag dynastie kammer senat",
    "fc zivilsenat strafsenat märz- hälfte versuch anlauf lauf durchgang gang etappe platzierung petersbrief person",
)

# Before a figure that counts in order: `am 3.`, `der 2.`.
ORDINAL_BEFORE = _words(
    "am der die das dem den des im zum zur vom beim bis ab seit jeder jede jedes jeden jedem ein eine einen einem einer eines",
    "und oder sowie mein meine meinem meinen seinem seinen seiner ihrem ihren ihrer unser unsere unserem unseren dieser diese dieses diesem",
    "diesen ins ans",
)

# A single letter after one of these is a name: `Plan B. Danach`.
LABELS = _words(
    "plan vitamin teil punkt variante option gruppe klasse typ anhang abschnitt kategorie stufe fall modell linie block haus",
    "aufgabe frage antwort phase schritt version spieler person team note type group class grade section appendix category",
    "chapter kapitel lesson lektion part case model line answer question phase step player side exhibit schedule table figure hepatitis variable",
)

# Words that begin sentences and hardly ever follow an abbreviation, figure or initial within one.
STARTERS = _words(
    "der die das dies diese dieser dieses diesem diesen ein eine einen einem einer er sie es wir ihr ich du man und aber oder",
    "denn doch dann da dort hier heute gestern morgen nun jetzt danach davor dabei dazu dafür dagegen darauf darin davon",
    "dadurch deshalb deswegen daher darum damit dennoch trotzdem wenn als ob weil obwohl während wer wie was wo wann warum wieso",
    "welche welcher welches im in am an auf aus bei beim mit nach von vom vor zu zum zur für über unter durch ohne um seit bis",
    "auch nur so sonst noch schon alle alles jeder jede jedes jemand niemand kein keine keiner nicht nichts und oder sowie mein meine meinem",
    "unser unsere manche mancher viele einige beide zuerst zunächst zuletzt schließlich zudem außerdem allerdings jedoch bitte",
    "siehe leider vielleicht natürlich später früher bald wegen trotz laut gegen nein ja mir mich uns ihm ihn ihnen dir dich",
    "ebenso weiter weitere weiterhin nachts abends morgens mittags anschließend gleich genau ganz sehr mehr weniger besser gut",
    "fertig schade wahrscheinlich eigentlich manchmal oft immer nie meist meistens erst endlich plötzlich inzwischen statt weder",
    "entweder falls sobald solange bevor nachdem damals seitdem insgesamt zusammen teils ebenfalls ferner zwar hierbei hierzu",
    "daran sein seine ihre deren dessen sodass jeweils wirklich gerade warte warten weitere wieder keiner welch bis",
    "the a this that these those he she it we you they i and but or then there here now when while if as on at by for from to",
    "with of not no yes my his her its our their your what who why how where which whose after before since because although",
    "today yesterday tomorrow don also however therefore thus all some most many much few every each both another please see",
    "let maybe perhaps finally later meanwhile still never",
    "le les un une il elle nous vous ils elles et mais en lo gli el los las y pero es ma si",
)

UNITS = _words("km cm mm dm kg mg ml dl hl kb mb gb tb kw kwh mw hz khz mhz ghz ms ns pc pcs tv dvd cd md txt html css")
