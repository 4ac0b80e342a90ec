/** An error in a row of an imported file. */
export type Fault = { row: number; column: string; message: string };
