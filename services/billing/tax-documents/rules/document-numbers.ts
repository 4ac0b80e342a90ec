// Numbers of a document: its control number, counted by the issuer, and its generation code, a random UUID.
import { randomUUID } from 'node:crypto';
import type { Environment } from './kinds.ts';

/** CAT-009 by the letter of an establishment. */
const ESTABLISHMENT_TYPES: Record<string, string> = { M: '02', S: '01', B: '04', P: '07' };

export const establishmentType = (establishment: string): string => ESTABLISHMENT_TYPES[establishment[0] ?? ''] ?? '02';

/** For example DTE-01-M001P001-000000000000001. */
export function controlNumber(kind: string, establishment: string, pointOfSale: string, number: bigint): string {
  return `DTE-${kind}-${establishment}${pointOfSale}-${number.toString().padStart(15, '0')}`;
}

export const generationCode = (): string => randomUUID().toUpperCase();

/** The authority's public page about a document, to which the QR code leads. `day` is the day of issue. */
export function consultationUrl(environment: Environment, code: string, day: string): string {
  return `https://admin.factura.gob.sv/consultaPublica?ambiente=${environment}&codGen=${code}&fechaEmi=${day}`;
}
