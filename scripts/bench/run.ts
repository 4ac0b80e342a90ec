// `npm run bench`: measures the product's speed and compares it with a minimal server that does the same work (the floor).
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../schemas.ts';
import { chart } from './chart.ts';
import { measureChat, reportChat } from './chat.ts';
import { measureAll } from './measurement.ts';
import { HELP, readOptions } from './options.ts';
import { report } from './report.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    console.log(HELP);
  } else if (options.chat) {
    console.log(reportChat(await measureChat(options.quick, (line) => console.error(line))));
  } else {
    const figures = await measureAll(options, (line) => console.error(line));
    const file = path.join(PROJECT, 'bench-results', figures.date.slice(0, 19).replaceAll(':', ''));
    const json = path.resolve(options.json ?? `${file}.json`);
    const svg = path.resolve(options.svg ?? `${file}.svg`);
    for (const target of [json, svg]) mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
    writeFileSync(svg, chart(figures));
    console.log(`${report(figures)}\n\nfigures  ${json}\nchart    ${svg}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
