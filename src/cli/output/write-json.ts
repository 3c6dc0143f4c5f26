/** The option `--json` of a command. */
export interface JsonChoice {
  readonly json?: true
}

/** Writes JSON that programs can parse and people can read. */
export function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
