import { expect, test } from '@jest/globals';
import { parsePatientSearch } from './patient-search-rules.ts';

test('a search is for words of a name without case and accents, a part of a phone, or a DUI', () => {
  expect(parsePatientSearch('NÚÑ')).toEqual({ kind: 'name', patterns: ['% nun%'] });
  expect(parsePatientSearch('7123-45')).toEqual({ kind: 'phone', pattern: '%712345%' });
  expect(parsePatientSearch('00016297-5')).toEqual({ kind: 'dui', dui: '00016297-5', pattern: '%000162975%' });
  expect(parsePatientSearch('+000162975')).toEqual({ kind: 'phone', pattern: '%000162975%' });
  expect(parsePatientSearch('  ')).toEqual({ kind: 'all' });
});

test('punctuation alone finds nobody', () => {
  for (const text of ['%', '_', '\\', "'", '%%_', '+', '(-)', '…']) expect(parsePatientSearch(text)).toEqual({ kind: 'none' });
});
