// What becomes of a message that the provider has refused, at once or by a later status.
import { LAST_ATTEMPT, pauseMs, remedyOf, sentenceOf } from '../channel/provider-errors-rules.ts';

/** The code under which a message is known to have come too late for free text. */
export const WINDOW_CLOSED = '131047';

export type Refused = {
  /** Tries so far, this one included. */
  attempts: number;
  /** Whether there is a template to send outside the window, and it was not this one that was refused. */
  hasTemplate: boolean;
  code: number;
  http: number;
  message: string;
};

export type Verdict = { state: 'queued' | 'failed' | 'dead'; code: string; error: string; delayMs: number; stopsChannel: boolean };

export function verdictOn({ attempts, hasTemplate, code, http, message }: Refused, random: number): Verdict {
  const told = { code: code ? String(code) : `http_${http}`, error: sentenceOf({ code, http, message }), delayMs: 0, stopsChannel: false };
  const remedy = remedyOf({ code, http });
  switch (remedy) {
    case 'retry':
    case 'pair':
      return attempts >= LAST_ATTEMPT ? { ...told, state: 'dead' } : { ...told, state: 'queued', delayMs: pauseMs(remedy, attempts, random) };
    case 'window':
      return { ...told, code: WINDOW_CLOSED, state: hasTemplate ? 'queued' : 'failed' };
    case 'recipient':
    case 'opted_out':
      return { ...told, state: 'failed' };
    case 'channel':
      // It waits until a person has mended the channel.
      return { ...told, state: 'queued', stopsChannel: true };
    default:
      return { ...told, state: 'dead' };
  }
}
