// `npm run check`: what formatter, linter and compiler cannot see, one line a fault.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { helpOn } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { faultsOfDependencies } from './dependencies.ts';
import { FIRST_RELEASE } from './first-release.ts';
import { unsafeMigrations } from './migration-safety.ts';
import { misnumberedMigrations } from './migrations.ts';
import { persistedNames, privateWords } from './private-words.ts';
import { publishingOutsideTheOutbox, queriesOutsideTransactions, settingsOutsideConfig } from './single-places.ts';
import { readSources } from './source.ts';
import { forbiddenWords } from './words.ts';

helpOn(
  'Usage: npm run check\n\nQueries, events and settings where they belong; plain words; numbered and safe migrations; licences and install scripts. One line per fault.',
);

const sources = readSources(PROJECT);
const { version } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { version: string };
const faults = [
  ...queriesOutsideTransactions(sources),
  ...publishingOutsideTheOutbox(sources),
  ...settingsOutsideConfig(sources),
  ...forbiddenWords(sources),
  ...privateWords(sources, persistedNames(PROJECT)),
  ...misnumberedMigrations(sources),
  ...unsafeMigrations(sources, FIRST_RELEASE, version),
  ...faultsOfDependencies(PROJECT),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${sources.length} files as they should be`);
