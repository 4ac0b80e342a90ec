// `npm run caller-token`: the headers of a call by curl against a service's ops port. It acts as the gateway, for any caller.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { keyRing, readSettings } from '@clinic/lib/config/config.ts';
import { createAssertionSigner } from '@clinic/lib/rpc/assertion.ts';
import { callKeysOf, callSettings, gatewayAssertionSettings } from '@clinic/lib/rpc/call-keys.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { showCaller } from '@clinic/lib/rpc/credentials.ts';
import { misused, parseOptions } from '../help.ts';
import { PROJECT, SERVICES } from '../schemas.ts';
import { readStoredSecrets } from './launch/secrets.ts';

const USAGE = `Usage: npm run -s caller-token -- <RPC> [options]

Prints the headers with which a service accepts one RPC from the gateway, valid for one minute:

  rpc=clinic.platform.v1.StatsService/GetStats
  npm run -s caller-token -- $rpc --kind operator |
    curl -H @- -H 'content-type: application/json' -d '{}' http://127.0.0.1:<ops port>/$rpc

  --service   the service (default: the one in the name of the RPC)
  --kind      user, operator, service (the gateway itself) or anonymous (default service)
  --id        UUID of the user, or name of the operator (default: a new UUID, or "curl")
  --clinic    UUID of the clinic: needed for a user
  --role      admin, doctor or receptionist (default admin; users only)
  --plan      plan of the clinic (default clinica)
  --timezone  zone of the clinic (default America/El_Salvador)
  --help      this text

Signs with keys derived from INTERNAL_KEYS of the environment, else of DATA_DIR/secrets.env.`;

const TEXT = { type: 'string' } as const;
const OPTIONS = { service: TEXT, kind: TEXT, id: TEXT, clinic: TEXT, role: TEXT, plan: TEXT, timezone: TEXT } as const;

function internalKeys() {
  const folder = path.resolve(PROJECT, process.env.DATA_DIR || '.data');
  const text = process.env.INTERNAL_KEYS || readStoredSecrets(folder).INTERNAL_KEYS;
  if (!text) misused(`There is no INTERNAL_KEYS in the environment and none in ${folder}/secrets.env: run npm start once, or set it.`, USAGE);
  const parsed = keyRing.safeParse(text);
  return parsed.success ? parsed.data : misused('INTERNAL_KEYS must be id:base64 pairs of 32 bytes.', USAGE);
}

const { values, positionals } = parseOptions({ options: OPTIONS, allowPositionals: true }, USAGE);
const [rpc = ''] = positionals;
const { service = rpc.split('.')[1] ?? '', kind = 'service', id, clinic, role = 'admin', plan = 'clinica', timezone = 'America/El_Salvador' } = values;
if (!/^[\w.]+\/\w+$/.test(rpc)) misused('Name the RPC, for example clinic.platform.v1.StatsService/GetStats.', USAGE);
if (!SERVICES.includes(service)) misused(`There is no service ${service}: name it with --service.`, USAGE);
if (!['user', 'operator', 'service', 'anonymous'].includes(kind)) misused(`There is no kind ${kind}.`, USAGE);
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
for (const [name, value] of showCaller(caller, { callee: service, method: `/${rpc}`, timeoutMs: 0 }, credentials)) console.log(`${name}: ${value}`);
