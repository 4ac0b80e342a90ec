/** Sorts a text column as people do: `Álvarez` before `Nuñez`, capital letters beside small ones. By default PostgreSQL compares bytes here. */
export const alphabetical = (column: string) => `${column} collate "und-x-icu"`;
