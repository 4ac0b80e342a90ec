// The outcome of a message that the provider has refused, in its response or with a later status.
import { describeError, MAX_ATTEMPTS, remedyOf, retryDelayMs } from '../channel/provider-errors-rules.ts';

/** The provider's code for free text outside the 24-hour window. */
export const WINDOW_CLOSED_CODE = '131047';

/** The provider's codes for limits of the number, the business account, the application and the user, which may last for hours. */
const LIMIT_CODES = new Set([130429, 80007, 4, 17]);

type Refused = {
  /** Attempts so far, including this one. */
  attempts: number;
  /** Null for replies, which have no template for use outside the window. */
  reference: string | null;
  /** The code of the attempt before. */
  error_code: string;
};

type Refusal = { code: number; http: number; message: string };

type RefusalOutcome = { state: 'queued' | 'failed' | 'dead'; code: string; error: string; delayMs: number; stopsChannel: boolean };

export function outcomeOfRefusal({ attempts, reference, error_code }: Refused, { code, http, message }: Refusal, random: number): RefusalOutcome {
  const refused = { code: code ? String(code) : `http_${http}`, error: describeError({ code, http, message }), delayMs: 0, stopsChannel: false };
  const remedy = remedyOf({ code, http });
  // Every message that is composed for each attempt has a template for use outside the window.
  const hasTemplate = reference !== null && error_code !== WINDOW_CLOSED_CODE;
  switch (remedy) {
    case 'retry':
    case 'pair':
      // During an outage of the provider (5xx), and while a limit applies, the message is retried until it is too old.
      return attempts >= MAX_ATTEMPTS && http < 500 && !(remedy === 'retry' && (http === 429 || LIMIT_CODES.has(code)))
        ? { ...refused, state: 'dead' }
        : { ...refused, state: 'queued', delayMs: retryDelayMs(remedy, attempts, random) };
    case 'window':
      return { ...refused, code: WINDOW_CLOSED_CODE, state: hasTemplate && attempts < MAX_ATTEMPTS ? 'queued' : 'failed' };
    case 'recipient':
    case 'opted_out':
      return { ...refused, state: 'failed' };
    case 'channel':
      // The message waits until the clinic has corrected its channel.
      return { ...refused, state: 'queued', stopsChannel: true };
    default:
      return { ...refused, state: 'dead' };
  }
}
