// Chooses the process for a connection: the one with the fewest requests in progress. Processes with the same number
// take turns.

/** The load of a process, as far as the supervisor knows it. */
export interface Load {
  /** The requests in progress, from the last report. */
  readonly active: number
  /** The connections handed over since the last report. */
  readonly unreported: number
}

/** Undefined if there are no processes. `turn` increases with each choice. */
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
