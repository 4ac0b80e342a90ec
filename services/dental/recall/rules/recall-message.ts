// Whether a due message still has a reason, and what its variables say.
import type { Values } from './template.ts';

export type Waiting = { status: string; failure: string | null; withdrawn: boolean; visited: boolean; booked: boolean };
export type Reachable = { recallOptedOut: boolean; isArchived: boolean; reachablePhone?: string | undefined };

/** Undefined when the message may go. One that went already may be rendered again: sending is at least once. */
export function reasonNotToSend(contact: Waiting, patient: Reachable): string | undefined {
  if (patient.recallOptedOut || contact.status === 'opted_out') return 'opted_out';
  if (contact.withdrawn) return contact.failure ?? 'withdrawn';
  if (patient.isArchived) return 'archived';
  if (!patient.reachablePhone) return 'no_phone';
  if (contact.booked) return 'visit_booked';
  return contact.visited ? 'visited' : undefined;
}

/** `visit` is YYYY-MM-DD. */
export function valuesOf(told: { fullName: string; clinic: string; procedure: string | null; visit: string }): Values {
  return {
    nombre: told.fullName.trim().split(/\s+/)[0] ?? '',
    clinica: told.clinic,
    procedimiento: told.procedure ?? 'consulta',
    ultima_visita: spanishDate(told.visit),
  };
}

const MONTHS = ['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'];

/** 2026-01-05 → 5 de enero de 2026. */
function spanishDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  return `${day} de ${MONTHS[(month ?? 1) - 1]} de ${year}`;
}
