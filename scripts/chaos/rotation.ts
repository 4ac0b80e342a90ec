// Rotates the keys of encryption, of calls between processes and of access tokens under load, in the three steps of docs/operations.md: append,
// move to the front, remove. Meanwhile users sign in, and patients with an encrypted national id are stored and read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAKERS } from '../dev/launch/secrets.ts';
import { PROJECT } from '../schemas.ts';
import { type Ask, type Clinic, createPatient, reads, send, signIn } from './clinic.ts';
import type { Cluster, Rings } from './cluster.ts';
import { type Asks, type Restart, type Rolled, restartAll, underLoad } from './rolling.ts';

const SIGN_IN_EVERY_MS = 2_000;

/** The old key of access tokens is not removed here, because tokens signed with it are valid for hours. */
const STEPS: [what: string, ring: (old: string, fresh: string, name: keyof Rings) => string][] = [
  ['new keys appended', (old, fresh) => `${old},${fresh}`],
  ['new keys in front', (old, fresh) => `${fresh},${old}`],
  ['old keys removed', (old, fresh, name) => (name === 'JWT_PRIVATE_KEYS' ? `${fresh},${old}` : fresh)],
];

export async function rotateKeys(cluster: Cluster, { perSecond, print }: { perSecond: number; print: (line: string) => void }): Promise<Rolled> {
  const old = { ...cluster.rings };
  const fresh = Object.fromEntries(Object.keys(old).map((name) => [name, MAKERS[name]?.().replace('k1', 'fresh') ?? ''])) as Rings;
  const kinds: Asks = (clinic, turn) =>
    turn % 5 === 4 ? createPatient(clinic, turn) : turn % 5 === 3 ? listPatients(clinic) : (reads(clinic)[turn % 4] as Ask);
  return underLoad(cluster, { perSecond, asks: kinds }, async (clinic, url) => {
    const restarts: Restart[] = [];
    const refused: string[] = [];
    // The following requests use the new token, which any copy of identity may have signed.
    const signing = setInterval(async () => {
      const { status, body } = await send(url, signIn(clinic));
      if (status === 200) clinic.token = JSON.parse(body).access_token;
      else refused.push(`${status} ${body}`);
    }, SIGN_IN_EVERY_MS);
    try {
      for (const [what, ring] of STEPS) {
        for (const name of Object.keys(old) as (keyof Rings)[]) cluster.rings[name] = ring(old[name], fresh[name], name);
        print(what);
        restarts.push(...(await restartAll(cluster, { print })));
        if (what === 'new keys in front') await reencrypt(cluster);
      }
      if (refused.length > 0) throw new Error(`${refused.length} sign-ins failed: ${refused[0]}`);
      return restarts;
    } finally {
      clearInterval(signing);
    }
  });
}

const listPatients = ({ token }: Clinic): Ask => ({
  kind: 'patients',
  method: 'GET',
  path: '/api/patients?limit=5',
  headers: { authorization: `Bearer ${token}` },
});

/** Runs `ops rotate-keys` with the complete list of keys. Throws when it does not end with 0. */
async function reencrypt({ ownerUrl, rings }: Cluster): Promise<void> {
  const env = { PATH: process.env.PATH, DATABASE_URL: ownerUrl, ENCRYPTION_KEYS: rings.ENCRYPTION_KEYS };
  const [code] = await once(spawn(process.execPath, ['scripts/run.js', 'ops', 'rotate-keys'], { cwd: PROJECT, env, stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`rotate-keys ended with ${code}`);
}
