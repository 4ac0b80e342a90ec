// A folder with the authority's official schemas.
import { existsSync } from 'node:fs';
import path from 'node:path';

export const SCHEMA_FOLDERS = ['legacy-2022-2025', 'current-2026'];

export const hasSchemas = (folder: string): boolean => SCHEMA_FOLDERS.every((name) => existsSync(path.join(folder, name)));
