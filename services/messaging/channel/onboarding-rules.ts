// What a refusal of the provider means for a number that is being bound.
import { describeError, remedyOf } from './provider-errors-rules.ts';

export type Refusal = { outcome: 'refused' | 'unsent' | 'unknown'; code: number; http: number; message: string; details: string };

/** Whether trying the same again may help. */
export function isTransient({ outcome, code, http }: Refusal): boolean {
  return outcome !== 'refused' || remedyOf({ code, http }) === 'retry';
}

/** Whether verify_code said that the code is wrong, rather than that something else is. */
export function isWrongCode({ outcome, code, http, message, details }: Refusal): boolean {
  if (outcome !== 'refused') return false;
  return code === 136025 || (code === 100 && (http === 400 || http === 422) && /\bcode\b/i.test(`${message} ${details}`));
}

/** Whether deregister found nothing to deregister. */
export function isNotRegistered({ outcome, code, http, message }: Refusal): boolean {
  return outcome === 'refused' && (code === 133010 || http === 404 || (code === 100 && /not (currently )?(linked|registered)/i.test(message)));
}

/** Whether the business account holds the number already. */
export function isAlreadyAdded({ outcome, http, message }: Refusal): boolean {
  return outcome === 'refused' && (http === 409 || /already/i.test(message));
}

export const explain = (refusal: Refusal) => describeError(refusal);
