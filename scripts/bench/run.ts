// `npm run bench`: measures the product's speed and compares it with a minimal server that does the same work (the floor).
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../schemas.ts';
import { chart } from './chart.ts';
import { measureChat, reportChat } from './chat.ts';
import { measureDay } from './day.ts';
import { dayChart } from './day-chart.ts';
import { tablesOf } from './day-tables.ts';
import { measureAll } from './measurement.ts';
import { readOptions } from './options.ts';
import { measurePeer, reportPeer } from './peer.ts';
import { report } from './report.ts';
import { PUBLISHED, withPublished, writePage } from './scaling-page.ts';
import { measureWrites, reportWrites } from './writes.ts';

const options = readOptions();
try {
  const log = (line: string) => console.error(line);
  const date = new Date().toISOString();
  const store = (figures: object, file = options.json) => `figures  ${write(file, date, 'json', JSON.stringify(figures, null, 2))}`;
  if (options.chat) {
    const figures = await measureChat(options.quick, log);
    console.log(`${reportChat(figures)}\n\n${store(figures)}`);
  } else if (options.peer) {
    const figures = await measurePeer(options, log);
    console.log(`${reportPeer(figures)}\n\n${store(figures)}`);
  } else if (options.writes) {
    const figures = [];
    for (const topology of options.topologies) {
      const measured = await measureWrites(topology, options.quick, log);
      figures.push(measured);
      console.log(reportWrites(measured));
    }
    console.log(store(figures));
  } else if (options.day) {
    const measured = [];
    for (const topology of options.topologies) measured.push(await measureDay(topology, options.quick, log));
    const figures = options.publish ? withPublished(measured) : measured;
    const [json, svg] = options.publish ? [PUBLISHED, PUBLISHED.replace('.json', '.svg')] : [options.json, options.svg];
    console.log(`${measured.map(tablesOf).join('\n\n')}\n\n${store(figures, json)}\nchart    ${write(svg, date, 'svg', dayChart(figures))}`);
    if (options.publish) writePage();
  } else {
    const figures = await measureAll(options, log);
    console.log(`${report(figures)}\n\n${store(figures)}\nchart    ${write(options.svg, date, 'svg', chart(figures))}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Writes to `requested`, or to a file named by the date. Returns its path. */
function write(requested: string | undefined, date: string, extension: 'json' | 'svg', content: string): string {
  const file = path.resolve(requested ?? path.join(PROJECT, 'bench-results', `${date.slice(0, 19).replaceAll(':', '')}.${extension}`));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${content}\n`);
  return file;
}
