import { expect, test } from '@jest/globals';
import { people } from './people.ts';
import { randomOf } from './random.ts';

test('the same seed invents the same patients, each with a phone of their own', () => {
  const invented = people(randomOf('a clinic'));
  expect(people(randomOf('a clinic'))).toEqual(invented);
  expect(people(randomOf('another')).map(({ name }) => name)).not.toEqual(invented.map(({ name }) => name));
  expect(new Set(invented.map(({ phone }) => phone)).size).toBe(76);
});
