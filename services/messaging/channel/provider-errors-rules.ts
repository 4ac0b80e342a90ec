// The meaning of the chat provider's error codes, and how to handle them.

/**
 * retry: try again after a pause. limit: too many messages or calls from the number, the business account, the application or the user, which may
 * last for hours. quality: the provider limits the number because patients reported its messages as spam, or because its templates violate the
 * policy. pair: too many messages to this recipient, try again later. window: free text is no longer allowed, a template is. recipient: this phone
 * cannot be reached. opted_out: the recipient refuses such messages. config: the clinic must correct its settings. channel: nothing can be sent
 * until the clinic has corrected the account of its number.
 */
type Remedy = 'retry' | 'limit' | 'quality' | 'pair' | 'window' | 'recipient' | 'opted_out' | 'config' | 'channel';

type Known = { remedy: Remedy; sentence: string };

const KNOWN = new Map<number, Known>([
  [131047, { remedy: 'window', sentence: 'More than 24 hours have passed since the patient wrote: only a template may be sent' }],
  [131026, { remedy: 'recipient', sentence: 'The phone cannot receive chat messages' }],
  [131049, { remedy: 'recipient', sentence: 'The provider limits how many messages this phone receives: try again tomorrow' }],
  [131050, { remedy: 'opted_out', sentence: 'The patient has opted out of promotional messages' }],
  [131062, { remedy: 'recipient', sentence: 'The user hides the phone number and cannot receive messages' }],
  [130429, { remedy: 'limit', sentence: 'Too many messages were sent from this number at once' }],
  [80007, { remedy: 'limit', sentence: 'The business account has reached its limit' }],
  [4, { remedy: 'limit', sentence: 'The application has reached its limit' }],
  [17, { remedy: 'limit', sentence: 'The user of the token has reached its limit' }],
  [131056, { remedy: 'pair', sentence: 'Too many messages were sent to this phone at once' }],
  [131048, { remedy: 'quality', sentence: 'The provider limits messages because too many were reported as spam' }],
  [131064, { remedy: 'quality', sentence: 'The provider limits templates because of policy violations' }],
  [131000, { remedy: 'retry', sentence: 'The provider had an internal error' }],
  [131016, { remedy: 'retry', sentence: 'The provider is overloaded' }],
  [1, { remedy: 'retry', sentence: 'The provider had an internal error' }],
  [2, { remedy: 'retry', sentence: 'The provider is temporarily unavailable' }],
  [133004, { remedy: 'retry', sentence: 'The provider is temporarily unavailable' }],
  [132000, { remedy: 'config', sentence: 'The template has a different number of variables' }],
  [132001, { remedy: 'config', sentence: 'The template does not exist in this language' }],
  [132012, { remedy: 'config', sentence: 'The template has variables of a different format' }],
  [132015, { remedy: 'config', sentence: 'The template is paused by the provider' }],
  [132016, { remedy: 'config', sentence: 'The template is disabled by the provider' }],
  [131008, { remedy: 'config', sentence: 'A required field of the message is missing' }],
  [131009, { remedy: 'config', sentence: 'A value in the message is not valid' }],
  [100, { remedy: 'config', sentence: 'A parameter is not valid' }],
  [131042, { remedy: 'channel', sentence: 'The account has no valid payment method at the provider' }],
  [190, { remedy: 'channel', sentence: 'The access token is no longer valid: enter a new one' }],
  [104, { remedy: 'channel', sentence: 'The access token is missing' }],
  [3, { remedy: 'channel', sentence: 'The access token lacks a permission' }],
  [10, { remedy: 'channel', sentence: 'The access token lacks a permission' }],
  [131005, { remedy: 'channel', sentence: 'The access token lacks a permission' }],
  [368, { remedy: 'channel', sentence: 'The account is blocked for violating the provider’s policy' }],
  [131031, { remedy: 'channel', sentence: 'The account is locked by the provider' }],
  [131045, { remedy: 'channel', sentence: 'The number is not registered correctly: connect it again' }],
  [133010, { remedy: 'channel', sentence: 'The number is not registered: connect it again' }],
  [133005, { remedy: 'config', sentence: 'The two-step PIN of the number is different: reset it at the provider, then connect again' }],
  [133006, { remedy: 'config', sentence: 'The number must be verified again: request a new code' }],
  [133008, { remedy: 'config', sentence: 'Too many wrong PINs: wait, then connect again' }],
  [133009, { remedy: 'config', sentence: 'PINs were tried too fast: wait, then connect again' }],
  [133015, { remedy: 'retry', sentence: 'The number was deleted recently: it can be connected again in a few minutes' }],
  [133016, { remedy: 'config', sentence: 'The number was registered too often: wait 72 hours' }],
  [136024, { remedy: 'config', sentence: 'The provider could not send a code to the number' }],
  [136025, { remedy: 'config', sentence: 'The code is wrong' }],
]);

/** Decided by the error code (200 to 299 are about permissions); for unknown codes, by the HTTP status. */
export function remedyOf({ code, http }: { code: number; http: number }): Remedy {
  if (code === 0 && (http === 401 || http === 403)) return 'channel';
  const known = KNOWN.get(code);
  if (known) return known.remedy;
  if (code >= 200 && code <= 299) return 'channel';
  if (http === 429 || http >= 500 || http === 0) return 'retry';
  return 'config';
}

/** A sentence for the staff. Unknown codes are described by the provider's own message. */
export function describeError({ code, http, message }: { code: number; http: number; message: string }): string {
  if (code >= 200 && code <= 299) return 'The access token lacks a permission';
  return KNOWN.get(code)?.sentence ?? (message || `The provider responded with status ${http}`);
}

/** Attempts during an outage, or while a limit of the number or the account applies, do not count. */
export const MAX_ATTEMPTS = 6;

/**
 * The pause after the failed attempt number `attempt`, from 1: 2 seconds, then four times the previous pause, up to 10 minutes, plus up to a
 * quarter according to `random` in [0, 1). For `pair`: 1 second, then four times the previous pause, as the provider's documentation requires.
 */
export function retryDelayMs(remedy: Remedy, attempt: number, random: number): number {
  if (remedy === 'pair') return 4 ** (attempt - 1) * 1_000;
  return Math.min(600_000, 2_000 * 4 ** (attempt - 1)) * (1 + random / 4);
}

/** The fields of a ChatProviderError. */
type Failure = { outcome: 'refused' | 'unsent' | 'unknown'; code: number; http: number; message: string; details: string };

/** Whether the same call may succeed later. */
export const isTransient = ({ outcome, code, http }: Failure) => outcome !== 'refused' || ['retry', 'limit', 'quality'].includes(remedyOf({ code, http }));

/** Whether verify_code refused the code itself. */
export function isWrongCode({ outcome, code, http, message, details }: Failure): boolean {
  if (outcome !== 'refused') return false;
  return code === 136025 || (code === 100 && (http === 400 || http === 422) && /\bcode\b/i.test(`${message} ${details}`));
}

/** Whether deregister failed because the number is not registered. */
export function isNotRegistered({ outcome, code, http, message }: Failure): boolean {
  return outcome === 'refused' && (code === 133010 || http === 404 || (code === 100 && /not (currently )?(linked|registered)/i.test(message)));
}

/** Whether the number could not be added because the business account already has it. */
export const isAlreadyAdded = ({ outcome, http, message }: Failure) => outcome === 'refused' && (http === 409 || /already/i.test(message));
