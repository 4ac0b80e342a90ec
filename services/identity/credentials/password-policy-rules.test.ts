import { expect, test } from '@jest/globals';
import { passwordFault } from './password-policy-rules.ts';

test.each(['una taza de café', 'x1'.repeat(64), '🐘🐘🐘🐘🐘🐘🐘🐘', '        x'])('%s is accepted', (password) => {
  expect(passwordFault(password)).toBeUndefined();
});

const ABOUT = ['ana.morales@sonrisa.example', 'Ana María Morales', 'Clínica Sonrisa'];

test.each(['Sonrisa2026!', 'ana.morales@sonrisa.example', 'M0rales-1985', 'mariamorales', 'CLINICA sonrisa', 'Clínica2026', 'anamoralesx1'])(
  '%s consists of words that anybody would try',
  (password) => expect(passwordFault(password, ABOUT)).toMatch(/names or e-mail address/),
);
test.each(['sonrisa correct horse', 'moralejas', '19850312', 'anacardos'])('%s does not', (password) => expect(passwordFault(password, ABOUT)).toBeUndefined());

test.each([
  ['', /8 to 128/],
  ['seven77', /8 to 128/],
  ['🐘🐘🐘🐘🐘🐘🐘', /8 to 128/],
  // Eight code units as typed, four characters in NFKC form.
  ['e\u0301'.repeat(4), /8 to 128/],
  ['x'.repeat(129), /8 to 128/],
  ['password', /most common/],
  ['PassWord', /most common/],
  ['ｐａｓｓｗｏｒｄ', /most common/],
  ['12345678', /most common/],
  ['1qaz2wsx', /most common/],
  ['eight\0chars', /NUL/],
  ['eight\ud800chars', /well-formed/],
])('%j is refused', (password, fault) => {
  expect(passwordFault(password)).toMatch(fault);
});
