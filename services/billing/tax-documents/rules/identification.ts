// The `identificacion` of a document: kind, numbers, time, and whether the authority was available.
import type { Environment, Generation, Kind } from './kinds.ts';
import { versionOf } from './kinds.ts';

/** CAT-005; only type 5 has a reason. */
export type Contingency = { type: 1 | 2 | 3 | 4 | 5; reason: string | null };

export const AUTHORITY_UNAVAILABLE: Contingency = { type: 1, reason: null };

export type Head = {
  kind: Kind;
  generation: Generation;
  environment: Environment;
  controlNumber: string;
  /** Generation code. */
  code: string;
  /** YYYY-MM-DD and HH:MM:SS in El Salvador. */
  day: string;
  time: string;
};

export function toIdentificacion({ kind, generation, environment, controlNumber, code, day, time }: Head) {
  return {
    version: versionOf(kind, generation),
    ambiente: environment,
    tipoDte: kind,
    numeroControl: controlNumber,
    codigoGeneracion: code,
    tipoModelo: 1,
    tipoOperacion: 1,
    tipoContingencia: null,
    motivoContin: null,
    fecEmi: day,
    horEmi: time,
    tipoMoneda: 'USD',
    ...(kind === '05' && generation === 'current' && { fusion: null }),
  };
}

/** The same document issued in contingency: only its identification changes. */
export function inContingency<D extends { identificacion: object }>(document: D, { type, reason }: Contingency): D {
  return {
    ...document,
    identificacion: { ...document.identificacion, tipoModelo: 2, tipoOperacion: 2, tipoContingencia: type, motivoContin: reason },
  };
}
