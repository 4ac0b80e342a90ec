// Environment variables that every process receives in addition to its settings. Tests set the clock with those of libfaketime.
export const SYSTEM_VARIABLES = [
  ...['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE'],
  ...['LD_PRELOAD', 'FAKETIME_TIMESTAMP_FILE', 'FAKETIME_CACHE_DURATION', 'FAKETIME_DONT_FAKE_MONOTONIC'],
];

export function pick(env: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
}

/** The environment of a server, which has no secrets of the product. */
export const systemVariables = () => pick(process.env, SYSTEM_VARIABLES);
