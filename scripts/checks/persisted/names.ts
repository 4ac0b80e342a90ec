// Names that outlive a release, by section and owner: in the database, in NATS, at clients, in links and messages that were sent.

/** For example `Tables` → `scheduling.patients` → `id`, `phone`. An owner without names is a name itself. */
export type Names = Record<string, Record<string, string[]>>;

/** Each name with its section and owner, so that two lists can be compared. */
export function flatten(names: Names): string[] {
  return Object.entries(names).flatMap(([section, owners]) =>
    Object.entries(owners).flatMap(([owner, own]) => [`${section}: ${owner}`, ...own.map((name) => `${section}: ${owner}: ${name}`)]),
  );
}

/** What was recorded and is not there any more. */
export function vanished(recorded: Names, current: Names): string[] {
  const there = new Set(flatten(current));
  return flatten(recorded).filter((name) => !there.has(name));
}

/** Sorted and without repeats, as the page shows them. */
export function collect(pairs: Iterable<readonly [owner: string, ...names: string[]]>): Record<string, string[]> {
  const owners = new Map<string, Set<string>>();
  for (const [owner, ...names] of pairs) owners.set(owner, new Set([...(owners.get(owner) ?? []), ...names]));
  return Object.fromEntries([...owners].sort(([a], [b]) => (a < b ? -1 : 1)).map(([owner, names]) => [owner, [...names].sort()]));
}
