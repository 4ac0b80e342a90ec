// Calls that are allowed in a few places only, because elsewhere they would bypass tenants, the outbox or the validation of settings.
import { type Fault, faultsByLine, type Source } from './source.ts';

// Migrations and the jobs' schema use the owner's connection, and rate limits belong to no clinic. lib/jobs/jobs.ts passes the pool to pg-boss.
const OWNERS = /^(lib\/(db\/(db|batch|migrate|jobs-schema)|jobs\/jobs)\.ts|gateway\/limits\/store\.ts|scripts\/)/;

export function queriesOutsideTransactions(sources: Source[]): Fault[] {
  const query = /\b(pool|client|pg)\.(query|connect)\s*[(<]|new\s+pg\.(Pool|Client)|new\s+(Pool|Client)\(/;
  return faultsByLine(sources, query, OWNERS, 'run the query in inTenant, asSystem, readTenant or readSystem of lib/db/db.ts');
}

export function publishingOutsideTheOutbox(sources: Source[]): Fault[] {
  return faultsByLine(
    sources,
    /\.publish\s*\(/,
    /^(lib\/events\/outbox\.ts|scripts\/)/,
    'publish the event with emit() of lib/events/outbox.ts, in the transaction of its change',
  );
}

export function settingsOutsideConfig(sources: Source[]): Fault[] {
  return faultsByLine(
    sources,
    /process\.env\b/,
    /^(lib\/(config\/config|runtime\/main)\.ts|gateway\/main\.ts|services\/[^/]+\/main\.ts|scripts\/|jest\.config\.js)/,
    'declare the setting and read it with lib/config/config.ts, which validates it',
  );
}
