// Where anyone sees what the authority knows of a document: the QR code leads there.

export function consultation(environment: '00' | '01', code: string, day: string): string {
  return `https://admin.factura.gob.sv/consultaPublica?ambiente=${environment}&codGen=${code}&fechaEmi=${day}`;
}
