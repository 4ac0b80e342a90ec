// Words as they are compared: whole ones, lower case, without accents.

/** ` quiero una cita ` of «¡Quiero una CITA!»: a blank around each word, so that whole words are found as substrings. */
export function foldPhrase(text: string): string {
  const words = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

/** Whether `said`, as plain() gives it, has the phrase as whole words. */
export function containsPhrase(said: string, phrase: string): boolean {
  const wanted = foldPhrase(phrase);
  return wanted !== '' && said.includes(wanted);
}

export const equalsPhrase = (said: string, phrase: string) => said !== '' && said === foldPhrase(phrase);

const ENGLISH = new Set(
  `hello hi hey good morning afternoon evening please thanks thank you your i my want would like need the appointment appointments book booking schedule
  reschedule change cancel confirm yes yeah yep sure help talk speak person human how much what when where do does is are can could have open price prices cost
  today tomorrow monday tuesday wednesday thursday friday saturday sunday at with for to unsubscribe start menu english parking`.split(/\s+/),
);
const SPANISH = new Set(
  `hola buenos buenas dias tardes noches por favor gracias quiero quisiera necesito una un la el los las cita citas agendar reservar mi mis cambiar cancelar
  confirmar si claro ayuda hablar con persona cuanto cuando donde como tienen hay puedo hoy manana lunes martes miercoles jueves viernes sabado domingo para que
  precio precios cuesta espanol alta baja de es parqueo horario anular`.split(/\s+/),
);

/** The language that someone writes in; undefined when the words do not tell. */
export function detectLanguage(said: string): 'es' | 'en' | undefined {
  let score = 0;
  for (const word of said.trim().split(' ')) score += (ENGLISH.has(word) ? 1 : 0) - (SPANISH.has(word) ? 1 : 0);
  return score > 0 ? 'en' : score < 0 ? 'es' : undefined;
}
