declare module 'pg/lib/utils.js' {
  const utils: {
    /** Converts a parameter of a statement to what pg sends. Throws when it has no such form. */
    prepareValue(value: unknown): unknown;
  };
  export default utils;
}
