// The outcome of a message that the provider has refused, in its response or with a later status.
import { describeError, MAX_ATTEMPTS, remedyOf, retryDelayMs } from '../channel/provider-errors-rules.ts';

/** The provider's code for free text outside the 24-hour window. */
export const WINDOW_CLOSED_CODE = '131047';

/** The code of a recall message that waits because of the quality of the number. */
export const RECALLS_PAUSED_CODE = 'recalls_paused';

/**
 * How long recall messages of a clinic wait after a refusal because of the quality of its number. More messages would make the quality of the number worse, and
 * it recovers in hours rather than minutes; a recall message is sent on the same day if it does.
 */
export const RECALL_PAUSE_MS = 6 * 3_600_000;

/** The end of the pause, undefined if there is none. A pause that would end later than one that begins now was stored before the clock was set back. */
export const endOfRecallPause = (until: Date | null, now: Date): Date | undefined =>
  until && until > now && until.getTime() <= now.getTime() + RECALL_PAUSE_MS ? until : undefined;

type Refused = {
  kind: string;
  /** Attempts so far, including this one. */
  attempts: number;
  /** Earlier attempts that count toward MAX_ATTEMPTS. */
  failures: number;
  /** Null for replies, which have no template for use outside the window. */
  reference: string | null;
  /** The code of the attempt before. */
  error_code: string;
};

type Refusal = { code: number; http: number; message: string };

type RefusalOutcome = {
  state: 'queued' | 'failed' | 'dead';
  code: string;
  error: string;
  /** Whether the attempt counts toward MAX_ATTEMPTS. */
  isCounted: boolean;
  delayMs: number;
  stopsChannel: boolean;
  /** Whether the recall messages of the clinic wait. */
  pausesRecalls: boolean;
  /** Whether the recipient has stopped promotional messages at the provider. */
  isOptOut: boolean;
};

export function outcomeOfRefusal(
  { kind, attempts, failures, reference, error_code }: Refused,
  { code, http, message }: Refusal,
  random: number,
): RefusalOutcome {
  const remedy = remedyOf({ code, http });
  const refused = {
    code: code ? String(code) : `http_${http}`,
    error: describeError({ code, http, message }),
    isCounted: false,
    delayMs: 0,
    stopsChannel: false,
    pausesRecalls: remedy === 'quality',
    isOptOut: remedy === 'opted_out',
  };
  const isLast = failures + 1 >= MAX_ATTEMPTS;
  // Every message that is composed for each attempt has a template for use outside the window.
  const hasTemplate = reference !== null && error_code !== WINDOW_CLOSED_CODE;
  switch (remedy) {
    case 'retry':
    case 'limit':
    case 'quality':
    case 'pair': {
      if (kind === 'recall' && refused.pausesRecalls) return { ...refused, code: RECALLS_PAUSED_CODE, state: 'queued', delayMs: RECALL_PAUSE_MS };
      // During an outage of the provider (5xx), and while a limit applies, the message is retried until it is too old.
      const isCounted = http < 500 && remedy !== 'limit' && !(remedy !== 'pair' && http === 429);
      if (isCounted && isLast) return { ...refused, state: 'dead' };
      return { ...refused, state: 'queued', isCounted, delayMs: retryDelayMs(remedy, remedy === 'pair' ? failures + 1 : attempts, random) };
    }
    case 'window':
      return { ...refused, code: WINDOW_CLOSED_CODE, ...(hasTemplate && !isLast ? { state: 'queued', isCounted: true } : { state: 'failed' }) };
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
