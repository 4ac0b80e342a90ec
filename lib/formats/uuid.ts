// UUIDs of any version, in the form of RFC 9562.
import { invalid } from '../errors/errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** The UUID in lower case. */
export const parseUuid = (path: string, value: string): string => (isUuid(value) ? value.toLowerCase() : invalid(path, 'must be a UUID'));
