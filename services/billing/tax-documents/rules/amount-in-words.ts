// Totals in words, as documents show them: CIENTO TRECE 00/100 DÓLARES.
import type { Amount } from './amounts.ts';

const UNITS = [
  '',
  ...'UN DOS TRES CUATRO CINCO SEIS SIETE OCHO NUEVE DIEZ ONCE DOCE TRECE CATORCE QUINCE DIECISÉIS DIECISIETE DIECIOCHO DIECINUEVE'.split(' '),
  ...'VEINTE VEINTIÚN VEINTIDÓS VEINTITRÉS VEINTICUATRO VEINTICINCO VEINTISÉIS VEINTISIETE VEINTIOCHO VEINTINUEVE'.split(' '),
];
const TENS = ['', '', '', 'TREINTA', 'CUARENTA', 'CINCUENTA', 'SESENTA', 'SETENTA', 'OCHENTA', 'NOVENTA'];
const HUNDREDS = ['', 'CIENTO', 'DOSCIENTOS', 'TRESCIENTOS', 'CUATROCIENTOS', 'QUINIENTOS', 'SEISCIENTOS', 'SETECIENTOS', 'OCHOCIENTOS', 'NOVECIENTOS'];

/** The largest total that a document may have. */
export const MAX_TOTAL = '999999999.99';

/** From 0 to 999,999,999.99. */
export function inWords(total: Amount): string {
  const [whole = '0', cents = '00'] = total.toFixed(2).split('.');
  return `${wholeInWords(Number(whole))} ${cents}/100 DÓLARES`;
}

function wholeInWords(whole: number): string {
  if (whole === 0) return 'CERO';
  const [millions, thousands, rest] = [Math.floor(whole / 1_000_000), Math.floor(whole / 1_000) % 1_000, whole % 1_000];
  const parts = [
    millions === 1 ? 'UN MILLÓN' : millions > 1 && `${below1000(millions)} MILLONES`,
    thousands === 1 ? 'MIL' : thousands > 1 && `${below1000(thousands)} MIL`,
    below1000(rest),
  ];
  return parts.filter(Boolean).join(' ');
}

function below1000(number: number): string {
  if (number === 100) return 'CIEN';
  return [HUNDREDS[Math.floor(number / 100)], below100(number % 100)].filter(Boolean).join(' ');
}

function below100(number: number): string {
  if (number < 30) return UNITS[number] ?? '';
  const [tens, unit] = [TENS[Math.floor(number / 10)], UNITS[number % 10]];
  return unit ? `${tens} Y ${unit}` : (tens ?? '');
}
