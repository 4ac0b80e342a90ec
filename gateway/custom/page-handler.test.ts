// What a patient sees of an error on a page that was opened by a link.
import type { Reason } from '@clinic/lib/errors/errors.ts';
import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import { endingPage } from './page-handler.ts';

const texts = { unknown: ['Unknown', ''], busy: ['Too many', ''], failed: ['Failed', ''] } as const;
const toErrorPage = endingPage({ es: texts, en: texts });

test.each<[Reason, string]>([
  ['NOT_FOUND', 'Unknown'],
  ['RATE_LIMITED', 'Too many'],
  ['UNAVAILABLE', 'Failed'],
  ['INTERNAL', 'Failed'],
])('%s: %s', (reason, title) => {
  const { html } = toErrorPage(reason, { acceptsLanguages: () => 'en' } as unknown as Request); // the language is all that is read of it
  expect(html).toContain(`<h1>${title}</h1>`);
});
