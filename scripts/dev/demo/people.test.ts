import { expect, test } from '@jest/globals';
import { seededBy } from '../../random.ts';
import { people } from './people.ts';

test('the same seed invents the same patients, each with a phone of their own', () => {
  const invented = people(seededBy('a clinic'));
  expect(people(seededBy('a clinic'))).toEqual(invented);
  expect(people(seededBy('another')).map(({ name }) => name)).not.toEqual(invented.map(({ name }) => name));
  expect(new Set(invented.map(({ phone }) => phone)).size).toBe(76);
});
