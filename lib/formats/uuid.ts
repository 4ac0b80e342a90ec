// UUIDs of any version, in the form of RFC 9562.
import { NIL } from 'uuid';
import { invalid } from '../errors/errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** The UUID in lower case. */
export const parseUuid = (path: string, value: string): string => (isUuid(value) ? value.toLowerCase() : invalid(path, 'must be a UUID'));

/** The creation time of a UUIDv7 in epoch milliseconds. */
export const timeOfUuid = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** The clinic of rows, events and requests that belong to no clinic. */
export const NO_CLINIC = NIL;
