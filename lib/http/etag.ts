// Entity tags of files whose content is computed for each request.
import { hash } from 'node:crypto';

export const etagOf = (content: string | Buffer): string => hash('sha256', content, 'base64url');
