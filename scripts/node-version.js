// Plain JavaScript in the words of old versions, since it has to run on a Node that is too old for the rest.

/** A sentence when this version of Node cannot run the product, else undefined. */
export function nodeFault(version) {
  const major = Number(version.split('.')[0]);
  if (major >= 24) return undefined;
  return (
    'This needs Node 24 or newer, and this is Node ' +
    version +
    ': run `npm ci`, which brings a new enough one into node_modules, and start through `npm run`; or install Node 24.'
  );
}
