import { expect, test } from '@jest/globals';
import { isUnchanged, maskChanges } from './audit.ts';

test('maskChanges lists the changed fields and hides the values of personal ones', () => {
  const at = new Date('2026-01-02T03:04:05Z');
  const before = { full_name: 'Ana', phone: null, notes: 'allergic', price_cents: 1n, seen_at: at, city: 'Apopa' };
  const after = { full_name: 'Eva', phone: '+50370000000', notes: undefined, price_cents: 2n, seen_at: new Date(at), city: 'Apopa' };
  const changes = maskChanges(before, after, ['full_name', 'phone', 'notes']);
  expect(changes).toEqual({
    full_name: { from: '***', to: '***' },
    phone: { from: null, to: '***' },
    notes: { from: '***', to: null },
    price_cents: { from: '1', to: '2' },
  });
  expect(JSON.stringify(changes)).not.toMatch(/Ana|Eva|5037|allergic/);
});

test('a record is unchanged when the given fields have its values', () => {
  const before = { cents: 10n, at: new Date(0), note: null, fields: [{ id: 1, label: 'a' }] };
  expect(isUnchanged(before, {})).toBe(true);
  expect(isUnchanged(before, { cents: 10n, at: new Date(0), note: undefined, fields: [{ label: 'a', id: 1 }] })).toBe(true);
  for (const changes of [{ cents: 11n }, { at: new Date(1) }, { note: '' }, { fields: [] }]) expect(isUnchanged(before, changes)).toBe(false);
});
