// Names that outlive a release: in the database, in NATS, in clients, and in links and messages that were sent.

/** Names by section and owner, for example `Tables` → `scheduling.patients` → `id`, `phone`. An owner without names is itself a name. */
export type Names = Record<string, Record<string, string[]>>;

/** Each name with its section and owner, so that two lists can be compared. */
function flatten(names: Names): string[] {
  return Object.entries(names).flatMap(([section, owners]) =>
    Object.entries(owners).flatMap(([owner, own]) => [`${section}: ${owner}`, ...own.map((name) => `${section}: ${owner}: ${name}`)]),
  );
}

/** The recorded names that no longer exist. */
export function vanished(recorded: Names, current: Names): string[] {
  const there = new Set(flatten(current));
  return flatten(recorded).filter((name) => !there.has(name));
}

/** Groups the names by owner, sorted and without duplicates, as on the page. */
export function collect(pairs: Iterable<readonly [owner: string, ...names: string[]]>): Record<string, string[]> {
  const owners = new Map<string, Set<string>>();
  for (const [owner, ...names] of pairs) owners.set(owner, new Set([...(owners.get(owner) ?? []), ...names]));
  return Object.fromEntries([...owners].sort(([a], [b]) => (a < b ? -1 : 1)).map(([owner, names]) => [owner, [...names].sort()]));
}
