// The head of a document: what, when, which, and whether the authority could be reached.
import type { Generation, Kind } from './kinds.ts';
import { versionOf } from './kinds.ts';

/** CAT-005, with a sentence for 5. */
export type Contingency = { type: 1 | 2 | 3 | 4 | 5; reason: string | null };

/** The authority could not be reached. */
export const AUTHORITY_AWAY: Contingency = { type: 1, reason: null };

export type Head = {
  kind: Kind;
  generation: Generation;
  environment: '00' | '01';
  controlNumber: string;
  code: string;
  /** YYYY-MM-DD and HH:MM:SS in El Salvador. */
  day: string;
  time: string;
};

export function writeIdentification(head: Head, contingency: Contingency | null = null) {
  return {
    version: versionOf(head.kind, head.generation),
    ambiente: head.environment,
    tipoDte: head.kind,
    numeroControl: head.controlNumber,
    codigoGeneracion: head.code,
    tipoModelo: contingency ? 2 : 1,
    tipoOperacion: contingency ? 2 : 1,
    ...writeContingency(contingency),
    fecEmi: head.day,
    horEmi: head.time,
    tipoMoneda: 'USD',
    ...(head.kind === '05' && head.generation === 'current' && { fusion: null }),
  };
}

function writeContingency(contingency: Contingency | null) {
  return { tipoContingencia: contingency?.type ?? null, motivoContin: contingency?.reason ?? null };
}

/** The same document as issued while the authority was away; all but its head stays. */
export function inContingency<D extends { identificacion: object }>(document: D, contingency: Contingency): D {
  return { ...document, identificacion: { ...document.identificacion, tipoModelo: 2, tipoOperacion: 2, ...writeContingency(contingency) } };
}
