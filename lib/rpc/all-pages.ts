/** The entries of all pages of a list, from page 1; `read` returns one page and the number of entries of all pages. */
export async function allPages<T>(limit: number, read: (page: { page: number; limit: number }) => Promise<{ entries: T[]; total: number }>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1, total = 1; (page - 1) * limit < total; page++) {
    const found = await read({ page, limit });
    all.push(...found.entries);
    total = found.total;
  }
  return all;
}
