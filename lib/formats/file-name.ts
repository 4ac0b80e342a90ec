// Names of files for downloads.

/** The name, with the first of the extensions added unless it has one of them, so that no system opens the content as another type because of the name. */
export function withExtension(name: string, extensions: readonly [string, ...string[]]): string {
  const extension = /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return extensions.includes(extension) ? name : `${name}.${extensions[0]}`;
}
