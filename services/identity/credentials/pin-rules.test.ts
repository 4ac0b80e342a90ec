import { expect, test } from '@jest/globals';
import { pinFault } from './pin-rules.ts';

test.each(['2468', '1235', '73501928', '1357', '1221'])('%s is a PIN', (pin) => expect(pinFault(pin, 'doctor')).toBeUndefined());
test.each([
  ['123', /4 to 8/],
  ['123456789', /4 to 8/],
  ['12a4', /4 to 8/],
  ['١٢٣٤', /4 to 8/],
  ['', /4 to 8/],
  ['1234\n', /4 to 8/],
  ['0000', /repeat/],
  ['121212', /repeat/],
  ['2345', /sequence/],
  ['7890', /sequence/],
  ['87654321', /sequence/],
])('%j is not a PIN', (pin, fault) => expect(pinFault(pin, 'receptionist')).toMatch(fault));

test('the PIN of an admin has at least 6 digits', () => {
  expect(pinFault('2468', 'admin')).toMatch(/6 to 8/);
  expect(pinFault('246813', 'admin')).toBeUndefined();
});
