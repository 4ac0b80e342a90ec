import { expect, test } from '@jest/globals';
import { checkInPage } from './check-in-page.ts';

const view = { firstName: 'Rosa', clinicName: 'Sonrisa', missingForms: 0 };

test.each(['ready', 'paused', 'done', 'wrong_day'])('%s: one o’clock is singular', (status) => {
  const textOf = (startTime: string) =>
    checkInPage({ ...view, status, startTime }, '')
      .html.replace(/.*<main/s, '')
      .replaceAll(/(<[^>]*>|\s)+/g, ' ');
  for (const [time, text] of [
    ['01:00', 'a la 1:00 a. m.'],
    ['13:30', 'a la 1:30 p. m.'],
    ['10:00', 'a las 10:00 a. m.'],
    ['14:00', 'a las 2:00 p. m.'],
  ] as const)
    expect(textOf(time)).toContain(`es ${text}`);
});
