// Finds words in messages of patients, ignoring case and accents.
import { foldWords } from './search-name.ts';

/** ` quiero una cita ` for «¡Quiero una CITA!»: a space before and after each word, so that whole words can be found as substrings. */
export function foldPhrase(text: string): string {
  const words = foldWords(text);
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

/** Whether a message, folded by foldPhrase(), contains the phrase as whole words. */
export function containsPhrase(message: string, phrase: string): boolean {
  const folded = foldPhrase(phrase);
  return folded !== '' && message.includes(folded);
}

/** Phrases, separated by vertical bars, as containsAny() requires them. */
export const splitPhrases = (phrases: string): string[] => phrases.split('|').map(foldPhrase);

/** Whether a message, folded by foldPhrase(), contains one of the phrases of splitPhrases(). */
export const containsAny = (message: string, phrases: readonly string[]): boolean => phrases.some((phrase) => message.includes(phrase));

const ENGLISH = new Set(
  // plain-words: talk is what patients write
  `talk hello hi hey good morning afternoon evening please thanks thank you your i my want would like need the appointment appointments book booking
  schedule reschedule change cancel confirm yes yeah yep sure help speak person human how much what when where do does is are can could have open price prices cost
  today tomorrow monday tuesday wednesday thursday friday saturday sunday at with for to unsubscribe start english parking
  waitlist waiting sorry wrong number`.split(/\s+/),
);
const SPANISH = new Set(
  `hola buenos buenas dias tardes noches por favor gracias quiero quisiera necesito una un la el los las cita citas agendar reservar mi mis cambiar cancelar
  confirmar si claro ayuda hablar con persona cuanto cuando donde como tienen hay puedo hoy manana lunes martes miercoles jueves viernes sabado domingo para que
  precio precios cuesta espanol alta baja de es parqueo horario anular`.split(/\s+/),
);

/** The language of a message, folded by foldPhrase(); undefined when its words are in both languages or in neither. */
export function detectLanguage(message: string): 'es' | 'en' | undefined {
  let score = 0;
  for (const word of message.trim().split(' ')) score += (ENGLISH.has(word) ? 1 : 0) - (SPANISH.has(word) ? 1 : 0);
  return score > 0 ? 'en' : score < 0 ? 'es' : undefined;
}
