// Events that a consumer has not handled yet, from the outbox of their producer and the inbox of each consumer.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../../schemas.ts';

/** SQL that counts them as `name`, `n`: a statement for each consumer of the services. With `clinicId`, an expression of SQL, those of one clinic. */
export function countUnhandledEvents(clinicId?: string): string[] {
  const ofClinic = clinicId ? `and e.clinic_id = ${clinicId}` : '';
  return consumers().map(
    ({ service, name, producer, token }) =>
      `select 'events of ${service}-${name}' as name, count(*)::int as n from ${producer}.outbox e
       where subject like '%.${token}' ${ofClinic} and not exists (select from ${service}.inbox where consumer = '${name}' and event_id = e.id)`,
  );
}

/** The consumers of the services, by the rights that they have. */
function consumers() {
  const rights = readFileSync(path.join(PROJECT, 'deploy/nats/users.conf'), 'utf8');
  const all = rights.matchAll(/CONSUMER\.CREATE\.CLINIC\.(?<service>\w+)-(?<name>[\w-]+)\.clinic\.\*\.(?<producer>\w+)\.(?<token>[\w-]+)"/g);
  return [...all].map(({ groups }) => groups as { service: string; name: string; producer: string; token: string });
}
