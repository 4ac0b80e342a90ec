// What operators have set: maintenance, and the limits and read-only mode of clinics. Asked of identity every few seconds; while identity is
// unavailable the last answer holds.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { failFor } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { AccessService, type OperatingState } from '@clinic/proto/identity/v1/access_pb.js';
import type { ClinicLimits } from '@clinic/proto/identity/v1/operations_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';

export type Operating = Stoppable & {
  /** Resolves when identity has been asked for the first time. */
  asked: Promise<void>;
  maintenance(): OperatingState['maintenance'];
  /** Undefined when the clinic has the defaults. */
  limitsOf(clinicId: string): ClinicLimits | undefined;
  /** Throws READ_ONLY during maintenance, and while the clinic is read-only. */
  checkChange(clinicId?: string): void;
};

const EVERY_MS = 5_000;
/** When nobody knows how long it lasts. */
const RETRY_SECONDS = 60;
const MAX_RETRY_SECONDS = 3_600;

export function watchOperatingState({ identity, clock, log }: { identity: Transport; clock: Clock; log: Log }): Operating {
  let maintenance: OperatingState['maintenance'];
  let limits = new Map<string, ClinicLimits>();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const loop = startLoop({ log, failure: 'what operators have set could not be read; the last answer holds', everyMs: EVERY_MS }, async () => {
    try {
      const state = await call(identity, AccessService.method.getOperatingState, {}, serviceCaller('gateway', ''));
      maintenance = state.maintenance;
      limits = new Map(state.clinics.map((clinic) => [clinic.clinicId, clinic]));
    } finally {
      resolve();
    }
  });
  return {
    asked,
    maintenance: () => maintenance,
    limitsOf: (clinicId) => limits.get(clinicId),
    checkChange(clinicId) {
      if (maintenance) failFor('READ_ONLY', secondsUntil(maintenance, clock.now()));
      if (clinicId !== undefined && limits.get(clinicId)?.readOnly) failFor('READ_ONLY', RETRY_SECONDS);
    },
    stop: loop.stop,
  };
}

function secondsUntil({ until }: NonNullable<OperatingState['maintenance']>, now: Date): number {
  if (!until) return RETRY_SECONDS;
  return Math.min(Math.max(Math.ceil((timestampMs(until) - now.getTime()) / 1000), 1), MAX_RETRY_SECONDS);
}
