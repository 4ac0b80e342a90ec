// Where a command finds the database and the keys of an installation: in the environment, else in the data folder of an
// embedded one that is running.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readFileSettings } from '@clinic/lib/config/config.ts';
import { PROJECT } from '../schemas.ts';

const fromEnvironment = (name: string) => readFileSettings([name], process.env)[name];

const dataFolder = () => path.resolve(PROJECT, process.env.DATA_DIR || '.data');

/** The owner's URL; undefined when there is none and nothing embedded has been started. */
export function ownerUrl(): string | undefined {
  const url = fromEnvironment('DATABASE_URL');
  if (url) return url;
  const home = path.join(dataFolder(), 'postgres');
  const [running, password] = [path.join(home, 'cluster', 'postmaster.pid'), path.join(home, 'password')];
  if (!existsSync(running) || !existsSync(password)) return undefined;
  const port = readFileSync(running, 'utf8').split('\n')[3];
  return `postgres://clinic_owner:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${port}/clinic`;
}

/** A setting of the environment or of the file that it names, or the secret of that name that the installation keeps. */
export function storedSetting(name: string): string | undefined {
  const file = path.join(dataFolder(), 'secrets.env');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return fromEnvironment(name) || kept.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Where NATS is; undefined when nothing says so and nothing embedded has been started. */
export function natsUrl(): string | undefined {
  if (process.env.NATS_URL) return process.env.NATS_URL;
  const file = path.join(dataFolder(), 'nats', 'nats.conf');
  const listen = existsSync(file) ? /^listen: "(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return listen && `nats://${listen}`;
}
