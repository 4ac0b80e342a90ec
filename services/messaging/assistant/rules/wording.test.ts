import { expect, test } from '@jest/globals';
import { patient } from '../tools/patients.ts';
import { atTime, sentence } from './wording.ts';

test.each([
  ['01:00', 'a la 1:00 a. m.'],
  ['13:30', 'a la 1:30 p. m.'],
  ['10:00', 'a las 10:00 a. m.'],
  ['11:15:00', 'a las 11:15 a. m.'],
])('%s is %s', (time, text) => expect(atTime(time, 'es')).toBe(text));

test('one full stop at the end', () => {
  expect(sentence(`Agendar ${atTime('10:00', 'es')}`)).toBe('Agendar a las 10:00 a. m.');
  expect(sentence(`Book ${atTime('10:00', 'en')}`)).toBe('Book at 10:00 AM.');
});

test('the summary of a patient counts one and several appointments in the same words', () => {
  const summaries = [[{}], [{}, {}]].map((appointments) => patient.summary({ appointments } as never, 'en'));
  expect(summaries).toEqual(['Patient: 1 upcoming appointment', 'Patient: 2 upcoming appointments']);
});
