// What becomes of a message that the provider has refused, at once or by a later status.
import { describeError, MAX_ATTEMPTS, remedyOf, retryDelayMs } from '../channel/provider-errors-rules.ts';

/** The code under which a message is known to have come too late for free text. */
export const WINDOW_CLOSED_CODE = '131047';

export type Refusal = {
  /** Tries so far, this one included. */
  attempts: number;
  /** Whether there is a template to send outside the window, and it was not this one that was refused. */
  hasTemplate: boolean;
  code: number;
  http: number;
  message: string;
};

export type RefusalOutcome = { state: 'queued' | 'failed' | 'dead'; code: string; error: string; delayMs: number; stopsChannel: boolean };

export function outcomeOfRefusal({ attempts, hasTemplate, code, http, message }: Refusal, random: number): RefusalOutcome {
  const told = { code: code ? String(code) : `http_${http}`, error: describeError({ code, http, message }), delayMs: 0, stopsChannel: false };
  const remedy = remedyOf({ code, http });
  switch (remedy) {
    case 'retry':
    case 'pair':
      return attempts >= MAX_ATTEMPTS ? { ...told, state: 'dead' } : { ...told, state: 'queued', delayMs: retryDelayMs(remedy, attempts, random) };
    case 'window':
      return { ...told, code: WINDOW_CLOSED_CODE, state: hasTemplate ? 'queued' : 'failed' };
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
