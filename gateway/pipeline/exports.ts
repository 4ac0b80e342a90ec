// Exports read a whole table page by page for as long as the client reads. A process and each clinic have only so many at once.
import { createLane, type Lane } from '@clinic/lib/background/lane.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Response } from 'express';

const OF_PROCESS = { concurrent: 16, waiting: 64 };
const OF_CLINIC = { concurrent: 2, waiting: 4 };

const ofProcess = createLane(OF_PROCESS);
const ofClinics = new Map<string, { lane: Lane; exports: number }>();

/** Waits for a place for an export, which it has until the response is closed. */
export async function enterExports(response: Response, { clinic }: Caller): Promise<void> {
  const id = clinic?.id ?? '';
  const entry = ofClinics.get(id) ?? { lane: createLane(OF_CLINIC), exports: 0 };
  ofClinics.set(id, entry);
  const leave: (() => void)[] = [
    () => {
      entry.exports--;
      if (entry.exports === 0) ofClinics.delete(id);
    },
  ];
  entry.exports++;
  const end = () => {
    for (const step of leave) step();
  };
  try {
    leave.push(await entry.lane());
    leave.push(await ofProcess());
  } catch (error) {
    end();
    throw error;
  }
  if (response.closed) end();
  else response.once('close', end);
}
