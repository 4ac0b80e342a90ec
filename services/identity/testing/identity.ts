// A running identity service with fakes of its dependencies.
import { generateKeyPairSync } from 'node:crypto';
import { asSystem, execute, type Statement } from '@clinic/lib/db/db.ts';
import { asAdmin, asAnonymous, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { AuditLogService } from '@clinic/proto/identity/v1/audit_pb.js';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { RecoveryService } from '@clinic/proto/identity/v1/recovery_pb.js';
import { type Session, SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { ClinicSettingsService } from '@clinic/proto/identity/v1/settings_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import pg from 'pg';
import identity from '../service.ts';
import { fakeDependencies } from './dependencies.ts';
import { fakeInviteCodes } from './invite-codes.ts';

export const NOW = new Date('2026-06-01T14:00:00Z');
export const PASSWORD = 'una taza de café';

const WAITING = `
  select usename like '%\\_system' as system, count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' group by 1`;

/** A P-256 key in the format of JWT_PRIVATE_KEYS. */
export function signingKey(kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return `${kid}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
}

export async function startIdentity(keys = signingKey('k1')) {
  const clock = manualClock(NOW);
  const codes = fakeInviteCodes(clock);
  const dependencies = fakeDependencies();
  const service = await testService(identity, {
    clock,
    dependencies: { ...dependencies.transports, platform: dependencies.withAudit(codes.transport) },
    settings: { JWT_PRIVATE_KEYS: keys },
  });
  const sessions = service.client(SessionService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=identity' });
  // The database is dropped by force, which may end this connection with an error.
  owner.on('error', () => {});
  let people = 0;

  const form = () => ({
    inviteCode: 'any',
    clinicName: 'Clínica Sonrisa',
    clinicType: 'dental',
    adminName: 'Ana Rivas',
    email: `ana${++people}@example.com`,
    password: PASSWORD,
  });
  const register = (changed: Partial<ReturnType<typeof form>> = {}): Promise<Session> => sessions.registerClinic({ ...form(), ...changed }, asAnonymous());
  const look = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows;
  return {
    service,
    clock,
    codes,
    dependencies,
    sessions,
    access: service.client(AccessService),
    clinics: service.client(ClinicService),
    users: service.client(UserService),
    settings: service.client(ClinicSettingsService),
    entitlements: service.client(EntitlementService),
    auditLog: service.client(AuditLogService),
    recovery: service.client(RecoveryService),
    form,
    register,
    /** A new clinic, and callers for its users. */
    clinic: async (plan = 'clinica') => {
      codes.plan = plan;
      const { clinic, user } = await register();
      const [id, userId] = [clinic?.id ?? '', user?.id ?? ''];
      return { id, admin: asAdmin(id, { userId }), reader: asUser(id) };
    },
    /** The payloads of ClinicUpdated. */
    clinicUpdates: async (clinicId: string) =>
      (await look(`select payload from outbox where clinic_id = $1 and subject like '%clinic-updated' order by id`, [clinicId])).map(({ payload }) => payload),
    /** Executes a statement as the system, for states that no RPC creates. */
    change: (statement: Statement<object>, values: unknown[]) => asSystem(service.db, (tx) => execute(tx, statement, values)),
    /** Queries as the owner of the database. */
    look,
    /**
     * Starts concurrent calls while the clinic's row in `table` is locked, and unlocks it when all calls wait, or all connections of a role.
     * Without the lock the first call would often end before the last one begins.
     */
    race: async <T>(table: string, clinicId: string | undefined, start: () => Promise<T>[]) => {
      const gate = await owner.connect();
      try {
        await gate.query('begin');
        await gate.query(`select 1 from ${table} where clinic_id = $1 for update`, [clinicId]);
        const calls = start();
        const finished = outcomes(calls);
        const most = (system: boolean) => (system ? service.db.systemPool : service.db.pool).options.max;
        await waitFor(async () => {
          const roles = (await owner.query(WAITING)).rows; // on another connection, since a transaction sees one snapshot of pg_stat_activity
          return roles.some(({ system, n }) => n === most(system)) || roles.reduce((sum, { n }) => sum + n, 0) === calls.length;
        });
        await gate.query('commit');
        return await finished;
      } finally {
        gate.release(true); // closed, so that no lock is left
      }
    },
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Identity = Awaited<ReturnType<typeof startIdentity>>;

/** The responses of the calls that succeeded, and the sorted error reasons of the others. */
export async function outcomes<T>(calls: Promise<T>[]) {
  const settled = await Promise.allSettled(calls);
  return {
    answers: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    reasons: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason ?? String(one.reason)] : [])).sort(),
  };
}
