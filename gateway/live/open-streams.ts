// Limits the number of live streams that are open in a process: each takes a connection and memory even while no events arrive.
import { failFor } from '@clinic/lib/errors/errors.ts';
import { LimitExceeded } from '../http/errors.ts';
import { concurrencyHeaders } from '../limits/limit-headers.ts';

const MAX_OF_USER = 10;
const MAX_OF_CLINIC = 200;
const MAX_OF_PROCESS = 4_000;
const RETRY_SECONDS = 30;

/** Counts a stream. Returns the function that must be called once, when it has ended. Throws RATE_LIMITED or UNAVAILABLE. */
export type OpenStreams = (userId: string, clinicId: string) => () => void;

export function createOpenStreams(): OpenStreams {
  const counts = new Map<string, number>();
  let total = 0;
  const change = (id: string, by: number) => {
    const count = (counts.get(id) ?? 0) + by;
    if (count > 0) counts.set(id, count);
    else counts.delete(id);
  };
  const check = (id: string, max: number, whose: string) => {
    if ((counts.get(id) ?? 0) < max) return;
    throw new LimitExceeded(concurrencyHeaders(max, RETRY_SECONDS * 1000), `${whose} has ${max} live streams open: close one`);
  };
  return (userId, clinicId) => {
    check(userId, MAX_OF_USER, 'This user');
    check(clinicId, MAX_OF_CLINIC, 'This clinic');
    if (total >= MAX_OF_PROCESS) failFor('UNAVAILABLE', RETRY_SECONDS);
    total++;
    for (const id of [userId, clinicId]) change(id, 1);
    return () => {
      total--;
      for (const id of [userId, clinicId]) change(id, -1);
    };
  };
}
