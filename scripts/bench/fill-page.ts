// Writes the tables of docs/scaling.md.
import { parseOptions } from '../help.ts';
import { writePage } from './scaling-page.ts';

const USAGE = `Usage: node scripts/run.js bench/fill-page

Writes the tables of docs/scaling.md from bench-results/day.json and from the assumptions on the page.`;

parseOptions({ options: {} }, USAGE);
writePage();
