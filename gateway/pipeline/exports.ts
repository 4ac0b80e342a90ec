// Limits concurrent exports, per process and per clinic: an export reads a whole table page by page, for as long as its client receives it.
import { createLane } from '@clinic/lib/background/lane.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Response } from 'express';
import { createLanes } from '../limits/lanes.ts';

const OF_PROCESS = { concurrent: 16, waiting: 64 };
const OF_CLINIC = { concurrent: 2, waiting: 4 };

const ofProcess = createLane(OF_PROCESS);
const ofClinics = createLanes();

/** Waits until an export may run. It counts as running until its response is closed. */
export async function enterExports(response: Response, { clinic }: Caller): Promise<void> {
  const leaveClinic = await ofClinics(clinic?.id ?? '', OF_CLINIC);
  const leaveProcess = await ofProcess().catch((error) => {
    leaveClinic();
    throw error;
  });
  const leave = () => {
    leaveProcess();
    leaveClinic();
  };
  if (response.closed) leave();
  else response.once('close', leave);
}
