import { expect, test } from '@jest/globals';
import { parseRef } from '../appointment-imports/patient-ref.ts';
import { cellText, genderOf, isoDate } from './import-cell-rules.ts';
import { columnsOf as columnsFor, PATIENT_COLUMNS } from './import-columns-rules.ts';
import { parseImportRow } from './parse-import-row.ts';
import { PATIENTS } from './patients-kind.ts';
import { readCells } from './read-cells.ts';
import { changedBy } from './write-import-batch.ts';

const columnsOf = (header: string[]) => columnsFor(PATIENT_COLUMNS, header);
const missingColumn = PATIENTS.missing;

test('columns are recognized by Spanish and English names, without case, accents and punctuation', () => {
  const header = ['Nombre completo', ' TELÉFONO ', 'Fecha de Nacimiento:', 'correo electrónico', 'Género', 'Dirección', 'Observaciones', 'Color', 'DUI'];
  const indexes = Object.fromEntries(Object.entries(columnsOf(header)).map(([field, column]) => [field, column?.index]));
  expect(indexes).toEqual({ full_name: 0, phone: 1, birth_date: 2, email: 3, gender: 4, address: 5, notes: 6, dui: 8 });
  expect(columnsOf(['full_name', 'phone', 'birthDate', 'guardian_phone'])).toMatchObject({
    full_name: { index: 0 },
    phone: { index: 1 },
    birth_date: { index: 2 },
  });
  expect(missingColumn(columnsOf(['nombres', 'apellidos', 'celular']))).toBeUndefined();
  expect(missingColumn(columnsOf(['telefono']))).toMatch(/name/);
  expect(missingColumn(columnsOf(['nombre']))).toMatch(/phone/);
});

test('the apostrophes of an export, masked DUIs, dates and genders are normalized', () => {
  expect(["'+50371234567", " 'a ", '******97-5', "'=1+1;'-2", ' x '].map(cellText)).toEqual(['+50371234567', "'a", '', '=1+1;-2', 'x']);
  expect(['1/2/1990', '01-12-1990', '1990-12-01'].map(isoDate)).toEqual(['1990-02-01', '1990-12-01', '1990-12-01']);
  for (const wrong of ['03/25/1990', '31/02/1990', '1990-13-01', '1/2/90', 'mayo'])
    expect(() => isoDate(wrong)).toThrow('must be a date that exists, YYYY-MM-DD or dd/mm/yyyy, in the years 1900 to 2199');
  expect(['F', 'Masculino', 'other'].map(genderOf)).toEqual(['female', 'male', 'other']);
});

test.each([
  ['nombres,apellidos', ['Ana María', 'Paz']],
  ['nombre,apellido', ['Ana María', 'Paz']],
  ['nombre_completo,nombres,apellidos', ['Ana María Paz', 'Ana María', 'Paz']],
  ['nombre_completo,nombres,apellidos', ['', 'Ana María', 'Paz']],
  ['nombre_completo,nombres,apellidos', ['Ana María Paz', '', '']],
  ['nombre_completo,nombres,apellidos', ['Ana María Paz', '', 'PAZ']],
  ['nombre_completo,nombres,apellidos', ['Ana María Paz', 'ana maria', '']],
  ['nombre_completo,nombres,apellidos', ['Ana M. Paz', 'Ana María', 'Paz']],
  ['nombre_completo,nombres,apellidos', ['Ana María Paz', 'Anita', '']],
  ['paciente,nombres,apellidos', ['17', 'Ana María', 'Paz']],
])('the columns %s with the cells %j have the name once', (header, cells) => {
  const columns = columnsOf([...header.split(','), 'tel']);
  const parsed = parseImportRow(2, [...cells, '7123-4567'], columns, 'SV', '2026-06-01');
  expect(parsed).toMatchObject({ fields: { full_name: 'Ana María Paz' } });
  expect(parseRef(readCells(2, [...cells, '7123-4567'], columns), 'SV')).toMatchObject({ search_name: ' ana maria paz' });
});

test('a row is parsed with all its errors', () => {
  const columns = columnsOf(['nombres', 'apellidos', 'tel', 'nacimiento', 'sexo', 'correo', 'dui']);
  expect(parseImportRow(2, ['Ana María', 'Paz', '7123-4567', '2/1/1990', 'F', 'ana@example.com', '000162975'], columns, 'SV', '2026-06-01')).toEqual({
    row: 2,
    fields: {
      full_name: 'Ana María Paz',
      search_name: ' ana maria paz',
      phone: '+50371234567',
      email: 'ana@example.com',
      birth_date: '1990-01-02',
      gender: 'female',
      address: null,
      notes: null,
    },
    guardianPhone: null,
    dui: '00016297-5',
  });
  expect(parseImportRow(3, ['', '', '12', '30/2/1990', 'q', 'no', '1'], columns, 'SV', '2026-06-01')).toEqual(
    ['nombres', 'tel', 'dui', 'correo', 'nacimiento', 'sexo'].map((column) => ({ row: 3, column, message: expect.any(String) })),
  );
  const messages = (...cells: string[]) => parseImportRow(3, ['Ana', 'Paz', '71234567', ...cells], columns, 'SV', '2026-06-01');
  expect(messages('31/5/2026', 'Mujer')).toMatchObject({ fields: { birth_date: '2026-05-31', gender: 'female' } });
  expect(messages('1/6/2026', 'constructor')).toMatchObject([
    { column: 'nacimiento', message: 'must be in the past' },
    { column: 'sexo', message: expect.stringMatching(/^must be one of female, f, .*, male, .*, other, /) },
  ]);
  expect(messages('1990')).toMatchObject([{ column: 'nacimiento', message: expect.stringContaining('YYYY-MM-DD or dd/mm/yyyy') }]);
  expect(parseImportRow(4, ['Jos\uFFFD', '', '+50371234567'], columns, 'SV', '2026-06-01')).toMatchObject([
    { column: 'nombres', message: expect.stringContaining('UTF-8') },
  ]);
  expect(parseImportRow(5, ['', '  ', ''], columns, 'SV', '2026-06-01')).toBeUndefined();
});

test('empty cells change nothing, and a row without changes is skipped', () => {
  const known = { full_name: 'Ana', search_name: ' ana', phone: '+1', email: 'a@b.c', birth_date: null, gender: null, address: 'x', notes: null };
  const row = { ...known, email: null, address: null };
  expect(changedBy(known, row)).toBeUndefined();
  expect(changedBy(known, { ...row, notes: 'n' })).toEqual({ ...known, notes: 'n' });
});
