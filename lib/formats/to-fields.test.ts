import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from '@jest/globals';
import { toFields } from './to-fields.ts';

test('columns become fields in camel case, instants timestamps, and null is absent', () => {
  const at = new Date('2026-06-01T12:00:00.123Z');
  const fields = toFields({ id: 'a', paid_at: at, total_cents: 5n, voided_at: null as Date | null, used_by_clinic_id: 'b', teeth: [11], is_open: false });
  expect(fields).toEqual({ id: 'a', paidAt: timestampFromDate(at), totalCents: 5n, usedByClinicId: 'b', teeth: [11], isOpen: false });
  expect(Object.keys(fields)).not.toContain('voidedAt');
});
