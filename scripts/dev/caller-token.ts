// `npm run caller-token`: prints headers for calling a service's ops port with curl. It acts as the gateway, on behalf of any caller.
import { randomUUID } from 'node:crypto';
import { keyRing, readSettings } from '@clinic/lib/config/config.ts';
import { createAssertionSigner } from '@clinic/lib/rpc/assertion.ts';
import { callKeysOf, callSettings, gatewayAssertionSettings } from '@clinic/lib/rpc/call-keys.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { callerHeaders } from '@clinic/lib/rpc/credentials.ts';
import { misused, parseOptions } from '../help.ts';
import { SERVICES } from '../schemas.ts';
import { dataFolder } from './launch/data-folder.ts';
import { readStoredSecrets } from './launch/secrets.ts';

const KINDS = ['user', 'operator', 'anonymous', 'service'];
const ROLES = ['admin', 'doctor', 'receptionist'];

const USAGE = `Usage: npm run -s caller-token -- <RPC> [options]

Prints the headers with which a service accepts one RPC from the gateway. They are valid for one minute:

  rpc=clinic.platform.v1.StatsService/GetStats
  npm run -s caller-token -- $rpc --kind operator |
    curl -H @- -H 'content-type: application/json' -d '{}' http://127.0.0.1:<ops port>/$rpc

  --service   the service (default: the one in the name of the RPC)
  --kind      ${KINDS.slice(0, -1).join(', ')} or ${KINDS.at(-1)}; service is the gateway itself (default: service)
  --id        UUID of the user, or name of the operator (default: a new UUID, or "curl")
  --clinic    UUID of the clinic; required for a user
  --role      ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}; for a user only (default: admin)
  --plan      plan of the clinic (default: clinica)
  --timezone  time zone of the clinic (default: America/El_Salvador)
  --help      this text

Signs with keys derived from INTERNAL_KEYS in the environment, or else in DATA_DIR/secrets.env.`;

const TEXT = { type: 'string' } as const;
const OPTIONS = { service: TEXT, kind: TEXT, id: TEXT, clinic: TEXT, role: TEXT, plan: TEXT, timezone: TEXT } as const;

function internalKeys() {
  const folder = dataFolder();
  const text = process.env.INTERNAL_KEYS || readStoredSecrets(folder).INTERNAL_KEYS;
  if (!text) misused(`Neither the environment nor ${folder}/secrets.env has INTERNAL_KEYS: run npm start once, or set it.`, USAGE);
  const parsed = keyRing.safeParse(text);
  return parsed.success ? parsed.data : misused('INTERNAL_KEYS must be id:base64 pairs of 32 bytes.', USAGE);
}

const { values, positionals } = parseOptions({ options: OPTIONS, allowPositionals: true }, USAGE, 1);
const [rpc = ''] = positionals;
const { service = rpc.split('.')[1] ?? '', kind = 'service', id, clinic, role = 'admin', plan = 'clinica', timezone = 'America/El_Salvador' } = values;
if (!/^[\w.]+\/\w+$/.test(rpc)) misused('Name the RPC, for example clinic.platform.v1.StatsService/GetStats.', USAGE);
if (!SERVICES.includes(service)) misused(`There is no service ${service}: name it with --service.`, USAGE);
if (!KINDS.includes(kind)) misused(`--kind must be one of ${KINDS.join(', ')}.`, USAGE);
if (!ROLES.includes(role)) misused(`--role must be one of ${ROLES.join(', ')}.`, USAGE);
if (kind === 'user' && !clinic) misused('A user belongs to a clinic: name it with --clinic.', USAGE);

const defaults: Record<string, string> = { user: randomUUID(), anonymous: '' };
const caller: Caller = {
  kind: kind as Caller['kind'],
  id: id ?? defaults[kind] ?? 'curl',
  requestId: randomUUID(),
  ip: '127.0.0.1',
  role: kind === 'user' ? role : '',
  ...(clinic ? { clinic: { id: clinic, plan, timezone, country: 'SV' } } : {}),
};
const { CALL_KEYS, ASSERTION_KEYS } = readSettings(
  { ...callSettings, ...gatewayAssertionSettings },
  callKeysOf(internalKeys(), 'gateway', [...SERVICES, 'gateway']),
);
const credentials = { name: 'gateway', callKeys: CALL_KEYS, sign: createAssertionSigner(ASSERTION_KEYS) };
for (const [name, value] of callerHeaders(caller, { callee: service, method: `/${rpc}`, timeoutMs: 0 }, credentials)) console.log(`${name}: ${value}`);
