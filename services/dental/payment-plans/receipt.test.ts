// The receipt as a PDF.
import { inflateSync } from 'node:zlib';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { expect, test } from '@jest/globals';
import { drawReceipt } from './receipt.ts';

const clinic = { name: 'Clínica Sonrisas', currency: 'USD', logo: new Uint8Array() } as ClinicProfile;
const payment = {
  id: '',
  payment_plan_id: '',
  amount_cents: 500n,
  payment_method: 'cash',
  receipt_number: 1,
  balance_cents: 0n,
  paid_at: new Date('2026-06-01T14:00:00Z'),
  voided_at: null,
  void_reason: null,
};

/** The distance of each drawn line from the top of its page, in points. */
const linesOf = (pdf: Buffer) =>
  [...pdf.toString('latin1').matchAll(/FlateDecode[^>]*>>\nstream\n(.*?)\nendstream/gs)]
    .map(([, stream = '']) => inflateSync(Buffer.from(stream, 'latin1')).toString('latin1'))
    .flatMap((content) => [...content.matchAll(/^[\d.]+ ([\d.]+) l$/gm)].map(([, y]) => Number(y)));

test.each([0, 10, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 60])('with %d lines of notes has its signature within the margins of a page', async (count) => {
  const notes = Array.from({ length: count }, (_, index) => `Línea ${index}`).join('\n');
  const { content } = await drawReceipt({ clinic, timezone: 'UTC', patient: 'Luis Pérez', concept: 'Ortodoncia', payment: { ...payment, notes } });
  const lines = linesOf(content);
  expect(lines).toHaveLength(6); // below the letterhead, around the amount, and for the signature
  expect(Math.max(...lines)).toBeLessThan(792 - 54);
});
