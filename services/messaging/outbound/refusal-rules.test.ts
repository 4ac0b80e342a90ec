import { describe, expect, test } from '@jest/globals';
import { endOfRecallPause, outcomeOfRefusal, WINDOW_CLOSED_CODE } from './refusal-rules.ts';

const COMPOSED = { kind: 'appointment_reminder', reference: '1/day/1', error_code: '' };
type Message = { kind: string; reference: string | null; error_code: string };
/** After 50 attempts, of which `failures` count. */
const refused = (failures: number, code: number, http: number, message: Message = COMPOSED) =>
  outcomeOfRefusal({ attempts: 51, failures, ...message }, { code, http, message: '' }, 0);

describe('a message is retried', () => {
  test.each([
    ['while the number has reached its limit', 130429, 400],
    ['while the business account has reached its limit', 80007, 400],
    ['while the application has reached its limit', 4, 400],
    ['while the user of the token has reached its limit', 17, 400],
    ['while the provider answers that there are too many calls', 0, 429],
    ['during an outage of the provider', 131000, 500],
  ])('%s, however often, and these attempts do not count', (_when, code, http) => {
    expect(refused(5, code, http)).toMatchObject({ state: 'queued', isCounted: false, delayMs: 600_000 });
  });

  test.each([
    ['after other transient refusals', 131000, 'dead'],
    ['while the phone has reached its limit', 131056, 'dead'],
    ['when the template itself is refused as outside the window', 131047, 'failed'],
  ])('six times at most %s', (_when, code, state) => {
    expect(refused(4, code, 400)).toMatchObject({ state: 'queued', isCounted: true });
    expect(refused(5, code, 400).state).toBe(state);
  });

  test('after a pause that depends on the attempts that count, while the phone has reached its limit', () => {
    expect([0, 4].map((failures) => refused(failures, 131056, 400).delayMs)).toEqual([1_000, 256_000]);
  });
});

// Each attempt begins the 15 minutes of an offer again, so that an outage does not use up the waitlist.
test.each([
  ['an outage', 131000, 500, 51, 0],
  ['a limit of the number', 130429, 400, 51, 0],
  ['a limit of the phone', 131056, 400, 5, 4],
])('after %s an offer from the waitlist is sent again within 15 minutes', (_cause, code, http, attempts, failures) => {
  const offer = { kind: 'waitlist', reference: 'e/o', error_code: '', attempts, failures };
  const { state, delayMs } = outcomeOfRefusal(offer, { code, http, message: '' }, 1);
  expect(state).toBe('queued');
  expect(delayMs).toBeLessThan(15 * 60_000 - 60_000);
});

describe.each([131048, 131064])('a refusal because of the quality of the messages (%i) makes recall messages of the clinic wait', (code) => {
  test('a recall message is retried after six hours, however often', () => {
    const paused = { state: 'queued', code: 'recalls_paused', isCounted: false, pausesRecalls: true, delayMs: 6 * 3_600_000 };
    expect(refused(5, code, 400, { ...COMPOSED, kind: 'recall' })).toMatchObject(paused);
  });

  test('another message is retried six times at most', () => {
    expect(refused(4, code, 400)).toMatchObject({ state: 'queued', code: String(code), isCounted: true, pausesRecalls: true, delayMs: 600_000 });
    expect(refused(5, code, 400)).toMatchObject({ state: 'dead', pausesRecalls: true });
  });
});

test.each([
  ['holds them until it ends', 1, true],
  ['that has ended holds none', 0, false],
  ['that began before the clock was set back, and would last longer, holds none', 6 * 3_600_000 + 1, false],
])('a pause of recall messages %s', (_what, remainingMs, holds) => {
  const now = new Date('2026-06-03T15:00:00Z');
  const until = new Date(now.getTime() + remainingMs);
  expect(endOfRecallPause(until, now)).toEqual(holds ? until : undefined);
});

test.each([
  ['is sent again as its template if it is composed for each attempt', COMPOSED, 'queued'],
  ['fails if its template was sent', { ...COMPOSED, error_code: WINDOW_CLOSED_CODE }, 'failed'],
  ['fails if it has no template', { ...COMPOSED, reference: null }, 'failed'],
])('a message that is refused as outside the window %s', (_what, message, state) => {
  expect(refused(0, 131047, 400, message).state).toBe(state);
});
