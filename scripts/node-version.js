// Plain JavaScript in old syntax, because it must run on versions of Node that are too old for the product.

/** The error message when this version of Node cannot run the product; otherwise undefined. */
export function nodeFault(version) {
  const major = Number(version.split('.')[0]);
  if (major >= 24) return undefined;
  return (
    'This needs Node 24 or newer, and this is Node ' +
    version +
    ': run `npm ci`, which on Linux installs a suitable version into node_modules, and start through `npm run`; or install Node 24.'
  );
}
