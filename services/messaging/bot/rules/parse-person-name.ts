// The name of a person in a message, such as «para mi hijo Carlos».
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { clinicIntent } from './clinic-questions.ts';
import { asksForFacts } from './intents.ts';

const wordsOf = (words: string) => new Set(words.split(/\s+/));

/** The name follows the last of these. */
const INTRODUCTIONS =
  /^.*\b(?:me llamo|se llama|llamad[oa]|nombre del?|nombre es|nombre completo(?: es)?|de nombre|my name is|name is|named|in the name of)\s*:?\s+/i;

const AGE = /,?\s*(?:de\s+|tiene\s+)?\d{1,3}\s+(?:a[ñn]os?|meses|years?).*$|,\s*\d{1,3}\s*$/i;
/** A national id or a phone behind the name. */
const NUMBER = /[,;.]?\s*(?:(?:con\s+)?(?:dui|tel|cel|tel[eé]fono|celular|n[uú]mero)\b)?[\s:.#-]*\+?\d[\d\s().-]{6,}.*$/i;

/** Words before a name that do not belong to it. */
const BEFORE = wordsOf(
  `si sí ok bueno hola buenas buenos dias días tardes noches es la cita sería seria para por favor porfa soy paciente nombre apellido de del mi mis su un una el yo don doña dona sr sra srta señorita senorita
  yes hi hello it is it's its the appointment for i am i'm my a our`,
);
const RELATIVES = wordsOf(
  `hijo hija hijito hijita niño nino niña nina bebe bebé esposo esposa marido mujer señora senora señor senor mama mamá mami papa papá papi madre padre abuelo abuela
  abuelita abuelito hermano hermana tio tío tia tía primo prima sobrino sobrina nieto nieta suegro suegra cuñado cuñada novio novia pareja amigo amiga
  compañero compañera jefe jefa vecino vecina mayor menor pequeño pequeña otra otro persona
  son daughter wife husband mother mom father dad brother sister friend child kid grandmother grandfather partner baby`,
);
/** Words after a name that do not belong to it. */
const AFTER = wordsOf('por favor porfa porfavor gracias please thanks');

/** Words that no name contains, folded. */
const NOT_NAMES = wordsOf(
  `a al que con yo mi me su ella ese esa eso esto no si ya como cuando donde porque quien cual cuanto quiero quisiera puedo puede pueden tiene tienen tengo necesito
  es esta estoy hay hora horas cita citas dia dias hoy manana tarde noche tardes noches media cuarto semana proxima otro otra lunes martes miercoles jueves viernes
  sabado una uno dos tres cuatro cinco seis siete ocho nueve diez once doce nombre persona gracias favor se sabe saber cambiar cancelar mejor prefiero entonces
  doctor doctora doctores doctoras dentista dentistas
  i my me it is what when where not want need the for today tomorrow appointment`,
);

/** A surname that is also a word of questions: «John Price», but «cleaning price». */
const SURNAMES =
  /(?<=(?:^|[^\p{L}\p{M}])(?!(?:the|a|what|your|our|my|me|of|for|is|good|best|full|total|cleaning|filling|braces|whitening|extraction|exam|checkup|consultation|que|el|es)\s)\p{L}[\p{L}\p{M}'’.-]*\s)price(?![\p{L}\p{M}]|\s+(?:of|for|is|list|range)\b)/giu;
/** A text without the surnames that are also words of questions. */
export const withoutSurnames = (text: string): string => text.replaceAll(SURNAMES, '');

/** Longer messages are no names, and would take long to match. */
const MAX_TEXT = 500;

/** The person's name in a message, without an introduction such as «me llamo»; undefined when no name is left. */
export function parsePersonName(text: string): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const words = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(INTRODUCTIONS, '')
    .replace(AGE, '')
    .replace(NUMBER, '')
    .split(/\s+/)
    .map((word) => word.replace(/[,;:!¡.]+$/, ''));
  // «Mi nieto Carlos», but «Nieto Pérez» is a surname.
  const isBefore = (word: string, index: number) => BEFORE.has(word.toLowerCase()) || (index > 0 && RELATIVES.has(word.toLowerCase()));
  const first = words.findIndex((word, index) => !isBefore(word, index));
  words.splice(0, first < 0 ? words.length : first);
  while (words.length > 0 && AFTER.has(words.at(-1)?.toLowerCase() ?? '')) words.pop();
  const name = words.filter(Boolean).join(' ');
  const letters = name.replaceAll(/[^\p{L}]/gu, '');
  const isName = letters.length >= 2 && name.length <= 80 && /^[\p{L}\p{M}][\p{L}\p{M}'’.\- ]*$/u.test(name);
  const folded = foldPhrase(name);
  if (folded === ' domingo ') return undefined; // a weekday, unless a surname follows
  if (asksForFacts(foldPhrase(withoutSurnames(name))) || clinicIntent(folded) !== undefined) return undefined;
  return isName &&
    !folded
      .trim()
      .split(' ')
      .some((word) => NOT_NAMES.has(word))
    ? name
    : undefined;
}

const PARTICLES = wordsOf('de del la las los y');
const FOR_RELATIVE = new RegExp(` (?:para|for) (?:mi|mis|una?|la|el|my) (?:${[...RELATIVES].join('|')})(?= )`);
/** Whether a folded message says that it is for a relative or the like: «es para mi mamá». */
export const isForRelative = (words: string): boolean => FOR_RELATIVE.test(words);

const MYSELF = [' soy yo ', ' mi ', ' a mi nombre ', ' yo ', ' for me ', ' me ', ' myself ', ' in my name '];
/** «Quiero una cita para mí», «no, para mí», but not «para mi hijo» or «no es para mí». */
const FOR_MYSELF = /(?<! no (?:es|era|seria|sea)) para mi(?: mism[ao])? $| cita para mi(?: mism[ao])? (?:con|el|por|en|hoy|manana|pasado) /;
/** Whether a folded message says that it is for its sender. */
export const isForMyself = (words: string): boolean => MYSELF.includes(words) || (FOR_MYSELF.test(words) && !isForRelative(words));

const STOPS = [...NOT_NAMES, ...wordsOf('el la los las para por en y dr dra')];
const INTRODUCED = new RegExp(
  ` (?:(?:para|de|for) (?:mi|mis|una?|la|el|my) (?:${[...RELATIVES].join('|')})|a nombre de|me llamo|se llama|soy|mi nombre es|my name is|i am)(?: (?!(?:${STOPS.join('|')}) )\\p{L}+){1,3}(?= )`,
  'gu',
);

/** Dates with a word that is also a given name. */
const NAMELIKE_DATES = / (?:(?:el )?(?:\d{1,2}|primero) (?:de )?|el \p{L}+ de |mes de )(?:abril|julio)(?= )| (?:el|para el|este) domingo(?= )/gu;

/** A folded message without the words for days that are also given names: «el 3 de julio». */
export const withoutNamelikeDates = (words: string): string => words.replaceAll(NAMELIKE_DATES, '');

/** A folded message without the names that a doctor may have too, but that it says of patients or of days: «para mi hija Ana», «el 3 de julio». */
export const withoutIntroducedNames = (words: string): string => withoutNamelikeDates(words.replaceAll(INTRODUCED, ''));

const isCapitalised = (word: string) => PARTICLES.has(word) || /^\p{Lu}/u.test(word);

const MOST_WORDS = 5;

/** The name with which a text begins, in capitals like «Mateo Díaz», whatever follows: «Mateo Díaz el viernes». */
function parseLeadingName(text: string): string | undefined {
  const [clause = ''] = text.split(/[,;.:!?()\n]/);
  if (!/^\p{Lu}\p{Ll}/u.test(clause)) return undefined;
  const words = clause.trim().split(/\s+/);
  const isEnd = (word: string, index: number) =>
    words[index - 1] === 'de' && PARTICLES.has(word) ? false : STOPS.includes(foldPhrase(word).trim()) || !isCapitalised(word);
  const end = words.findIndex(isEnd);
  // «Mateo y Sofía» are two.
  if (words[end] === 'y' && isCapitalised(words[end + 1] ?? '')) return undefined;
  const name = words.slice(0, end < 0 ? words.length : end);
  while (PARTICLES.has(name.at(-1) ?? '')) name.pop();
  return name.length > MOST_WORDS ? undefined : parsePersonName(name.join(' '));
}

const RELATIVE = [...RELATIVES].filter((word) => !['otro', 'otra', 'persona', 'mayor', 'menor'].includes(word)).join('|');
const BEFORE_NAME = new RegExp(
  String.raw`(?<![\p{L}\p{M}])(?:para|pa|for)\s+(?:mi|una?|la|el|my)\s+(?:${RELATIVE})(?:\s+(?:${[...RELATIVES].join('|')}))*[\s,:(]+(?=\p{L})`,
  'iu',
);
const SECOND_PERSON = / (?:y|e|and) (?:(?:para|a|for) )?(?:mi|my|otr[ao]) /;

/** The name behind «para mi hijo». Undefined if there are two people. */
function parseRelativeName(text: string): string | undefined {
  const [before] = BEFORE_NAME.exec(text) ?? [];
  if (before === undefined || SECOND_PERSON.test(foldPhrase(text))) return undefined;
  return parseLeadingName(text.slice(text.indexOf(before) + before.length));
}

/** The name in a message that says «a nombre de», «me llamo», «para mi hijo» or the like, whatever else it says. */
export function parseNamed(text: string): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const introduced = INTRODUCTIONS.test(text) ? (parsePersonName(text) ?? parseLeadingName(text.replace(INTRODUCTIONS, ''))) : undefined;
  return introduced ?? parseRelativeName(text);
}

/**
 * The name in a message that may say something else: if it is introduced, as in «a nombre de ana lópez», or has several words with capitals. In a message all
 * in capitals, these mark a name only after the question for one (`asked`), and not «MEJOR TEMPRANO».
 */
export function parseIntroducedName(text: string, asked = false): string | undefined {
  const name = parsePersonName(text);
  if (name === undefined) return undefined;
  const words = name.split(' ');
  const isCapitals = words.every(isCapitalised) && (asked || text !== text.toUpperCase());
  const isMarked = INTRODUCTIONS.test(text) || FOR_RELATIVE.test(foldPhrase(text)) || (words.length > 1 && isCapitals);
  return isMarked ? name : undefined;
}
