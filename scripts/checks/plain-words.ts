// `node scripts/run.js plain-words [path…]`: words of the private language that are left, one line each.
import { helpOn } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { persistedNames, privateWords } from './private-words.ts';
import { readSources } from './source.ts';

helpOn('Usage: node scripts/run.js plain-words [path…]\n\nWords to replace (docs/style.md), in the files whose path begins so.');

const below = process.argv.slice(2);
const sources = readSources(PROJECT).filter(({ file }) => below.length === 0 || below.some((place) => file.startsWith(place)));
const faults = privateWords(sources, persistedNames(PROJECT));
for (const fault of faults) console.log(fault);
console.log(`${faults.length} words in ${sources.length} files`);
process.exitCode = faults.length > 0 ? 1 : 0;
