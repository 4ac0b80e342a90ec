// The changes of the test of single fields (changes-one-field.test.ts), and what all areas need to describe them.
import { expect } from '@jest/globals';
import sharp from 'sharp';
import { type Answer, type Api, type Body, type Extra, expectStatus } from '../api.ts';
import { addDoctor, book, booking, type Clinic, newClinic } from '../clinic.ts';

/** A record to change: the parameters of its path, and a function that reads it through the API. `as` replaces the clinic's admin as the caller. */
export type Target = { params?: Record<string, string>; read: () => Promise<Body>; as?: Extra };

export type Field = {
  value: unknown;
  /** What the response and a later read contain once the value is stored. */
  shown: Body;
  /** What they contain after null, if the schema allows null. By default null; `same` when null is the same as no value. */
  cleared?: Body | 'same';
  /** What the response, or a later read, contains if it is not `shown`. */
  answered?: Body;
  read?: Body;
  /** Another proof of the effect, for a value that is not returned. */
  prove?: (target: Target) => Promise<void>;
};

export type Change = {
  record: () => Promise<Target>;
  /** Sent with every field: fields that a PUT requires, or without which a field has no meaning. */
  with?: Body;
  /** The body replaces the whole record, so null only selects a default. */
  replaces?: true;
  fields: Record<string, Field>;
};

/** The names of the single field of a route whose body is a file, and of one without a body. */
export const FILE = 'file';
export const NO_BODY = 'no body';

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Fields that are returned under the same name in snake_case, with the value that was sent. */
export const plain = (values: Record<string, unknown>): Record<string, Field> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, shown: { [snakeCase(name)]: value } }]));

export type Changes = Record<string, Change>;

export const acknowledgement = { message: expect.any(String) };

/** A proof that the field is the URL of an image. */
export const servesImage =
  (field: string) =>
  async ({ read }: Target) => {
    const response = await fetch((await read())[field]);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\//)]);
  };

/** The context of the changes of a clinic. */
export type Context = Awaited<ReturnType<typeof contextOf>>;

export async function contextOf(api: Api, clinic: Clinic) {
  const body = async (status: number, sending: Promise<Answer>): Promise<Body> => (await expectStatus(status, sending)).body;
  const get = (path: string, as: Extra = clinic) => body(200, api.get(path, as));
  const post = (path: string, sent: Body) => body(201, api.post(path, sent, clinic));
  const find = async (list: Promise<Body[]>, id: string) => (await list).find((one) => one.id === id);

  /** A new clinic, whose record is at `path`. */
  const fresh = (path: string) => async (): Promise<Target> => {
    const as = await newClinic(api);
    return { as, read: () => get(path, as) };
  };
  const at = (path: string, params: Record<string, string>): Target => ({ params, read: () => get(path) });
  const booked = await book(api, clinic, booking((await addDoctor(api, clinic)).id, '08:00'));
  /** A dependant, because other patients must have a phone. */
  const patient = async (): Promise<Target> => {
    const details = { dui: '00016297-5', email: 'luis@example.com', birthDate: '1980-01-31', gender: 'male', address: 'Calle 1', notes: 'Alergia' };
    const { id } = await post(`/api/patients/${booked.patient_id}/dependants`, { fullName: 'Luis Paz', ...details });
    return at(`/api/patients/${id}`, { id });
  };
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: 'navy' } }).png();
  const file = { value: await picture.toBuffer(), shown: { photo_url: expect.any(String) }, prove: servesImage('photo_url') };
  return { api, clinic, booked, patient, file, body, get, post, find, fresh, at };
}
