/** The output of a command, and its way to report that it failed. */
export interface CommandIo {
  /** Standard output: what was asked for. */
  write(text: string): void
  /** Standard error: what a person should know beside it. */
  writeError(text: string): void
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** Replaces the line of progress; undefined where standard error is no terminal. */
  readonly showProgress?: ((line: string) => void) | undefined
  /** The process' exit code, once everything is done. */
  setExitCode(code: number): void
}
