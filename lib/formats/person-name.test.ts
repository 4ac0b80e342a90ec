// First names, as phones and calendars show them.
import { expect, test } from '@jest/globals';
import { firstName } from './person-name.ts';

test.each([
  ['Ana García', 'Ana'],
  ['  Ana\n María', 'Ana'],
  ['García López, Ana María', 'Ana'],
  ["O'Brien,Pat", 'Pat'],
  ['García,', 'García'],
  ['Ana García, hija de Rosa', 'Ana'],
  ['', 'Paciente'],
])('%j → %s', (name, first) => expect(firstName(name)).toBe(first));
