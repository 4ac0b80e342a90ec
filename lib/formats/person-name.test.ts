// First names, as phones and calendars show them.
import { expect, test } from '@jest/globals';
import { firstName, parseName } from './person-name.ts';

test.each([
  ['Ana García', 'Ana'],
  ['  Ana\n María', 'Ana'],
  ['García López, Ana María', 'Ana'],
  ["O'Brien,Pat", 'Pat'],
  ['García,', 'García'],
  ['Ana García, hija de Rosa', 'Ana'],
  ['', 'Paciente'],
  ['ROSA DÍAZ', 'Rosa'],
  ['DÍAZ, ÁNGEL', 'Ángel'],
  ['JJ Paz', 'JJ'],
  ['Dra. Ana Rivas', 'Ana'],
  ['Don José', 'José'],
  ['Donato Paz', 'Donato'],
  ['Dr', 'Dr'],
])('%j → %s', (name, first) => expect(firstName(name)).toBe(first));

test('a name is on one line, and not empty', () => {
  expect(parseName('name', ' Ana\r\nMaría\tPaz ')).toBe('Ana María Paz');
  expect(parseName('name', 'Ana   María\u00a0 Paz')).toBe('Ana María Paz');
  expect(() => parseName('name', ' \n ')).toThrow('name: must not be empty');
});
