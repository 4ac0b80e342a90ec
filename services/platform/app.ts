// What every handler of platform is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';

export type App = { db: Db; clock: Clock; log: Log; constraints: Constraints };

/** Stands for the clinic where a record, such as a line of the audit log, belongs to the platform itself. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
