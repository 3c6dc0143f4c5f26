import type { InputFact } from '../kit/schema/input-fact.ts'

/** One thing that is wrong with the configuration, and what to do about it. */
export interface ConfigProblem {
  /** The file's path as it was given. Absent where the problem is in the environment or on the command line. */
  readonly file?: string
  /** Line and column start at 1. */
  readonly line?: number
  readonly column?: number
  /**
   * The place of the problem, such as `channels[0].base_url`, `HEADGATE_LISTEN` or `--listen`. Empty for the file as a
   * whole.
   */
  readonly path: string
  readonly message: string
  /** Undefined where the message has its fact or says it alone. */
  readonly fact?: InputFact | undefined
  /** The owner of the document that the path leads through, where there are two. */
  readonly owner?: ConfigOwner
}

/** The source of a configuration object: the file (or the environment in its place), or the admin API. */
export type ConfigOwner = 'file' | 'api'

/** Thrown with every problem that was found. The message has one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(writeProblem).join('\n'))
    this.problems = problems
  }
}

function writeProblem({ file, line, column, path, message }: ConfigProblem): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(':')
  return [location, path, message].filter((part) => part !== '').join(': ')
}
