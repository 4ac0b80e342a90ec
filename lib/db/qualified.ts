/** A list of columns, each qualified by a table's name or alias: `a, b` becomes `t.a, t.b`. */
export const qualified = (columns: string, table: string) => columns.replaceAll(/\w+/g, `${table}.$&`);
