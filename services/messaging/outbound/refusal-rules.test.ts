import { describe, expect, test } from '@jest/globals';
import { outcomeOfRefusal, WINDOW_CLOSED_CODE } from './refusal-rules.ts';

const COMPOSED = { reference: '1/recall', error_code: '' };
const refused = (attempts: number, code: number, http: number, message: { reference: string | null; error_code: string } = COMPOSED) =>
  outcomeOfRefusal({ attempts, ...message }, { code, http, message: '' }, 0);

describe('a message is retried', () => {
  test.each([
    ['while the number has reached its limit', 130429, 400],
    ['while the business account has reached its limit', 80007, 400],
    ['while the application has reached its limit', 4, 400],
    ['while the user of the token has reached its limit', 17, 400],
    ['while the provider answers that there are too many calls', 0, 429],
    ['during an outage of the provider', 131000, 500],
  ])('%s, however often', (_when, code, http) => {
    expect(refused(50, code, http)).toMatchObject({ state: 'queued', delayMs: 600_000 });
  });

  test.each([
    ['after other transient refusals', 131000, 'dead'],
    ['while the phone has reached its limit', 131056, 'dead'],
    ['when the template itself is refused as outside the window', 131047, 'failed'],
  ])('six times at most %s', (_when, code, state) => {
    expect([refused(5, code, 400).state, refused(6, code, 400).state]).toEqual(['queued', state]);
  });
});

test.each([
  ['is sent again as its template if it is composed for each attempt', COMPOSED, 'queued'],
  ['fails if its template was sent', { ...COMPOSED, error_code: WINDOW_CLOSED_CODE }, 'failed'],
  ['fails if it has no template', { ...COMPOSED, reference: null }, 'failed'],
])('a message that is refused as outside the window %s', (_what, message, state) => {
  expect(refused(1, 131047, 400, message).state).toBe(state);
});
