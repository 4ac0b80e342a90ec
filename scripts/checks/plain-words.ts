// `node scripts/run.js plain-words [path…]`: lists the words that docs/style.md replaces, one line each.
import { counted } from '@clinic/lib/formats/counted.ts';
import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { persistedNames, privateWords } from './private-words.ts';
import { readSources } from './source.ts';

const USAGE = `Usage: node scripts/run.js plain-words [path…]

Lists the words that docs/style.md replaces, in all files or in those whose path begins with one of the arguments. Ends with 1 when there
are any.`;

const below = parseOptions({ options: {}, allowPositionals: true }, USAGE).positionals;
const sources = readSources(PROJECT).filter(({ file }) => below.length === 0 || below.some((place) => file.startsWith(place)));
const faults = privateWords(sources, persistedNames(PROJECT));
for (const fault of faults) console.log(fault);
console.log(`${counted(faults.length, 'word')} in ${counted(sources.length, 'file')}`);
process.exitCode = faults.length > 0 ? 1 : 0;
