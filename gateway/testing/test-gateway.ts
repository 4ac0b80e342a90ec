// The gateway with services inside the test process: the real contracts and pipeline, with handlers that a test can replace.
import { generateKeyPairSync } from 'node:crypto';
import { type DescService, toBinary } from '@bufbuild/protobuf';
import { type Clock, systemClock } from '@clinic/lib/clock/clock.ts';
import { readSettings } from '@clinic/lib/config/config.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { StatusService } from '@clinic/proto/common/v1/status_pb.js';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { AccessService, type AccessState, type ResolveAccessOfManyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import { ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import { SignJWT } from 'jose';
import type { Times } from '../http/times.ts';
import { areas } from '../routes/areas.ts';
import { type Gateway, startGateway } from '../service.ts';
import { gatewaySettings } from '../settings.ts';

export const USER_ID = '0198a3f2-7c1e-7d4b-9a53-000000000001';
export const CLINIC_ID = '0198a3f2-7c1e-7d4b-9a53-000000000002';
export const RECORD_ID = '0198a3f2-7c1e-7d4b-9a53-000000000003';
export const CHAT_SECRET = 'test_app_secret';
export const OPERATOR_KEY = 'operator-key-of-the-tests';

/** A call that reached a service. */
export type ReceivedCall = { rpc: string; request: Record<string, unknown>; caller: Caller; idempotencyKey: string | undefined };
type Reply = (request: never, call: Call) => unknown;

export type TestGateway = {
  url: string;
  adminUrl: string;
  /** Every call that reached a service, except access checks. */
  calls: ReceivedCall[];
  /** Replies of RPCs by name, for example `DoctorService.listDoctors`; other RPCs return an empty message. */
  replies: Record<string, Reply>;
  /** A token as identity signs it; `claims` replace the usual ones, undefined removes one. */
  token(claims?: Record<string, unknown>, options?: { kid?: string; expires?: number }): Promise<string>;
  /** Signs with a new key from now on; the old keys remain published. */
  rotate(): string;
  jwksRequests: () => number;
  stop(): Promise<void>;
};

/** The contracts that the rows and the gateway itself call. */
const CONTRACTS: DescService[] = [
  ...new Set([AccessService, UsageReportService, StatusService, ManageLinkService, ...areas.flatMap(({ routes }) => routes.map(({ rpc }) => rpc.parent))]),
];

export const activeState = {
  userActive: true,
  appRole: 'admin',
  clinicActive: true,
  plan: 'pro',
  clinicType: 'dental',
  timezone: 'America/El_Salvador',
  country: 'SV',
  features: ['analytics'],
  doctorLimit: 8,
};

/** Starts the gateway on free ports. Rate limits are off unless `env` sets them. `times` replaces the time limits of requests. */
export async function startTestGateway(env: Record<string, string> = {}, clock: Clock = systemClock, times?: Times): Promise<TestGateway> {
  const log = createLog('gateway-test', 'silent');
  const keys = createKeys();
  const calls: ReceivedCall[] = [];
  const replies: Record<string, Reply> = {
    'AccessService.listSigningKeys': () => ({ jwks: keys.jwks() }),
    'AccessService.resolveAccess': () => activeState,
    'AccessService.resolveAccessOfMany': ({ subjects }: ResolveAccessOfManyRequest, call) => ({
      answers: subjects.map((subject) => ({ state: replies['AccessService.resolveAccess']?.(subject as never, call) as AccessState })),
    }),
  };
  const implementations = CONTRACTS.map((contract) => {
    const handlers = contract.methods.map((method) => [
      method.localName,
      async (_app: unknown, request: never, call: Call) => {
        toBinary(method.input, request); // fails here as it would between processes
        const rpc = `${contract.name}.${method.localName}`;
        if (![AccessService, UsageReportService, StatusService].includes(contract as never))
          calls.push({ rpc, request, caller: call.caller, idempotencyKey: call.idempotencyKey });
        return replies[rpc]?.(request, call) ?? {};
      },
    ]);
    for (const { localName } of contract.methods.filter(({ methodKind }) => methodKind === 'server_streaming')) {
      const entry = handlers.find(([name]) => name === localName) as [string, (app: unknown, request: never, call: Call) => Promise<unknown>];
      const unary = entry[1];
      entry[1] = async function* (app: unknown, request: never, call: Call) {
        const reply = await unary(app, request, call);
        yield* Symbol.asyncIterator in (reply as object) ? (reply as AsyncIterable<unknown>) : [{ head: { contentType: 'text/plain' } }];
      } as never;
    }
    return implement({ log, constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, DescService>);
  });
  const off = {
    RATE_LIMIT_AUTH: 'off',
    RATE_LIMIT_DEMO: 'off',
    RATE_LIMIT_FEED: 'off',
    RATE_LIMIT_BOOKING: 'off',
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_KEY: 'off',
    CLINIC_REQUESTS_PER_MINUTE: 'off',
    CLINIC_CONCURRENT_REQUESTS: 'off',
  };
  const settings = readSettings(gatewaySettings, {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    NATS_URL: 'nats://127.0.0.1:1',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    CHAT_APP_SECRET: CHAT_SECRET,
    CHAT_VERIFY_TOKEN: 'verify-token-of-the-tests',
    SUPERADMIN_KEYS: `other:another-key-of-the-tests,ana:${OPERATOR_KEY}`,
    PAYMENTS_WEBHOOK_SECRET: 'payments-secret-of-the-tests',
    ...off,
    ...env,
  });
  const transport = localTransport(implementations);
  const gateway: Gateway = await startGateway({ settings, transport: () => transport, log, clock, ...(times && { times }) });
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    adminUrl: `http://127.0.0.1:${gateway.adminPort}`,
    calls,
    replies,
    token: (claims, options) => keys.sign(clock, claims, options),
    rotate: keys.rotate,
    jwksRequests: keys.requests,
    stop: () => gateway.stop(),
  };
}

function createKeys() {
  const ring = new Map<string, ReturnType<typeof make>>();
  let current = '';
  let requests = 0;
  const make = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rotate = () => {
    current = `key-${ring.size + 1}`;
    ring.set(current, make());
    return current;
  };
  rotate();
  return {
    rotate,
    requests: () => requests,
    jwks() {
      requests++;
      return JSON.stringify({ keys: [...ring].map(([kid, { publicKey }]) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' })) });
    },
    async sign(clock: Clock, claims: Record<string, unknown> = {}, options: { kid?: string; expires?: number } = {}): Promise<string> {
      const now = Math.floor(clock.now().getTime() / 1000);
      const usual = { sub: USER_ID, clinic_id: CLINIC_ID, app_role: 'admin', role: 'authenticated', iss: 'clinic-identity', aud: 'clinic-api', jti: 'one' };
      const payload = Object.fromEntries(
        Object.entries({ ...usual, iat: now, exp: options.expires ?? now + 3600, ...claims }).filter(([, value]) => value !== undefined),
      );
      const key = ring.get(current);
      if (!key) throw new Error('no key');
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: options.kid ?? current }).sign(key.privateKey);
    },
  };
}
