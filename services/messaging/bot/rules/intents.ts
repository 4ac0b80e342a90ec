// What a patient wants, by whole words in Spanish and English.
import { containsPhrase, equalsPhrase, foldPhrase } from '@clinic/lib/formats/phrases.ts';

export type Intent = 'stop' | 'start' | 'person' | 'menu' | 'book' | 'mine' | 'cancel' | 'move' | 'confirm' | 'yes' | 'no' | 'thanks';

/** Messages that consist of the phrase alone: «cancelar» alone cancels an appointment, and an opt-out is never guessed. */
const WHOLE: Record<string, Intent> = {};
const whole = (intent: Intent, ...phrases: string[]) => {
  for (const phrase of phrases) WHOLE[foldPhrase(phrase)] = intent;
};
whole('stop', 'BAJA', 'STOP', 'ALTO', 'SALIR', 'CANCELAR SUSCRIPCION', 'UNSUBSCRIBE');
whole('start', 'ALTA', 'START');
whole(
  'yes',
  'si',
  'sí',
  'claro',
  'ok',
  'okay',
  'dale',
  'acepto',
  'si por favor',
  'si gracias',
  'de acuerdo',
  'yes',
  'yes please',
  'yeah',
  'yep',
  'sure',
  '1',
  'si quiero',
  'la quiero',
);
whole('no', 'no', 'no gracias', 'no thanks', 'nope', '2', 'no puedo', 'nel');
whole('thanks', 'gracias', 'muchas gracias', 'thanks', 'thank you', 'ok gracias', 'mil gracias');
whole('menu', 'menu', 'inicio', 'ayuda', 'help', 'opciones', 'options', 'volver', 'atras', 'back', 'start over');
whole('book', 'cita', 'citas', 'agendar', 'reservar', 'appointment', 'book', 'schedule', 'turno', 'quiero', 'quiero agendar');
whole('cancel', 'cancelar', 'anular', 'cancel');
whole('move', 'cambiar', 'reprogramar', 'reagendar', 'mover', 'reschedule', 'change');
whole('confirm', 'confirmar', 'confirmo', 'confirmada', 'confirmado', 'confirm', 'ahi estare');

/** Phrases within a message; the first of the list that it has decides. */
const STRONG: [Intent, string[]][] = [
  [
    'person',
    [
      'persona',
      'humano',
      'humana',
      'asesor',
      'asesora',
      'agente',
      'operador',
      'operadora',
      'recepcion',
      'recepcionista',
      'hablar con alguien',
      'human',
      'person',
      'agent',
      'representative',
      'receptionist',
      'operator',
      'talk to someone', // plain-words: talk is what patients type
      'speak to someone',
      'talk to somebody', // plain-words: talk is what patients type
    ],
  ],
  [
    'mine',
    [
      'mis citas',
      'mi cita es',
      'ver citas',
      'ver mi cita',
      'cuando es mi cita',
      'tengo cita',
      'mi proxima cita',
      'my appointments',
      'my visits', // plain-words: visits is what patients type
      'my next appointment',
      'when is my appointment',
      'do i have an appointment',
    ],
  ],
  [
    'move',
    [
      'reprogramar',
      'reagendar',
      'cambiar mi cita',
      'cambiar la cita',
      'cambiar una cita',
      'cambiar cita',
      'mover mi cita',
      'mover la cita',
      'reschedule',
      'change my appointment',
      'move my appointment',
    ],
  ],
  ['cancel', ['cancelar', 'anular', 'cancel']],
  ['confirm', ['confirmar', 'confirmo', 'confirm']],
  [
    'book',
    [
      'agendar',
      'reservar',
      'quiero una cita',
      'quisiera una cita',
      'necesito una cita',
      'sacar cita',
      'sacar una cita',
      'pedir cita',
      'hacer una cita',
      'nueva cita',
      'book',
      'make an appointment',
      'an appointment',
      'new appointment',
      'schedule',
    ],
  ],
];

/** Phrases that decide only when no FAQ of the clinic matches. */
const WEAK: [Intent, string[]][] = [
  ['book', ['cita', 'citas', 'turno', 'appointment', 'appointments']],
  [
    'menu',
    [
      'hola',
      'buenas',
      'buenos dias',
      'buenas tardes',
      'buenas noches',
      'buen dia',
      'saludos',
      'menu',
      'ayuda',
      'hello',
      'hi',
      'hey',
      'good morning',
      'good afternoon',
      'good evening',
      'help',
    ],
  ],
  ['thanks', ['gracias', 'thanks', 'thank you']],
];

export const wholeIntent = (words: string): Intent | undefined => WHOLE[words];

/** Whether a message is BAJA or the like, or stops promotional messages at the provider. */
export const isOptOut = (type: string, { text = '', choice }: { text?: string; choice?: { id: string } }) =>
  choice?.id === 'marketing:stop' || (type === 'text' && wholeIntent(foldPhrase(text)) === 'stop');

export const strongIntent = (words: string): Intent | undefined => first(STRONG, words);
export const weakIntent = (words: string): Intent | undefined => first(WEAK, words);

const first = (table: [Intent, string[]][], words: string) => table.find(([, phrases]) => phrases.some((phrase) => containsPhrase(words, phrase)))?.[0];

/** Whether a message abandons what is under way. */
export const wantsOut = (words: string) =>
  ['cancelar', 'cancel', 'ya no', 'olvidelo', 'dejelo', 'nada', 'forget it', 'never mind', 'no gracias', 'no thanks'].some((one) => equalsPhrase(words, one));
