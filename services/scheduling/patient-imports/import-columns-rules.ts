// Recognizes the columns of an import by the names that clinics and other programs use.

/** For each field the titles that its column may have, in the form that plain() returns, separated by blanks. */
export type ColumnNames<F extends string> = Record<F, string>;

/** For each field the index of its column, and the header as in the file. */
export type Columns<F extends string> = Partial<Record<F, { index: number; header: string }>>;

export const PATIENT_COLUMNS = {
  full_name: 'full_name name patient patient_name nombre nombre_completo paciente nombre_del_paciente nombre_paciente nombre_y_apellido nombres_y_apellidos',
  first_name: 'first_name first_names given_name nombres primer_nombre',
  last_name: 'last_name last_names surname family_name apellido apellidos',
  phone:
    'phone phone_number patient_phone mobile cell cellphone whatsapp telefono tel telefonos celular movil numero_de_telefono telefono_celular telefono_movil',
  dui: 'dui national_id id_number document documento documento_de_identidad numero_de_dui no_dui cedula',
  email: 'email e_mail mail email_address correo correo_electronico',
  birth_date: 'birth_date birthdate date_of_birth dob birthday nacimiento fecha_nacimiento fecha_de_nacimiento cumpleanos',
  gender: 'gender sex genero sexo',
  address: 'address direccion domicilio',
  notes: 'notes note comments comment notas nota observaciones observacion comentarios comentario',
  guardian_phone:
    'guardian_phone guardian parent_phone telefono_responsable telefono_del_responsable telefono_encargado telefono_del_encargado telefono_tutor telefono_del_tutor',
};

export type PatientColumn = keyof typeof PATIENT_COLUMNS;

/** The first column of each field counts; ignoredColumns() are the others. */
export function columnsOf<F extends string>(names: ColumnNames<F>, header: string[]): Columns<F> {
  const byName = new Map(Object.entries<string>(names).flatMap(([field, titles]) => titles.split(' ').map((title) => [title, field as F] as const)));
  const columns: Columns<F> = {};
  for (const [index, title] of header.entries()) {
    const field = byName.get(plain(title));
    if (field) columns[field] ??= { index, header: title.trim() };
  }
  return columns;
}

const MAX_IGNORED = 100;

/** The titles of the first columns that are unknown, or repeat a field. */
export function ignoredColumns(columns: Columns<string>, header: string[]): string[] {
  const used = new Set(Object.values(columns).map((column) => column?.index));
  return header.flatMap((title, index) => (used.has(index) ? [] : title.trim() || [])).slice(0, MAX_IGNORED);
}

/** `Fecha de Nacimiento:` → fecha_de_nacimiento. */
const plain = (title: string) =>
  title
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
