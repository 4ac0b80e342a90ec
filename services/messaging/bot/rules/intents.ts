// Detects what a patient wants, by whole words in Spanish and English.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';

export type Intent = 'stop' | 'start' | 'person' | 'menu' | 'faq' | 'book' | 'wait' | 'mine' | 'cancel' | 'move' | 'confirm' | 'yes' | 'no' | 'thanks';

const fold = (table: [Intent, phrases: string][]) => table.map(([intent, phrases]) => ({ intent, phrases: phrases.split('|').map(foldPhrase) }));

/** Phrases that must be the whole message: «cancelar» alone cancels an appointment, and an opt-out is never guessed. */
const WHOLE = fold([
  ['stop', 'baja|stop|alto|salir|cancelar suscripcion|unsubscribe'],
  ['start', 'alta|start'],
  ['yes', 'si|claro|ok|okay|dale|acepto|si por favor|si gracias|de acuerdo|yes|yes please|yeah|yep|sure|1|si quiero|la quiero|si la quiero'],
  ['no', 'no|no gracias|no thanks|nope|2|no puedo|nel|no conservarla|no quiero cancelar|no keep it'],
  ['thanks', 'gracias|muchas gracias|thanks|thank you|ok gracias|mil gracias'],
  ['faq', 'preguntas frecuentes|preguntas|questions|faq'],
  ['menu', 'menu|inicio|ayuda|help|opciones|options|volver|atras|back|start over'],
  ['book', 'cita|citas|agendar|reservar|appointment|book|book it|schedule|turno|quiero|quiero agendar'],
  ['cancel', 'cancelar|anular|cancel|cancel it|quiero cancelar'],
  ['move', 'cambiar|reprogramar|reagendar|mover|reschedule|change|move it'],
  ['confirm', 'confirmar|confirmo|confirmada|confirmado|confirm|ahi estare'],
]);

/** Phrases within a message. The first row with a match decides. */
const STRONG = fold([
  ['person', 'persona|humano|humana|asesor|asesora|agente|operador|operadora|recepcion|recepcionista|hablar con alguien'],
  // plain-words: talk is what patients type
  ['person', 'human|person|agent|representative|receptionist|operator|talk to someone|speak to someone|talk to somebody'],
  ['mine', 'mis citas|mi cita es|ver citas|ver mi cita|cuando es mi cita|tengo cita|mi proxima cita'],
  // plain-words: visits is what patients type
  ['mine', 'my appointments|my visits|my next appointment|when is my appointment|do i have an appointment'],
  // A person handles requests to leave the waitlist, and questions about it.
  ['person', 'de la lista de espera|no quiero lista de espera|no quiero la lista de espera|no quiero estar en la lista|estoy en la lista de espera'],
  ['person', 'sigo en la lista de espera|cancelar lista de espera|cancelar la lista de espera|cancel the waitlist|cancel my waitlist|am i on the waitlist'],
  [
    'person',
    'leave the waitlist|off the waitlist|from the waitlist|leave the waiting list|off the waiting list|from the waiting list|am i on the waiting list',
  ],
  ['wait', 'lista de espera|si se libera|cuando se libere|si se desocupa|cuando se desocupe|si se abre un cupo|si se abre un espacio|cuando haya cupo'],
  ['wait', 'cuando haya espacio|si alguien cancela|si hay una cancelacion|si hay alguna cancelacion'],
  [
    'wait',
    'waitlist|wait list|waiting list|opens up|frees up|becomes free|becomes available|if someone cancels|if somebody cancels|if there is a cancellation',
  ],
  ['move', 'reprogramar|reagendar|cambiar mi cita|cambiar la cita|cambiar una cita|cambiar cita|mover mi cita|mover la cita'],
  ['move', 'reschedule|change my appointment|move my appointment'],
  ['cancel', 'cancelar|anular|cancel'],
  ['confirm', 'confirmar|confirmo|confirm'],
  ['book', 'agendar|reservar|quiero una cita|quisiera una cita|necesito una cita|sacar cita|sacar una cita|pedir cita|hacer una cita|nueva cita'],
  ['book', 'book|make an appointment|an appointment|new appointment|schedule'],
]);

/** Phrases that decide only if no FAQ of the clinic matches. */
const WEAK = fold([
  ['book', 'cita|citas|turno|appointment|appointments'],
  ['menu', 'hola|buenas|buenos dias|buenas tardes|buenas noches|buen dia|saludos|menu|ayuda'],
  ['menu', 'hello|hi|hey|good morning|good afternoon|good evening|help'],
  ['thanks', 'gracias|thanks|thank you'],
]);

/** Whole messages that abandon the current question. */
const ABANDON = fold([['cancel', 'cancelar|cancel|ya no|olvidelo|dejelo|nada|forget it|never mind|no gracias|no thanks']]);

type Phrases = ReturnType<typeof fold>;
const equalTo = (words: string, table: Phrases) => table.find(({ phrases }) => phrases.includes(words))?.intent;
const containedIn = (words: string, table: Phrases) => table.find(({ phrases }) => phrases.some((phrase) => words.includes(phrase)))?.intent;

/** `words` as foldPhrase() returns them, here and below. */
export const wholeIntent = (words: string): Intent | undefined => equalTo(words, WHOLE);
export const strongIntent = (words: string): Intent | undefined => containedIn(words, STRONG);
export const weakIntent = (words: string): Intent | undefined => containedIn(words, WEAK);

/**
 * Whether a message agrees to the current question, which asks whether to do what is `wanted`: «sí», «confirmo la cancelación», or the intent
 * itself, also after a yes: «sí, cancelar».
 */
export function agreesTo(wanted: Intent, words: string): boolean {
  if (words.includes(' no ')) return false;
  const meant = [wholeIntent(words), wholeIntent(words.replace(/^ (?:si|yes)(?= .)/, ''))];
  return meant.some((intent) => intent === 'yes' || intent === wanted) || strongIntent(words) === 'confirm';
}

/** Whether a message is only one of the weak phrases, such as «buenas noches». */
export const isGreeting = (words: string): boolean => equalTo(words, WEAK) !== undefined;
export const isAbandoning = (words: string): boolean => equalTo(words, ABANDON) !== undefined;

/** Whether a message opts out of recalls, or in again: BAJA, ALTA or the like, or a choice about promotional messages made at the provider. */
export function recallChoice(type: string, { text = '', choice }: { text?: string; choice?: { id: string } }): 'stop' | 'start' | undefined {
  if (type === 'preference') return choice?.id === 'marketing:stop' ? 'stop' : 'start';
  const intent = type === 'text' ? wholeIntent(foldPhrase(text)) : undefined;
  return intent === 'stop' || intent === 'start' ? intent : undefined;
}
