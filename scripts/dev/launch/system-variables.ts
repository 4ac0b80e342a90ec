// Environment variables that every process gets beside its settings. Those of libfaketime let tests move the clock.
export const SYSTEM_VARIABLES = [
  ...['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE'],
  ...['LD_PRELOAD', 'FAKETIME_TIMESTAMP_FILE', 'FAKETIME_CACHE_DURATION', 'FAKETIME_DONT_FAKE_MONOTONIC'],
];

export function pick(env: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
}
