// `npm run check`: rules of the project that formatter, linter and compiler do not check.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { faultsOfDependencies } from './dependencies.ts';
import { FIRST_RELEASE } from './first-release.ts';
import { unsafeMigrations } from './migration-safety.ts';
import { misnumberedMigrations } from './migrations.ts';
import { persistedNames, privateWords } from './private-words.ts';
import { publishingOutsideTheOutbox, queriesOutsideTransactions, settingsOutsideConfig } from './single-places.ts';
import { readSources } from './source.ts';
import { findUnfinished } from './unfinished.ts';

const USAGE = `Usage: npm run check

Checks that queries, events and settings are where they belong, that names and texts use plain words, that migrations are numbered and safe
to roll out, and the licences and install scripts of dependencies. Prints one line per fault, and ends with 1 when there are any.`;

parseOptions({ options: {} }, USAGE);

const sources = readSources(PROJECT);
const { version } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { version: string };
const faults = [
  ...queriesOutsideTransactions(sources),
  ...publishingOutsideTheOutbox(sources),
  ...settingsOutsideConfig(sources),
  ...findUnfinished(sources),
  ...privateWords(sources, persistedNames(PROJECT)),
  ...misnumberedMigrations(sources),
  ...unsafeMigrations(sources, FIRST_RELEASE, version),
  ...faultsOfDependencies(PROJECT),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${sources.length} files without faults`);
