// What an error code of the chat provider asks for.

/**
 * retry: after a pause. pair: too fast for this one recipient. window: free text came too late, a template may do.
 * recipient: this person cannot be reached so. opted_out: wants no more of it. config: a person must mend something.
 * channel: nothing goes out until a person has mended the number's account.
 */
export type Remedy = 'retry' | 'pair' | 'window' | 'recipient' | 'opted_out' | 'config' | 'channel';

type Known = { remedy: Remedy; sentence: string };

const KNOWN = new Map<number, Known>([
  [131047, { remedy: 'window', sentence: 'More than 24 hours have passed since the patient wrote: only a template may be sent' }],
  [131026, { remedy: 'recipient', sentence: 'The phone cannot receive messages of this channel' }],
  [131049, { remedy: 'recipient', sentence: 'The provider limits how many messages this person gets: not before tomorrow' }],
  [131050, { remedy: 'opted_out', sentence: 'The person wants no promotional messages' }],
  [131062, { remedy: 'recipient', sentence: 'The user hides the phone and cannot be written to' }],
  [130429, { remedy: 'retry', sentence: 'Too many messages of this number at once' }],
  [80007, { remedy: 'retry', sentence: 'The business account has reached its limit' }],
  [4, { remedy: 'retry', sentence: 'The application has reached its limit' }],
  [17, { remedy: 'retry', sentence: 'The user of the token has reached its limit' }],
  [131056, { remedy: 'pair', sentence: 'Too many messages to this phone at once' }],
  [131048, { remedy: 'retry', sentence: 'The provider holds messages back because too many were reported' }],
  [131064, { remedy: 'retry', sentence: 'The provider holds templates back because of violations' }],
  [131000, { remedy: 'retry', sentence: 'Something went wrong at the provider' }],
  [131016, { remedy: 'retry', sentence: 'The provider is overloaded' }],
  [1, { remedy: 'retry', sentence: 'Something went wrong at the provider' }],
  [2, { remedy: 'retry', sentence: 'The provider is temporarily away' }],
  [133004, { remedy: 'retry', sentence: 'The provider is temporarily away' }],
  [132000, { remedy: 'config', sentence: 'The template takes another number of variables' }],
  [132001, { remedy: 'config', sentence: 'The template does not exist in this language' }],
  [132012, { remedy: 'config', sentence: 'The template takes variables of another form' }],
  [132015, { remedy: 'config', sentence: 'The template is paused by the provider' }],
  [132016, { remedy: 'config', sentence: 'The template is disabled by the provider' }],
  [131008, { remedy: 'config', sentence: 'The message lacks something that the provider asks for' }],
  [131009, { remedy: 'config', sentence: 'The message holds a value that the provider refuses' }],
  [100, { remedy: 'config', sentence: 'The provider refuses a value of the call' }],
  [131042, { remedy: 'channel', sentence: 'The provider has no valid way of payment for the account' }],
  [190, { remedy: 'channel', sentence: 'The access token is no longer valid: enter a new one' }],
  [104, { remedy: 'channel', sentence: 'The access token is missing' }],
  [0, { remedy: 'retry', sentence: 'The provider gave no reason' }],
  [3, { remedy: 'channel', sentence: 'The access token may not do this' }],
  [10, { remedy: 'channel', sentence: 'The access token may not do this' }],
  [131005, { remedy: 'channel', sentence: 'The access token may not do this' }],
  [368, { remedy: 'channel', sentence: 'The account is blocked for violating the provider’s policy' }],
  [131031, { remedy: 'channel', sentence: 'The account is locked by the provider' }],
  [131045, { remedy: 'channel', sentence: 'The number is not registered properly: connect it again' }],
  [133010, { remedy: 'channel', sentence: 'The number is not registered: connect it again' }],
  [133005, { remedy: 'config', sentence: 'The two-step PIN of the number is another one: reset it at the provider, then connect again' }],
  [133006, { remedy: 'config', sentence: 'The number must be verified again: ask for a new code' }],
  [133008, { remedy: 'config', sentence: 'Too many wrong PINs: wait, then connect again' }],
  [133009, { remedy: 'config', sentence: 'PINs were tried too fast: wait, then connect again' }],
  [133015, { remedy: 'retry', sentence: 'The number was deleted a moment ago: it can be connected again in some minutes' }],
  [133016, { remedy: 'config', sentence: 'The number was registered too often: wait 72 hours' }],
  [136024, { remedy: 'config', sentence: 'The provider could not send a code to the number' }],
  [136025, { remedy: 'config', sentence: 'The code is wrong' }],
]);

/** By code first; a permission code is any from 200 to 299; otherwise the status decides. */
export function remedyOf({ code, http }: { code: number; http: number }): Remedy {
  if (code === 0 && (http === 401 || http === 403)) return 'channel';
  const known = KNOWN.get(code);
  if (known && code !== 0) return known.remedy;
  if (code >= 200 && code <= 299) return 'channel';
  if (http === 429 || http >= 500 || http === 0) return 'retry';
  return 'config';
}

/** In words for people; the provider's own when the code is not known. */
export function describeError({ code, http, message }: { code: number; http: number; message: string }): string {
  if (code >= 200 && code <= 299) return 'The access token may not do this';
  const known = code === 0 ? undefined : KNOWN.get(code);
  return known?.sentence ?? (message || `The provider answered ${http}`);
}

export const MAX_ATTEMPTS = 6;

/**
 * How long to wait after the given failed attempt, from 1: growing by four from 2 seconds, up to 10 minutes, with up to a
 * quarter more by `random` in [0, 1). For one recipient 4^n seconds from 1 on, as the provider says.
 */
export function retryDelayMs(remedy: Remedy, attempt: number, random: number): number {
  if (remedy === 'pair') return 4 ** (attempt - 1) * 1_000;
  return Math.min(600_000, 2_000 * 4 ** (attempt - 1)) * (1 + random / 4);
}
