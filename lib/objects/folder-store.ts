// Contents as files in a folder. A file gets its final name only when it is complete and synced to disk.
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectStore } from './object-store.ts';

export function folderStore(folder: string): ObjectStore {
  return {
    async put(key, _size, content) {
      const file = path.join(folder, key);
      const partial = `${file}.partial`;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const handle = await open(partial, 'w', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      await rename(partial, file);
      await syncFolder(path.dirname(file));
    },
    async get(key) {
      try {
        const handle = await open(path.join(folder, key));
        return createReadStream('', { fd: handle, highWaterMark: 64 * 1024 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async delete(key) {
      const file = path.join(folder, key);
      await Promise.all([rm(file, { force: true }), rm(`${file}.partial`, { force: true })]);
    },
  };
}

/** Makes a renamed file durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
