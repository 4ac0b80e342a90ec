// A running identity with a stand-in for platform, for the tests of its handlers.
import { generateKeyPairSync } from 'node:crypto';
import { manualClock } from '@clinic/lib/clock.ts';
import { asSystem, run, type Statement } from '@clinic/lib/db.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { type Session, SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import pg from 'pg';
import identity from '../service.ts';
import { inviteCodesStandIn } from './invite-codes.ts';

export const NOW = new Date('2026-06-01T14:00:00Z');
export const PASSWORD = 'una taza de café';

/** A P-256 key as JWT_PRIVATE_KEYS takes it. */
export function signingKey(kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return `${kid}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
}

export async function startIdentity(keys = signingKey('k1')) {
  const clock = manualClock(NOW);
  const codes = inviteCodesStandIn(clock);
  const service = await testService(identity, { clock, neighbours: { platform: codes.transport }, settings: { JWT_PRIVATE_KEYS: keys } });
  const sessions = service.client(SessionService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=identity' });
  await warmUp(service.db.pool);
  let people = 0;

  const form = () => ({
    inviteCode: 'any',
    clinicName: 'Clínica Sonrisa',
    clinicType: 'dental',
    adminName: 'Ana Rivas',
    email: `ana${++people}@example.com`,
    password: PASSWORD,
  });
  return {
    service,
    clock,
    codes,
    sessions,
    access: service.client(AccessService),
    clinics: service.client(ClinicService),
    form,
    register: (changed: Partial<ReturnType<typeof form>> = {}): Promise<Session> => sessions.registerClinic({ ...form(), ...changed }, asAnonymous()),
    /** As the system: for bringing about states that no RPC makes yet. */
    change: (statement: Statement<object>, values: unknown[]) => asSystem(service.db, (tx) => run(tx, statement, values)),
    /** As the owner: for looking behind the curtain. */
    look: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Identity = Awaited<ReturnType<typeof startIdentity>>;

/** Opens all connections of the pool, since rivals that wait for one do not race. */
function warmUp(pool: pg.Pool) {
  return Promise.all(Array.from({ length: pool.options.max }, () => pool.query('select pg_sleep(0.1)')));
}

/** The reasons of the calls that failed, in order of the alphabet, and the answers of the others. */
export async function outcomes<T>(calls: Promise<T>[]) {
  const settled = await Promise.allSettled(calls);
  return {
    answers: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    reasons: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason ?? String(one.reason)] : [])).sort(),
  };
}
