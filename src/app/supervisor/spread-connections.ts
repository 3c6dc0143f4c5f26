// Which process gets a connection: the one with the fewest requests in progress, in turn where several have as few.

/** The load of a process as the supervisor knows it. */
export interface Load {
  /** The requests in progress, by the last report. */
  readonly active: number
  /** The connections that were handed over and that the report does not know of. */
  readonly unreported: number
}

/** Undefined where there is none to choose from. `turn` rises with each choice. */
export function chooseIdlest<Part extends Load>(parts: readonly Part[], turn: number): Part | undefined {
  let chosen: Part | undefined
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[(turn + index) % parts.length]
    if (part === undefined) continue
    if (chosen === undefined || part.active + part.unreported < chosen.active + chosen.unreported)
      chosen = part
  }
  return chosen
}
