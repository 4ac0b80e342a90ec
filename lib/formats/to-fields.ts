// Converts rows of the database to fields of messages.
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type Field<Value> = Value extends Date ? Timestamp : Value extends null ? undefined : Value;
type Fields<Row> = { [Name in keyof Row & string as Camel<Name>]: Field<Row[Name]> };

const fieldNames = new Map<string, string>();

function fieldName(column: string): string {
  const known = fieldNames.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, name);
  return name;
}

/**
 * The values of a row by field name (`patient_id` becomes `patientId`), for create() and responses, which ignore fields that the message does not have.
 * Dates become timestamps; null becomes absent.
 */
export function toFields<Row extends object>(row: Row): Fields<Row> {
  const fields: Record<string, unknown> = {};
  for (const column in row) {
    const value = row[column];
    if (value !== null) fields[fieldName(column)] = value instanceof Date ? timestampFromDate(value) : value;
  }
  return fields as Fields<Row>;
}
