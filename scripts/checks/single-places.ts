// Calls that are allowed in one place only: elsewhere they would bypass tenants, the outbox or the checks of settings.
import { type Fault, faultsByLine, type Source } from './source.ts';

// The migrations and the jobs' schema belong to the owner, the limits to no clinic; pg-boss is given the pool by lib/jobs/jobs.ts.
const OWNERS = /^(lib\/(db\/(db|prepared-query|migrate|jobs-schema)|jobs\/jobs)\.ts|gateway\/limits\/store\.ts|scripts\/)/;

export function queriesOutsideTransactions(sources: Source[]): Fault[] {
  const query = /\b(pool|client|pg)\.(query|connect)\s*[(<]|new\s+pg\.(Pool|Client)|new\s+(Pool|Client)\(/;
  return faultsByLine(sources, query, OWNERS, 'a query goes through inTenant, asSystem, readTenant or readSystem of lib/db/db.ts');
}

export function publishingOutsideTheOutbox(sources: Source[]): Fault[] {
  return faultsByLine(
    sources,
    /\.publish\s*\(/,
    /^(lib\/events\/outbox\.ts|scripts\/)/,
    'an event leaves by emit() of lib/events/outbox.ts, in the transaction of its change',
  );
}

export function settingsOutsideConfig(sources: Source[]): Fault[] {
  return faultsByLine(
    sources,
    /process\.env\b/,
    /^(lib\/(config\/config|runtime\/main)\.ts|gateway\/main\.ts|services\/[^/]+\/main\.ts|scripts\/|jest\.config\.js)/,
    'a setting is declared and checked where lib/config/config.ts reads it',
  );
}
