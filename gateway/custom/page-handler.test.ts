// The error pages that a patient sees after opening a link.
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
  const { html } = toErrorPage(reason, { acceptsLanguages: () => 'en' } as unknown as Request); // only the language is read
  expect(html).toContain(`<h1>${title}</h1>`);
});
