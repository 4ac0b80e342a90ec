// Whether a due message must still be sent, and the values of its variables.
import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { firstName } from '@clinic/lib/formats/person-name.ts';
import { procedureOf } from '../../prices/procedure-rules.ts';
import type { Values } from './template.ts';

type QueuedContact = { status: string; failure: string | null; withdrawn: boolean; visited: boolean; booked: boolean };
type Reachable = { recallOptedOut: boolean; isArchived: boolean; reachablePhone?: string | undefined };

/** Undefined when the message must be sent, even if it was already sent: delivery is at least once. */
export function reasonNotToSend(contact: QueuedContact, patient: Reachable): string | undefined {
  if (patient.recallOptedOut || contact.status === 'opted_out') return 'opted_out';
  if (contact.withdrawn) return contact.failure ?? 'withdrawn';
  if (patient.isArchived) return 'archived';
  if (!patient.reachablePhone) return 'no_phone';
  if (contact.booked) return 'visit_booked'; // plain-words: visit stored and public reason
  return contact.visited ? 'visited' : undefined;
}

type Message = { fullName: string; clinic: string; procedureType: string | null; procedureName: string | null; lastAppointment: string };

/** `procedureType` is a code or a name, `procedureName` the clinic's name for a code. `lastAppointment` is YYYY-MM-DD. */
export function templateValues(message: Message): Values {
  const { procedureType, procedureName } = message;
  const nameOfCode = procedureName ?? procedureOf(procedureType ?? '')?.nameEs;
  return {
    nombre: firstName(message.fullName),
    clinica: message.clinic,
    procedimiento: nameOfCode ? withinSentence(nameOfCode) : (procedureType ?? 'consulta'),
    ultima_visita: spanishDate(message.lastAppointment),
  };
}

/** `Limpieza dental` → `limpieza dental`; an abbreviation such as `RX` remains. */
const withinSentence = (name: string) => name.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLocaleLowerCase('es'));
