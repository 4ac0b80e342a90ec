import { expect, test } from '@jest/globals';
import { passwordFault } from './password-policy-rules.ts';

test.each(['una taza de café', 'x1'.repeat(64), '🐘🐘🐘🐘🐘🐘🐘🐘', '        x'])('%s is accepted', (password) => {
  expect(passwordFault(password)).toBeUndefined();
});

const ABOUT = ['ana.morales@sonrisa.example', 'Ana María Morales', 'Clínica Sonrisa'];

test.each(['ana.morales@sonrisa.example', 'Ana.Morales', 'anamariamorales', 'CLINICA sonrisa', 'Clinic-Management'])('%s is refused as a name', (password) =>
  expect(passwordFault(password, ABOUT)).toMatch(/name or e-mail address/),
);
test.each(['sonrisa correct horse', 'Sonrisa-2026', 'moralejas', '19850312', 'anacardos'])('%s is not a name', (password) =>
  expect(passwordFault(password, ABOUT)).toBeUndefined(),
);

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
