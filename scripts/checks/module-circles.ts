// Finds import cycles between modules, which are the folders of a service, of lib, of the gateway and of the scripts. dependency-cruiser finds cycles
// between files, but modules can form a cycle without one.
import path from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { PROJECT } from '../schemas.ts';

type Graph = Map<string, Map<string, string>>;

const MODULE = /^(services\/[^/]+\/[^/]+|(?:lib|gateway|scripts)\/[^/]+)\//;
const TESTS = /\.test\.ts$|\/testing\//;

/** One line for each dependency that is part of a cycle, with an import that causes it. */
export async function moduleCircles(root: string, folders = ['lib', 'gateway', 'services', 'scripts']): Promise<string[]> {
  const { default: config } = (await import(path.join(PROJECT, '.dependency-cruiser.js'))) as { default: { options: object } };
  const { output } = await cruise(folders, { ...config.options, baseDir: root, validate: false } as never);
  return circlesIn(graphOf((output as ICruiseResult).modules));
}

function graphOf(modules: ICruiseResult['modules']): Graph {
  const graph: Graph = new Map();
  for (const { source, dependencies } of modules) {
    const from = MODULE.exec(source)?.[1];
    if (!from || TESTS.test(source)) continue;
    const edges = graph.get(from) ?? new Map<string, string>();
    graph.set(from, edges);
    for (const { resolved } of dependencies) {
      const to = MODULE.exec(resolved)?.[1];
      if (to && to !== from && path.dirname(to) === path.dirname(from)) edges.set(to, `${source} imports ${resolved}`);
    }
  }
  return graph;
}

function circlesIn(graph: Graph): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(graph.get(from)?.keys() ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  return [...graph].flatMap(([from, edges]) => [...edges].filter(([to]) => reaches(to, from)).map(([to, why]) => `${from} and ${to} are on a circle: ${why}`));
}
