/** The output of a command, and its way to report a failure. */
export interface CommandIo {
  /** Writes to standard output: the requested result. */
  write(text: string): void
  /** Writes to standard error: notes in addition to the result. */
  writeError(text: string): void
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** Replaces the progress line. Undefined where standard error is not a terminal. */
  readonly showProgress?: ((line: string) => void) | undefined
  /** Whether standard output still has a reader. Without this member, it has one. */
  readonly hasReader?: () => boolean
  /** Sets the process's exit code for when everything is done. */
  setExitCode(code: number): void
}
