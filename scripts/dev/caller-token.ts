// `npm run caller-token`: signs a caller token for curl against a service's ops port. INTERNAL_KEYS allow to sign any caller.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keyRing } from '@clinic/lib/config/config.ts';
import { type Caller, signCaller } from '@clinic/lib/rpc/caller.ts';
import { misused, parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';

const USAGE = `Usage: npm run -s caller-token -- [options]

Prints a token, valid for one minute, that a service accepts in the header x-clinic-caller:

  curl -H "x-clinic-caller: $(npm run -s caller-token -- --kind operator)" \\
    -H 'content-type: application/json' -d '{}' \\
    http://127.0.0.1:<ops port>/clinic.platform.v1.StatsService/GetStats

  --kind      user, operator, service or anonymous (default service)
  --id        UUID of the user, or name of the operator or service (default: a new UUID, or "curl")
  --clinic    UUID of the clinic: needed for a user
  --role      admin, doctor or receptionist (default admin; users only)
  --plan      plan of the clinic (default clinica)
  --timezone  zone of the clinic (default America/El_Salvador)
  --help      this text

Signs with INTERNAL_KEYS of the environment, else of DATA_DIR/secrets.env.`;

const TEXT = { type: 'string' } as const;
const OPTIONS = { kind: TEXT, id: TEXT, clinic: TEXT, role: TEXT, plan: TEXT, timezone: TEXT, help: { type: 'boolean', short: 'h' } } as const;

function keys() {
  const file = path.resolve(PROJECT, process.env.DATA_DIR || '.data', 'secrets.env');
  const stored = existsSync(file) ? /^INTERNAL_KEYS=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  const text = process.env.INTERNAL_KEYS || stored;
  if (!text) misused(`There is no INTERNAL_KEYS in the environment and none in ${file}: run npm start once, or set it.`, USAGE);
  const parsed = keyRing.safeParse(text);
  return parsed.success ? parsed.data : misused('INTERNAL_KEYS must be id:base64 pairs of 32 bytes.', USAGE);
}

const {
  help,
  kind = 'service',
  id,
  clinic,
  role = 'admin',
  plan = 'clinica',
  timezone = 'America/El_Salvador',
} = parseOptions({ options: OPTIONS }, USAGE).values;
if (help) {
  console.log(USAGE);
  process.exit(0);
}
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
console.log(signCaller(caller, keys(), Date.now()));
