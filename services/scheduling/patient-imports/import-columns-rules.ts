// Recognizes the columns of an import by the names that clinics and other programs use.

export const IMPORTED = [
  'full_name',
  'first_name',
  'last_name',
  'phone',
  'dui',
  'email',
  'birth_date',
  'gender',
  'address',
  'notes',
  'guardian_phone',
] as const;
export type Imported = (typeof IMPORTED)[number];

/** For each field the index of its column, and the header as in the file. */
export type Columns = Partial<Record<Imported, { index: number; header: string }>>;

const NAMES: Record<Imported, string> = {
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

const byName = new Map(Object.entries(NAMES).flatMap(([field, names]) => names.split(' ').map((name) => [name, field as Imported] as const)));

/** The first column of each field counts; unknown columns are ignored. */
export function columnsOf(header: string[]): Columns {
  const columns: Columns = {};
  for (const [index, title] of header.entries()) {
    const field = byName.get(plain(title));
    if (field) columns[field] ??= { index, header: title.trim() };
  }
  return columns;
}

/** A message about the first required column that is missing, or undefined. */
export function missingColumn(columns: Columns): string | undefined {
  if (!columns.full_name && !columns.first_name) return 'must have a header line with a column for the name, for example nombre or full_name';
  if (!columns.phone) return 'must have a header line with a column for the phone, for example telefono or phone';
  return undefined;
}

/** `Fecha de Nacimiento:` → fecha_de_nacimiento. */
const plain = (title: string) =>
  title
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
