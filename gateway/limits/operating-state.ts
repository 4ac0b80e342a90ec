// Settings of operators: maintenance, and the limits and read-only mode of clinics. They are read from identity every few seconds; while identity
// is unavailable, the last state remains in effect.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { failFor, READ_ONLY_SECONDS, refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { AccessService, type OperatingState } from '@clinic/proto/identity/v1/access_pb.js';
import type { ClinicLimits } from '@clinic/proto/identity/v1/operations_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';
import { OPERATING_STATE_MS } from '../http/times.ts';

export type Operating = Stoppable & {
  /** Resolves after the first attempt to read the state, whether it succeeded or not. */
  ready: Promise<void>;
  maintenance(): OperatingState['maintenance'];
  /** Undefined when the clinic has the defaults. */
  limitsOf(clinicId: string): ClinicLimits | undefined;
  /** Throws READ_ONLY during maintenance, and while the clinic is read-only. */
  checkChange(clinicId?: string): void;
};

const MAX_RETRY_SECONDS = 3_600;

export function watchOperatingState({ identity, clock, log }: { identity: Transport; clock: Clock; log: Log }): Operating {
  let maintenance: OperatingState['maintenance'];
  let limits = new Map<string, ClinicLimits>();
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const failure = 'maintenance and clinic limits could not be read from identity; the last state remains in effect';
  const loop = startLoop({ log, failure, everyMs: OPERATING_STATE_MS }, async () => {
    try {
      const state = await call(identity, AccessService.method.getOperatingState, {}, serviceCaller('gateway', ''));
      maintenance = state.maintenance;
      limits = new Map(state.clinics.map((clinic) => [clinic.clinicId, clinic]));
    } finally {
      resolve();
    }
  });
  return {
    ready,
    maintenance: () => maintenance,
    limitsOf: (clinicId) => limits.get(clinicId),
    checkChange(clinicId) {
      if (maintenance) failFor('READ_ONLY', secondsUntil(maintenance, clock.now()));
      refuseReadOnly({ readOnly: clinicId !== undefined && limits.get(clinicId)?.readOnly === true });
    },
    stop: loop.stop,
  };
}

function secondsUntil({ until }: NonNullable<OperatingState['maintenance']>, now: Date): number {
  if (!until) return READ_ONLY_SECONDS;
  return Math.min(Math.max(Math.ceil((timestampMs(until) - now.getTime()) / 1000), 1), MAX_RETRY_SECONDS);
}
